package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/fleet/index"
	"github.com/rollstamp/rollstamp/flux/publish"
)

// ignoredFiles are the files of an output folder that no Kustomization of Flux is to apply, though they lie there: what
// helm-controller renders, and what another cluster gets. Nil has none.
type ignoredFiles struct {
	file      string
	have      publish.Ignored
	published map[string]bool // by the file of an application of the run
}

// ignored returns the ignored files of an output folder.
func (o *outputFolder) ignored() (*ignoredFiles, error) {
	s, ok := o.source.(*publish.Source)
	if !ok {
		return nil, nil
	}
	places, err := o.layout().Places(o.run.Dir, o.run.Names)
	if err != nil {
		return nil, err
	}
	out := &ignoredFiles{file: filepath.Join(o.run.Dir, publish.IgnoreFile), published: map[string]bool{}}
	if out.have, err = readIgnored(o.run.Dir); err != nil {
		return nil, err
	}
	for i, name := range o.run.Names {
		if len(s.Objects(name)) == 0 || !o.layout().Accepts(name) {
			continue // it failed, and has no file
		}
		file, err := filepath.Rel(o.run.Dir, places[i])
		if err != nil {
			return nil, diag.Input(diag.Position{File: places[i]}, err, "")
		}
		out.published[filepath.ToSlash(file)] = s.IsPublished(name)
	}
	return out, nil
}

// readIgnored reads the ignore file of an output folder; the zero one where there is none.
func readIgnored(dir string) (publish.Ignored, error) {
	at := filepath.Join(dir, publish.IgnoreFile)
	text, err := os.ReadFile(at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return publish.Ignored{}, diag.Input(diag.Position{File: at}, fmt.Errorf("read: %w", files.Cause(err)), "")
	}
	return publish.ReadIgnored(text), nil
}

// joinIgnored has a folder that was joined of others leave out of what Flux applies what they leave out.
func joinIgnored(dir string, parts []string) error {
	have, err := readIgnored(dir)
	if err != nil {
		return err
	}
	out := &ignoredFiles{file: filepath.Join(dir, publish.IgnoreFile), have: have, published: map[string]bool{}}
	for _, part := range parts {
		listed, err := index.Read(part)
		if err != nil {
			return err
		}
		for _, file := range listed.Files() {
			out.published[file] = true
		}
	}
	for _, part := range parts {
		ignored, err := readIgnored(part)
		if err != nil {
			return err
		}
		for _, file := range ignored.Files() {
			out.published[file] = false
		}
	}
	return out.write()
}

// isStale reports whether Flux would apply a file that is to be ignored, or ignore another one.
func (i *ignoredFiles) isStale() bool { return i != nil && !i.have.Covers(i.published) }

// write writes the file that has Flux ignore them.
func (i *ignoredFiles) write() error {
	if i == nil {
		return nil
	}
	after := i.have.With(i.published, func(file string) bool {
		_, err := os.Lstat(filepath.Join(filepath.Dir(i.file), filepath.FromSlash(file)))
		return err == nil
	})
	switch text := after.Text(); {
	case text == i.have.Text():
		return nil
	case text == "":
		if err := os.Remove(i.file); err != nil {
			return diag.Input(diag.Position{File: i.file}, fmt.Errorf("remove: %w", files.Cause(err)), "")
		}
		return nil
	default:
		_, err := fleet.WriteFile(i.file, bytes.NewBufferString(text))
		return err
	}
}
