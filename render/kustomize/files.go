package kustomize

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/rollstamp/rollstamp/files"
)

// asKustomize shows files in kustomize's way. The disk is kustomize's own.
func asKustomize(system files.System) filesys.FileSystem {
	if _, disk := system.(files.Disk); disk {
		return filesys.MakeFsOnDisk()
	}
	return readOnly{filesys.MakeEmptyDirInMemory(), system}
}

// readOnly answers from a system of files. What it embeds is empty, and only there for what a build never asks:
// everything that writes is refused by the tree above.
type readOnly struct {
	filesys.FileSystem
	system files.System
}

// ReadFile reads a file.
func (r readOnly) ReadFile(path string) ([]byte, error) { return r.system.ReadFile(path) }

// IsDir reports whether path leads to a folder.
func (r readOnly) IsDir(path string) bool {
	info, err := r.system.Stat(path)
	return err == nil && info.IsDir()
}

// Exists reports whether path leads to anything.
func (r readOnly) Exists(path string) bool {
	_, err := r.system.Stat(path)
	return err == nil
}

// ReadDir lists the names in a folder.
func (r readOnly) ReadDir(path string) ([]string, error) {
	entries, err := r.system.ReadDir(path)
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// CleanedAbs returns the folder without links, and the name of the file in it, or "" where path is a folder.
func (r readOnly) CleanedAbs(path string) (filesys.ConfirmedDir, string, error) {
	abs, err := filepath.Abs(path)
	if err == nil {
		abs, err = r.system.Real(abs)
	}
	if err != nil {
		return "", "", fmt.Errorf("evalsymlink failure on '%s' : %w", path, err) // kustomize's words
	}
	if r.IsDir(abs) {
		return filesys.ConfirmedDir(abs), "", nil
	}
	return filesys.ConfirmedDir(filepath.Dir(abs)), filepath.Base(abs), nil
}

// Glob returns the paths that fit a pattern.
func (r readOnly) Glob(pattern string) ([]string, error) { return files.Glob(r.system, pattern) }

// Walk visits every file and folder below path, without following links.
func (r readOnly) Walk(path string, visit filepath.WalkFunc) error {
	info, err := r.system.Lstat(path)
	if err != nil {
		err = visit(path, nil, err)
	} else {
		err = r.walk(path, info, visit)
	}
	if errors.Is(err, filepath.SkipDir) || errors.Is(err, filepath.SkipAll) {
		return nil
	}
	return err
}

func (r readOnly) walk(path string, info fs.FileInfo, visit filepath.WalkFunc) error {
	err := visit(path, info, nil)
	if err != nil || !info.IsDir() {
		if errors.Is(err, filepath.SkipDir) && info.IsDir() {
			return nil
		}
		return err
	}
	entries, err := r.system.ReadDir(path)
	if err != nil {
		return visit(path, info, err)
	}
	for _, e := range entries {
		below := filepath.Join(path, e.Name())
		info, err := r.system.Lstat(below)
		if err != nil {
			err = visit(below, nil, err)
		} else {
			err = r.walk(below, info, visit)
		}
		if errors.Is(err, filepath.SkipDir) {
			break
		}
		if err != nil {
			return err
		}
	}
	return nil
}
