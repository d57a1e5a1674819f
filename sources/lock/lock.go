// Package lock reads and writes rollstamp.lock: the version of each secret that is not in Git, one line for each, and
// no value.
package lock

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

// FileName is the lock that is looked for, upwards from an application.
const FileName = "rollstamp.lock"

// Schema is the newest form of a lock that this version knows.
// It writes the oldest that can say what there is.
const Schema = 2

// schema returns the form that a file needs: 1 has no word for the keys of digests.
func (f *File) schema() int {
	for _, e := range f.entries {
		if e.key != "" {
			return Schema
		}
	}
	return 1
}

// File is a lock. The zero value is an empty one.
type File struct {
	path    string
	entries map[string]entry
}

// entry is what a line says of a key.
type entry struct {
	name  string // what it stands under
	class string // version or value
	text  string
	key   string // which hash key a digest was made with; "" where the lock does not say
	line  int
}

// The classes of entries, as the contract of digests calls them.
const (
	classVersion = "version"
	classValue   = "value"
)

// Path returns the file that the lock was read from, or "".
func (f *File) Path() string { return f.path }

// Len returns the number of entries.
func (f *File) Len() int { return len(f.entries) }

// Names returns the keys of all entries, sorted, as Name makes them.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.entries)) }

// Position reports where the entry of a name stands.
func (f *File) Position(name string) diag.Position {
	return diag.Position{File: f.path, Line: f.entries[name].line}
}

// Get returns what the lock says of a reference. An entry for the whole key fits each of its properties: a version is
// that of all.
func (f *File) Get(ref sources.Ref) (answer sources.Answer, name string, ok bool) {
	var room [256]byte // names are not made for those that are not there: thousands may be asked for
	e, ok := f.entries[string(ref.AppendID(room[:0]))]
	if !ok && ref.Property != "" {
		e, ok = f.entries[string(whole(ref).AppendID(room[:0]))]
	}
	if !ok {
		return sources.Answer{}, "", false
	}
	return e.answer(), e.name, true
}

func (e entry) answer() sources.Answer {
	if e.class == classValue {
		return sources.Answer{Digest: e.text, Key: e.key}
	}
	return sources.Answer{Version: e.text}
}

// Set puts an answer into the lock, and reports whether the lock said something else.
func (f *File) Set(ref sources.Ref, a sources.Answer) (changed bool) {
	all := names(ref)
	name, e := all[len(all)-1], entry{class: classVersion, text: a.Version}
	if a.Digest != "" {
		name, e = all[0], entry{class: classValue, text: a.Digest, key: a.Key}
	}
	if f.entries == nil {
		f.entries = map[string]entry{}
	}
	old, had := f.entries[name]
	e.name, e.line = name, old.line
	f.entries[name] = e
	changed = !had || old.class != e.class || old.text != e.text
	for _, other := range all { // a store has got versions, or lost them: what was locked before is stale
		if _, had := f.entries[other]; had && other != name {
			delete(f.entries, other)
			changed = true
		}
	}
	return changed
}

// Clone returns a lock of its own with the same entries.
func (f *File) Clone() *File { return &File{path: f.path, entries: maps.Clone(f.entries)} }

// Keep drops every entry whose name used does not hold, and returns the names of those that are gone.
func (f *File) Keep(used map[string]bool) (gone []string) {
	for _, name := range f.Names() {
		if !used[name] {
			gone = append(gone, name)
			delete(f.entries, name)
		}
	}
	return gone
}

// header begins every lock that is written. Its second line is for programs, the first for people.
const header = "# Versions of secrets that are not in Git, written by 'rollstamp lock'. It holds no secret.\n"

const schemaWord = "schema"

// WriteTo writes the lock: one line for each entry, sorted.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	b.WriteString(header)
	fmt.Fprintf(&b, "%s %d\n", schemaWord, f.schema())
	for _, name := range f.Names() {
		e := f.entries[name]
		words := []string{name, e.class, escape(e.text)}
		if e.key != "" {
			words = append(words, e.key)
		}
		b.WriteString(strings.Join(words, " ") + "\n")
	}
	n, err := w.Write(b.Bytes())
	return int64(n), err
}

// Digest returns the keyed digest of a value that stands under a name; "" where there is none, or a version.
func (f *File) Digest(name string) string {
	if e := f.entries[name]; e.class == classValue {
		return e.text
	}
	return ""
}

// Text returns what the entry of a name says, as the lock writes it, but for the key of a digest; "" where there is
// none.
func (f *File) Text(name string) string {
	e, ok := f.entries[name]
	if !ok {
		return ""
	}
	return e.class + " " + escape(e.text)
}
