package main

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/files"
)

// lines finds the line of an object in the file that it comes from, where only the file is known: a template, or what a kustomization
// changes on its way. It is where the object's kind stands, if that is in one place only, or in one place with the object's name.
type lines struct {
	system files.System
	texts  map[string][]byte
}

func newLines(system files.System) *lines {
	return &lines{system: files.Or(system), texts: map[string][]byte{}}
}

// of gives the line, or 0.
func (l *lines) of(file, kind, name string) int {
	text, known := l.texts[file]
	if !known {
		text, _ = l.system.ReadFile(filepath.FromSlash(file)) // a URL, or what is gone, has no lines
		l.texts[file] = text
	}
	line, found, only := 0, 0, 0
	var candidates []int
	for part := range bytes.Lines(text) {
		line++
		if field := bytes.TrimSpace(part); bytes.Equal(field, []byte("kind: "+kind)) || bytes.Contains(part, []byte("kind: "+kind+",")) {
			candidates = append(candidates, line)
			found++
			only = line
		}
	}
	if found == 1 {
		return only
	}
	return near(text, candidates, name)
}

// near picks the candidate after which the name follows first, among those where it does before the next candidate.
func near(text []byte, candidates []int, name string) int {
	all := strings.Split(string(text), "\n")
	fits := 0
	for i, at := range candidates {
		end := len(all)
		if i+1 < len(candidates) {
			end = candidates[i+1] - 1
		}
		for _, line := range all[at-1 : end] {
			if _, value, ok := strings.Cut(line, "name: "); ok {
				word := strings.Trim(strings.SplitN(value, ",", 2)[0], `"'{} `)
				if word != "" && strings.Contains(name, word) {
					if fits != 0 {
						return 0
					}
					fits = at
				}
				break
			}
		}
	}
	return fits
}

// place gives findings that know only their file the line of their object.
func (l *lines) place(found []diag.Finding) {
	for i := range found {
		f := &found[i]
		if f.File == "" || f.Line != 0 {
			continue
		}
		kind, name, ok := strings.Cut(f.Object, " ")
		if ok {
			f.Line = l.of(f.File, kind, name[strings.LastIndexByte(name, '/')+1:])
		}
	}
}

// compared gives what a comparison says of the new side the lines of its objects.
func (l *lines) compared(c *diff.Comparison) {
	name := func(n *diff.Name) {
		if n.File != "" && n.Line == 0 {
			n.Line = l.of(n.File, n.Kind, n.Name)
		}
	}
	for i := range c.Restarts {
		r := &c.Restarts[i]
		name(&r.Name)
		for k := range r.Causes {
			cause := &r.Causes[k]
			kind, object, ok := strings.Cut(cause.Object, " ")
			if !ok {
				kind, object = r.Kind, r.Name.Name
			}
			if cause.File != "" && cause.Line == 0 {
				cause.Line = l.of(cause.File, kind, object)
			}
		}
	}
	for i := range c.Quiet {
		name(&c.Quiet[i].Name)
	}
	for i := range c.Objects {
		name(&c.Objects[i].Name)
	}
	for i := range c.Edges {
		name(&c.Edges[i].Config)
		name(&c.Edges[i].Workload)
	}
	l.place(c.Findings)
}
