// Package failure makes kustomize's errors readable: without what it repeats, without objects that it prints, and
// without values of Secrets.
package failure

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/render"
)

// Text returns what an error of kustomize says, without objects and without what it repeats on each level.
func Text(text string) string { return dropDumps(dropRepetition(text)) }

// Whole returns what an error of kustomize says with the objects that it prints in it, which may hold the values of
// Secrets: it is read, and never shown.
func Whole(text string) string { return dropGenerator(dropRepetition(text)) }

// Paths returns a text with the absolute paths of what lies in a folder as show writes them.
func Paths(text, folder string, show func(path string) string) string {
	if folder == "" || !strings.Contains(text, folder+"/") {
		return text
	}
	within := regexp.MustCompile(regexp.QuoteMeta(folder) + `/[^\s'":,)\]}]*`)
	return within.ReplaceAllStringFunc(text, show)
}

// OneLine joins the lines of a text.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// dumps are the places where kustomize puts objects, configurations or lines of files into an error. They may hold the
// values of Secrets, and are not readable anyway.
var dumps = [...]struct{ pattern, replacement string }{
	{"(?s) with config: `.*`", ""},
	{`(?s)adding origin annotations for generator .*\}: `, "adding origin annotations: "},
	{`(?s)map\[string\]interface \{\}\{.*\}: `, ""},
	{`(?s)(namespace transformation produces ID conflict): .*`, "$1"},
	{`(?s)(empty item at .*?) in object .*`, "$1"},
	{`(?s)(expected 1 resource, found \d+) in .*`, "$1"},
	{`(?s)(must specify one of patch and path|patch and path can't be set at the same time).*`, "$1"},
	{`(?s)\[patch: ".*"\]`, "an inline patch"},
	{`(?s)(patch appears to be empty).*`, "$1"},
	{`(?s) for the following resource:.*`, ""},
	{`(?s)literal sources \[.*\]: `, "literal sources: "},
	{`(?s)(invalid literal source) .*?(, expected key=value)`, "$1$2"},
	{`(?s)line \[?[\d ]+\]? has invalid utf8 bytes.*`, "a line has invalid utf8 bytes"},
	{`(?s): value: \{.*\}`, ""},
	{`(?s): node contents:.*`, ""},
	{`(?s)(missing (?:metadata\.name|kind|apiVersion)) in object .*`, "$1"},
	{`(merge patch "[^"]*": (?:no|multiple) matches) for Id \S+; failed to find unique target for patch \S+`, "$1"},
	{`(does not match a config) with the following GVK .*`, "$1 that has replicas"},
	{`var '\{(\S+) .*?\}\}'`, "var $1"},
	{`json: unsupported type: map\[interface \{\}\]interface \{\}`, "a key is no string"},
	{"(?s)(cannot unmarshal !!\\w+) `.*?`", "$1"},
	{`(cannot unmarshal number) [-\d]\S*`, "$1"},
	{`(?s)unknown anchor '.*' referenced`, "an alias to an unknown anchor"},
	{`(?s)anchor '.*' value contains itself`, "an anchor that contains itself"},
	{`(?s)(?:yaml: )?invalid map key: .*`, "a key is a mapping or a sequence, which Kubernetes does not accept"},
	{"(?s)(?:yaml: )?cannot decode !!\\w+ `.*?` as a !!\\w+", "a value does not match its tag"},
	{`(?s)(options\.index -?\d+ is out of bounds) for value .*`, "$1"},
	{`(?s)(validator shouldn't modify the resource map).*`, "$1"},
	{`(?s)\s*\*\*\*\* Too many possible referral targets.*`, ""},
	{`(?s)found multiple objects .* that could accept merge of `, "found multiple objects that could accept merge of "},
}

// generator is how kustomize prints a generator and the name of what it generates, which is kept.
var generator = [...]struct{ pattern, replacement string }{
	{`(?s)merging from generator .*\}: `, "merging from generator: "},
	{`id resid\.ResId\{Gvk:resid\.Gvk\{Group:"[^"]*", Version:"[^"]*", Kind:"([^"]*)", isClusterScoped:\w+\}, Name:"([^"]*)", Namespace:"[^"]*"\}`, `$1 "$2"`},
}

func dropGenerator(text string) string {
	for _, d := range generator {
		text = replace(text, d.pattern, d.replacement)
	}
	return text
}

func dropDumps(text string) string {
	text = dropGenerator(text)
	for _, d := range dumps {
		text = replace(text, d.pattern, d.replacement)
	}
	return text
}

// replace compiles its pattern when it is needed, which is when a build has failed: a process that renders pays for
// none.
func replace(text, pattern, replacement string) string {
	return regexp.MustCompile(pattern).ReplaceAllString(text, replacement)
}

