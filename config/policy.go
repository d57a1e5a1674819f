package config

import (
	"fmt"
	"path/filepath"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// policy is the operator's file: what every run on this machine may do.
type policy struct {
	given *Settings // what the file says; nothing else of it is set
	where map[string]diag.Position
}

func emptyPolicy() *policy { return &policy{given: New()} }

// loadPolicy reads the policy file, which must not lie in the tree at root, where whoever writes the application could
// write it: neither the file nor a folder or link on the way to it.
func loadPolicy(path, root string) (*policy, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("read policy: %w", err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, fmt.Errorf("read policy: %s: %w", path, files.Cause(err))
	}
	if files.Within(root, real) || passesThrough(root, abs) {
		return nil, fmt.Errorf("read policy: %s lies in the rendered tree %s, whose author is not to allow anything",
			path, root)
	}
	text, err := readSmall(files.Disk{}, real)
	if err != nil {
		return nil, fmt.Errorf("read policy: %s: %w", path, files.Cause(err))
	}
	p := emptyPolicy()
	if p.where, err = decode(text, real, InPolicy, p.given); err != nil {
		return nil, err
	}
	return p, nil
}

// passesThrough reports whether a part of path, which is absolute and can be resolved, lies in root.
func passesThrough(root, path string) bool {
	for at := path; at != filepath.Dir(at); at = filepath.Dir(at) {
		folder, err := filepath.EvalSymlinks(filepath.Dir(at))
		if err != nil || files.Within(root, filepath.Join(folder, filepath.Base(at))) {
			return true
		}
	}
	return false
}

// CheckPolicy returns what is wrong with the text of a policy file, as Resolve does: *diag.Error with its line, of
// several mistakes joined ones.
func CheckPolicy(text []byte, file string) error {
	_, err := decode(text, file, InPolicy, New())
	return err
}
