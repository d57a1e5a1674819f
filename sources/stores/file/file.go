// Package file answers for values that lie on this machine, for tests and small teams: files below a folder, or
// variables of the environment.
package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

// maxValue is the size of the largest value that is read.
const maxValue = 8 << 20

// Folder is a folder in which each file is a value, named by its key.
type Folder struct {
	Path   string
	Values bool // whether values may be read
}

// OpenFolder returns what answers from a folder.
func OpenFolder(t *stores.Target) (sources.Versions, error) {
	return Folder{Path: t.Fields["path"], Values: t.ReadValues()}, nil
}

// Version returns the value. What stands above the folder, or behind links out of it, is out of reach.
func (f Folder) Version(_ context.Context, ref sources.Ref) (sources.Answer, error) {
	if err := plain(ref, f.Values); err != nil {
		return sources.Answer{}, err
	}
	root, err := os.OpenRoot(f.Path)
	if err != nil {
		return sources.Answer{}, sources.Fail(sources.Unavailable, "folder")
	}
	defer func() { _ = root.Close() }() // nothing was written
	file, err := root.Open(strings.TrimPrefix(ref.Key, "/"))
	if err != nil {
		return sources.Answer{}, failure(err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxValue+1))
	switch {
	case err != nil:
		return sources.Answer{}, failure(err)
	case len(text) > maxValue:
		return sources.Answer{}, sources.Fail(sources.TooLarge, "")
	}
	value, err := stores.Property(text, ref.Property)
	return sources.Answer{Value: value}, err
}

// Variables are those of the environment whose names begin with Prefix, and go on with the key.
type Variables struct {
	Prefix string
	Lookup func(name string) (string, bool)
	Values bool // whether values may be read
}

// OpenVariables returns what answers from the environment.
func OpenVariables(t *stores.Target) (sources.Versions, error) {
	return Variables{Prefix: t.Fields["prefix"], Lookup: config.OperatorVariable, Values: t.ReadValues()}, nil
}

// Version returns the value.
func (v Variables) Version(_ context.Context, ref sources.Ref) (sources.Answer, error) {
	if err := plain(ref, v.Values); err != nil {
		return sources.Answer{}, err
	}
	text, set := v.Lookup(v.Prefix + ref.Key)
	if !set {
		return sources.Answer{}, sources.Fail(sources.NotFound, "")
	}
	value, err := stores.Property([]byte(text), ref.Property)
	return sources.Answer{Value: value}, err
}

// plain refuses what files and variables cannot answer.
func plain(ref sources.Ref, values bool) error {
	switch {
	case !values:
		return sources.Fail(sources.NoVersions, "")
	case ref.Find != nil:
		return sources.Fail(sources.Unsupported, "search")
	case ref.Version != "":
		return sources.Fail(sources.Unsupported, "version")
	case ref.Key == "":
		return sources.Fail(sources.Refused, "key")
	}
	return nil
}

func failure(err error) *sources.Failure {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return sources.Fail(sources.NotFound, "")
	case errors.Is(err, fs.ErrPermission):
		return sources.Fail(sources.NoPermit, "")
	}
	return sources.Fail(sources.Refused, "key")
}