// repetitions are what kustomize says on each level on the way down: that a folder is no file, and where it is.
const repetitions = `accumulation err='accumulating resources from '[^']*': ` +
	`(?:'[^']*' must resolve to a file|read [^']*: is a directory)': ` +
	`|recursed (?:accumulation of|merging from) path '[^']*': |accumulating (?:resources|components): |accumulateDirectory: `

// second is what kustomize says of a file that it read and did not like: that it is no folder either.
const second = `(?s)accumulation err='(.*?)': must build at directory: '[^']*': file is not directory`

func dropRepetition(text string) string {
	text = replace(replace(text, repetitions, ""), second, "$1")
	if strings.HasPrefix(text, `"`) { // accumulateDirectory quotes what it wraps
		if plain, err := strconv.Unquote(text); err == nil {
			return dropRepetition(plain)
		}
	}
	return text
}

// yamlWords are words of errors of YAML libraries, some of which kustomize passes on without saying what they are of.
const yamlWords = `MalformedYAMLError|(?:^|[^.\w])yaml: |unknown anchor '|value contains itself|invalid map key: |` +
	"map merge requires map|cannot decode !!"

// IsYAML reports whether an error is one of a YAML library about a file. What kustomize says of a patch is not: that
// may be a list of operations.
func IsYAML(text string) bool {
	return regexp.MustCompile(yamlWords).MatchString(text) &&
		!strings.Contains(text, "unable to parse SM or JSON patch")
}

const (
	wayDown     = `(?:recursed accumulation of|recursed merging from|couldn't make target for) path '([^']*)'`
	brokenFile  = `(?s)MalformedYAMLError: yaml: (?:line (\d+): )?.* in File: (\S+)`
	absentFile  = `evalsymlink failure on '([^']*)' : .*(?:file does not exist|no such file or directory)$`
	repeatedKey = `mapping key ".*" already defined at line \d+`
	twice       = `already registered id: ([^.\s]+)\.\S*/(\S+)\.(\[noNs\]|[a-z0-9-]+)`
	patchedPath = `: "?(/[^\s:"]+)"?: [a-z ]+$`
	mentions    = `'([^']+)'|"([^"]+)"|path\(([^)]+)\)|\[([^\]]+)\]`
)

// Folder returns the folder of the last kustomization on the way down to where an error arose, or "".
func Folder(text string) string {
	down := regexp.MustCompile(wayDown).FindAllStringSubmatch(text, -1)
	if len(down) == 0 {
		return ""
	}
	return down[len(down)-1][1]
}

// AbsentFile returns the file that an error says is not there, or "".
func AbsentFile(text string) string {
	m := regexp.MustCompile(absentFile).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}

// Of returns an error by a text that is shown, with its cause: kustomize has no types for them.
func Of(text string) *render.BuildError {
	out := &render.BuildError{Text: text}
	switch {
	case strings.Contains(text, "unable to parse SM or JSON patch"):
		out.Cause = render.UnreadablePatch
	case strings.Contains(text, " operation does not apply"):
		out.Cause = render.PatchedPath
		if m := regexp.MustCompile(patchedPath).FindStringSubmatch(text); m != nil {
			out.Path = m[1]
		}
	case strings.Contains(text, "no resource matches strategic merge patch"):
		out.Cause = render.UnmatchedPatch
	case strings.Contains(text, "namespace transformation produces ID conflict"):
		out.Cause = render.NamespaceConflict
	}
	return out
}

// Twice returns the object that an error says is there already; "" for any other error. An object that names no
// namespace has "".
func Twice(text string) (kind, namespace, name string) {
	m := regexp.MustCompile(twice).FindStringSubmatch(text)
	if m == nil {
		return "", "", ""
	}
	if namespace = m[3]; namespace == "[noNs]" {
		namespace = ""
	}
	return m[1], namespace, m[2]
}

// IsRepeatedKey reports whether an error says that a mapping has a key twice.
func IsRepeatedKey(text string) bool { return regexp.MustCompile(repeatedKey).MatchString(text) }

// BrokenFile returns the file that an error says is no YAML, and the line there, or "".
func BrokenFile(text string) (file, line string) {
	m := regexp.MustCompile(brokenFile).FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	return m[2], m[1]
}

// Mentions lists the names in an error, the last first.
func Mentions(text string) []string {
	var out []string
	all := regexp.MustCompile(mentions).FindAllStringSubmatch(text, -1)
	for i := len(all) - 1; i >= 0; i-- {
		for _, name := range all[i][1:] {
			if len(name) > 2 {
				out = append(out, name)
			}
		}
	}
	return out
}
