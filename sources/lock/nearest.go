package lock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/sources"
)

// Nearest reads the lock that is in force at a place; nil where there is none.
func Nearest(at config.Place) (*File, error) {
	path, err := at.Nearest(FileName)
	if err != nil {
		return nil, diag.Usage(err, "")
	}
	if path == "" {
		return nil, nil
	}
	file, err := Load(path, files.Or(at.Files))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return file, err
}

// InForce takes what the lock holds that is in force at a place. It is read when something is asked for.
type InForce struct{ Place config.Place }

var _ sources.Outside = InForce{}

// Resolve gives what the lock holds, without asking anybody.
func (l InForce) Resolve(ctx context.Context, refs []sources.Ref) ([]sources.Answer, error) {
	file, err := Nearest(l.Place)
	if err != nil {
		return nil, err
	}
	if file == nil {
		err := fmt.Errorf("look up %s: there is no %s from here up to %s", refs[0].ID(), FileName, l.Place.Root)
		return nil, diag.Input(diag.Position{File: l.Place.Dir}, err, "Make one with 'rollstamp lock' and commit it.")
	}
	return file.Resolve(ctx, refs)
}
