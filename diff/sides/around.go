package sides

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/protect"
)

// lookAround notes of applications that could not be rendered on one of the sides which of the names, those of all
// applications of the new side, they look objects up in: what changes there they may read, whatever its namespace.
func (b both) lookAround(names []string, from, to []*rendered) {
	for i := range to {
		if to[i].Err == nil && from[i].Err == nil {
			continue
		}
		var around []string
		for _, side := range []*rendered{to[i], from[i]} {
			if side.from != nil {
				around = append(around, config.Strings(side.from.Settings().Context.Value)...)
			}
		}
		for _, name := range names {
			if name != to[i].Name && isAround(around, b.to.list.Path(name)) {
				to[i].Around = append(to[i].Around, name)
			}
		}
	}
}

// isAround reports whether one of the folders has the path in it, or lies in it.
func isAround(folders []string, path string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	for _, folder := range folders {
		if folder, err := filepath.Abs(folder); err == nil && (files.Within(folder, path) || files.Within(path, folder)) {
			return true
		}
	}
	return false
}

// namer returns what returns the name of the one application of the new side whose source is a folder, and "" for a
// name.
func (b both) namer(ctx context.Context) (func(folder string) string, error) {
	names, err := b.to.list.Names(ctx)
	if err != nil {
		return nil, err
	}
	type lookup struct {
		names  map[string]bool
		folder map[string]string
	}
	known := sync.OnceValue(func() lookup {
		all := lookup{setOf(names), make(map[string]string, len(names))}
		for _, name := range names {
			folder := b.abs(b.to.list.Path(name))
			if _, isShared := all.folder[folder]; isShared {
				name = ""
			}
			all.folder[folder] = name
		}
		return all
	})
	return func(folder string) string {
		if known().names[folder] {
			return ""
		}
		return known().folder[b.abs(folder)]
	}, nil
}

// describing returns the objects that describe the applications of each side, whichever part of a run they are in.
func (b both) describing(ctx context.Context) (before, after []string, err error) {
	for _, side := range []struct {
		list *inventory.Source
		into *[]string
	}{{b.from.list, &before}, {b.to.list, &after}} {
		names, err := side.list.Names(ctx)
		if err != nil {
			return nil, nil, err
		}
		for _, name := range names {
			*side.into = append(*side.into, side.list.Objects(name)...)
		}
	}
	return before, after, nil
}

// known is what a comparison knows besides what the applications of both sides render.
type known struct {
	unread        unreadFiles
	approved      protect.Approvals
	nameOf        func(folder string) string
	before, after []string // the objects that describe applications, in whichever part of the run these are
}

// lookAround notes what is known of the applications of all parts, for one of them.
func (k *known) lookAround(ctx context.Context, b both, isPart bool) (err error) {
	if k.nameOf, err = b.namer(ctx); err == nil && isPart {
		k.before, k.after, err = b.describing(ctx)
	}
	return err
}
