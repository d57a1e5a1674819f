package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
)

// libraryLog prints what the engines' libraries write to package log. They quote values there, of charts and of
// objects, and any of them may be a secret: only what is known is printed, without values.
type libraryLog struct{ w io.Writer }

// unknownMessage stands for every message that is not known.
const unknownMessage = "a library that renders logs something that rollstamp does not know, and does not show " +
	"because it may hold values"

// libraryMessages are the messages that are printed: of each what its groups hold, which are words of the library,
// names of charts, keys and files, and never values. A message is compared without the "warning: " that it begins with.
var libraryMessages = [...]string{
	// Helm's, of values.
	`^(cannot overwrite table with non table for .*?) \(`,
	`^(destination for .*? is a table\. Ignoring non-table value) \(`,
	`^(skipping globals because (?:destination|source) \S+ is not a table\.)$`,
	`^(Conflict: cannot merge map onto non-map for "[^"]*"\. Skipping\.)$`,
	`^(key .* is table\. Skipping)$`,
	`^(skipped value for .*: Not a table\.)$`,
	`^(unable to copy values)\b`,
	`^(unable to convert values copy to values type)$`,
	// Helm's, of dependencies, schemas and hooks.
	`^(Condition path '[^']*' for chart \S+ returned non-bool value)$`,
	`^(Tag '[^']*' for chart \S+ returned non-bool value)$`,
	`^(PathValue returned error "[^"]*" is not a (?:table|value))$`,
	`^(ImportValues missing table(?: from chart \S+)?: "[^"]*" is not a (?:table|value))$`,
	`^(Dependencies are handled in Chart\.yaml since apiVersion "v2"\. We recommend migrating dependencies to ` +
		`Chart\.yaml\.)$`,
	`^(Dependency locking is handled in Chart\.lock since apiVersion "v2"\. We recommend migrating to Chart\.lock\.)$`,
	`^(unresolved URN reference ignored; using permissive schema: urn:\S+)$`,
	`^(info: skipping unknown hook: "[^"]*")$`,
	// kustomize's.
	`^(Sorting order is set both in 'kustomization\.yaml').*(\. Using the kustomization file over the CLI flag\.)$`,
	`^(Forcing the git protocol using the 'git::' URL prefix is not supported\.)`,
	`^(KUSTOMIZE_PLUGIN_CONFIG_(?:STRING|ROOT) exceeds hard limit of \d+ characters, ` +
		`the environment variable will be omitted)$`,
	// Of what serves, and our own.
	`^(http: (?:TLS handshake|Accept) error.*)$`,
	`(?s)^(the render cache .* is not used for now: .*)$`,
}

// logTo has libraries log to w, without the time.
func logTo(w io.Writer) {
	log.SetFlags(0)
	log.SetOutput(libraryLog{w})
}

func (l libraryLog) Write(message []byte) (int, error) {
	if _, err := fmt.Fprintf(l.w, "warning: %s\n", knownMessage(message)); err != nil {
		return 0, err
	}
	return len(message), nil
}

// knownMessage returns what is printed of a message.
func knownMessage(message []byte) []byte {
	text := bytes.TrimSpace(message)
	for _, said := range [...]string{"warning: ", "Warning: ", "WARNING: "} {
		text = bytes.TrimPrefix(text, []byte(said))
	}
	for _, pattern := range libraryMessages {
		if m := regexp.MustCompile(pattern).FindSubmatch(text); m != nil {
			return bytes.Join(m[1:], nil)
		}
	}
	return []byte(unknownMessage)
}

// hold collects what libraries log, until the function that it returns is called: it must not stand before an error, of
// which the Application's condition shows the beginning. What goes through package log is collected; kustomize's advice
// about outdated fields, which it writes to standard error by itself, is dropped.
func hold(logged *bytes.Buffer) (release func()) {
	writer, standard := log.Writer(), os.Stderr
	log.SetOutput(libraryLog{logged})
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err == nil {
		os.Stderr = null
	}
	return func() {
		log.SetOutput(writer)
		if err == nil {
			os.Stderr = standard
			_ = null.Close() // nothing was written that could be lost
		}
	}
}
