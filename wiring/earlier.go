package wiring

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
)

// WithEarlier returns a source whose applications know what was rendered into their files before.
func WithEarlier(source app.Source) app.Source { return earlierSource{source} }

type earlierSource struct{ app.Source }

// Application returns the one of a name.
func (s earlierSource) Application(ctx context.Context, name string) (*app.Application, error) {
	a, err := s.Source.Application(ctx, name)
	if err != nil {
		return nil, err
	}
	return a.WithEarlier(EarlierIn(a.File())), nil
}

// EarlierIn returns what reads the manifests that were rendered into a file before: as the last commit has it, because
// that is what is applied; where no commit has it, as it lies there.
func EarlierIn(file string) func(context.Context) (app.Earlier, error) {
	return func(context.Context) (app.Earlier, error) {
		if text := Committed(file); text != nil {
			return app.Earlier{Text: text}, nil
		}
		text, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("read what was rendered before: %w", files.Cause(err))
			return app.Earlier{}, diag.Input(diag.Position{File: file}, err, "")
		}
		return app.Earlier{Text: text}, nil
	}
}

// Committed returns a file as the last commit of its repository has it; nil where there is none.
func Committed(file string) []byte {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil
	}
	repo, err := git.Open(filepath.Dir(path))
	if err != nil {
		return nil
	}
	defer func() { _ = repo.Close() }() // it was only read
	name, within := files.Rel(repo.Top, path)
	if !within || repo.Bare {
		return nil
	}
	head, err := repo.Tree("HEAD")
	if err != nil {
		return nil
	}
	text, err := head.ReadFile(filepath.ToSlash(name))
	if err != nil {
		return nil
	}
	return text
}
