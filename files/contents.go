package files

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
)

// NewMemory returns a tree of files with these contents, by their paths with slashes. The contents are not copied.
func NewMemory(contents map[string][]byte) (*Memory, error) {
	u := &unpacking{
		limits: Limits{Entries: len(contents) * deepest},
		tree:   &Memory{nodes: map[string]*node{".": {name: ".", mode: fs.ModeDir | 0o755}}},
	}
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		rel, err := clean(name)
		if err == nil {
			u.tree.size += int64(len(contents[name]))
			err = u.put(rel, &node{name: path.Base(rel), mode: 0o644, data: contents[name]})
		}
		if err != nil {
			return nil, fmt.Errorf("make a tree of files: %w", err)
		}
	}
	u.list()
	return u.tree, nil
}
