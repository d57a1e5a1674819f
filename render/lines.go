package render

import (
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
	texts  map[string]*heads
	files  map[string]linedFile // in which a field was looked for
}

// NewLines reads files from system; nil is the disk.
func NewLines(system files.System) *Lines {
	return &Lines{system: files.OrDisk(system), texts: map[string]*heads{}, files: map[string]linedFile{}}
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
	h, known := l.texts[file]
	if !known {
		text, _ := l.system.ReadFile(filepath.FromSlash(file)) // a URL, or what is gone, has no lines
		h = newHeads(text)
		l.texts[file] = h
	}
	return h.line(kind, name)
}
