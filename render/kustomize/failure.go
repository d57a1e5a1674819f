package kustomize

import (
	"errors"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// failure turns an error of kustomize into ours: one line, without what it repeats and without values, at a position.
func (t *tree) failure(err error) error {
	text := t.overlay.plain(err.Error())
	down := regexp.MustCompile(wayDown).FindAllStringSubmatch(text, -1)
	pos := t.place(down, dropRepetition(dropDumps(text)))
	return diag.Input(pos, errors.New(t.calm(err, nil)), "")
}

// calm returns an error of kustomize in one line and without values, those in a text of resources included.
func (t *tree) calm(err error, resources []byte) string {
	text := dropRepetition(dropDumps(t.overlay.plain(err.Error())))
	secrets := t.secrets()
	secrets.addText(string(resources))
	return strings.TrimSuffix(oneLine(secrets.mask(text)), ":")
}

// dumps are the places where kustomize puts objects, configurations or lines of files into an error. They may hold the
// values of Secrets, and nobody can read them anyway.
var dumps = [...]struct{ pattern, instead string }{
	{"(?s) with config: `.*`", ""},
	{`(?s)merging from generator .*\}: `, "merging from generator: "},
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
	{`id resid\.ResId\{Gvk:resid\.Gvk\{Group:"[^"]*", Version:"[^"]*", Kind:"([^"]*)", isClusterScoped:\w+\}, Name:"([^"]*)", Namespace:"[^"]*"\}`, `$1 "$2"`},
	{"(?s)(cannot unmarshal !!\\w+) `.*?`", "$1"},
	{`(?s)(validator shouldn't modify the resource map).*`, "$1"},
	{`(?s)found multiple objects .* that could accept merge of `, "found multiple objects that could accept merge of "},
}

func dropDumps(text string) string {
	for _, d := range dumps {
		text = replace(text, d.pattern, d.instead)
	}
	return text
}

// replace compiles its pattern when it is needed, which is when a build has failed: a process that renders pays for none.
func replace(text, pattern, instead string) string {
	return regexp.MustCompile(pattern).ReplaceAllString(text, instead)
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

const (
	wayDown    = `(?:recursed accumulation of|recursed merging from|couldn't make target for) path '([^']*)'`
	brokenFile = `MalformedYAMLError: yaml: line (\d+): .* in File: (\S+)`
	mentions   = `'([^']+)'|"([^"]+)"|path\(([^)]+)\)|\[([^\]]+)\]`
)

// place finds out where an error of kustomize arose: the last kustomization on the way down, and the line there that
// holds the last name that the error mentions; or the broken file itself.
func (t *tree) place(down [][]string, text string) diag.Position {
	dir := t.app
	if len(down) > 0 {
		dir = down[len(down)-1][1]
	}
	k := t.kusts[dir]
	if k == nil {
		return diag.Position{File: t.shown(dir)}
	}
	if m := regexp.MustCompile(brokenFile).FindStringSubmatch(text); m != nil {
		return diag.Position{File: t.shown(filepath.Join(dir, m[2])), Line: t.lineOf(filepath.Join(dir, m[2]), m[1])}
	}
	all := regexp.MustCompile(mentions).FindAllStringSubmatch(text, -1)
	for i := len(all) - 1; i >= 0; i-- {
		for _, name := range all[i][1:] {
			if line := k.line(name); line > 0 && len(name) > 2 {
				return diag.Position{File: k.shown, Line: line}
			}
		}
	}
	return diag.Position{File: k.shown}
}

// lineOf trusts a line number of kustomize, which counts from the document's start, in files of one document only.
func (t *tree) lineOf(file, number string) int {
	b, err := t.ReadFile(file)
	if err != nil || strings.Contains(string(b), "\n---") {
		return 0
	}
	line, _ := strconv.Atoi(number)
	return line
}
