package objects

import (
	"bytes"
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest/typed"
)

// Cache has the objects of files that were parsed, by path: most files are the same in several states of a repository.
// Whoever takes objects from it shares them, and does not change them. Nil keeps nothing.
type Cache map[string]parsed

// parsed is what a text parses to.
type parsed struct {
	text    []byte
	objects *Objects
	err     error
}

// read is Read, which parses a text once.
func (c Cache) read(system files.System, path string) (*Objects, error) {
	text, err := readFile(system, path)
	if err != nil {
		return &Objects{Files: []string{path}}, err
	}
	return c.parse(text, path)
}

// parse is Parse, which parses a text once.
func (c Cache) parse(text []byte, path string) (*Objects, error) {
	if have, ok := c[path]; ok && bytes.Equal(have.text, text) {
		return have.objects, have.err
	}
	out, err := Parse(text, path)
	if c != nil {
		c[path] = parsed{text, out, err}
	}
	return out, err
}

// readFile reads a file.
func readFile(system files.System, path string) ([]byte, error) {
	text, err := files.OrDisk(system).ReadFile(path)
	if err != nil {
		err = diag.Input(diag.Position{File: path}, fmt.Errorf("read: %w", files.Cause(err)), "")
	}
	return text, err
}

// ReadReadable reads the objects of all manifests below a folder, as far as these can be read.
func (c Cache) ReadReadable(system files.System, dir string) (out []*Objects) {
	place, err := typed.Find(system, dir)
	if err != nil {
		return nil
	}
	for _, file := range place.Files {
		o := &Objects{Files: []string{file}}
		if text, err := readFile(system, file); err == nil && MayHold(text) {
			o, _ = c.parse(text, file)
		}
		out = append(out, o)
	}
	return out
}

// group is in the names of all groups of Flux, in front of a version, or in a label of a controller of its "name" or
// "namespace".
const group = ".fluxcd.io/"

// MayHold reports whether a text may hold objects, which is found without parsing it.
func MayHold(text []byte) bool {
	for {
		_, rest, found := bytes.Cut(text, []byte(group))
		if !found {
			return false
		}
		if !bytes.HasPrefix(rest, []byte("name")) {
			return true
		}
		text = rest
	}
}
