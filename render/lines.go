package render

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// Lines finds the line of an object in the file that it comes from, where only the file is known: a template, or what a
// kustomization changes on its way. It is where the object's kind stands, if that is in one place only, or in one place
// with the object's name; or where the name stands in a file that says no kind.
type Lines struct {
	system files.System
	texts  map[string][]byte
	files  map[string]linedFile // in which a field was looked for
}

// NewLines reads files from system; nil is the disk.
func NewLines(system files.System) *Lines {
	return &Lines{system: files.OrDisk(system), texts: map[string][]byte{}, files: map[string]linedFile{}}
}

// Of returns the line of an object that is written as findings do, "Kind namespace/name"; or 0.
func (l *Lines) Of(file, object string) int {
	kind, name, ok := strings.Cut(object, " ")
	if !ok {
		return 0
	}
	return l.find(file, kind, name[strings.LastIndexByte(name, '/')+1:])
}

// Complete returns a position in a file that has no line the line of its object, where that can be found.
func (l *Lines) Complete(pos diag.Position, object string) diag.Position {
	if pos.File != "" && pos.Line == 0 {
		if line := l.Of(pos.File, object); line > 0 {
			return diag.Position{File: pos.File, Line: line}
		}
	}
	return pos
}

func (l *Lines) find(file, kind, name string) int {
	text, known := l.texts[file]
	if !known {
		text, _ = l.system.ReadFile(filepath.FromSlash(file)) // a URL, or what is gone, has no lines
		l.texts[file] = text
	}
	line, found, only := 0, 0, 0
	var candidates []int
	for part := range bytes.Lines(text) {
		line++
		if field := bytes.TrimSpace(part); bytes.Equal(field, []byte("kind: "+kind)) ||
			bytes.Contains(part, []byte("kind: "+kind+",")) {
			candidates = append(candidates, line)
			found++
			only = line
		}
	}
	switch found {
	case 0:
		return lineOf(text, name)
	case 1:
		return only
	}
	return near(text, candidates, name)
}

// lineOf returns the line with the name, or with most of it, as a generator of a kustomization has it.
func lineOf(text []byte, name string) int {
	line, at, most := 0, 0, 0
	for part := range bytes.Lines(text) {
		line++
		value, ok := bytes.CutPrefix(bytes.TrimLeft(part, " -{"), []byte("name: "))
		word := strings.Trim(string(value), "\"' \r\n")
		switch {
		case !ok || word == "" || !strings.Contains(name, word) || len(word) < most:
		case len(word) == most:
			at = 0 // either
		default:
			at, most = line, len(word)
		}
	}
	return at
}

// near picks the candidate after which the name follows, or most of it, before the next candidate; 0 where several do.
func near(text []byte, candidates []int, name string) int {
	all := strings.Split(string(text), "\n")
	fits, most := 0, 0
	for i, at := range candidates {
		end := len(all)
		if i+1 < len(candidates) {
			end = candidates[i+1] - 1
		}
		for _, line := range all[at-1 : end] {
			if _, value, ok := strings.Cut(line, "name: "); ok {
				word := strings.Trim(strings.SplitN(value, ",", 2)[0], `"'{} `)
				switch {
				case word == "" || !strings.Contains(name, word) || len(word) < most:
				case len(word) == most:
					fits = 0 // either
				default:
					fits, most = at, len(word)
				}
				break
			}
		}
	}
	return fits
}
