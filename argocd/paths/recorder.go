// Package paths records which paths a render reads, and writes them as the annotation by which Argo CD decides whether a commit concerns an
// application, and what of its repository a plugin gets.
package paths

import (
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/rollstamp/rollstamp/files"
)

// Recorder shows the files of another system and notes what is read of them.
type Recorder struct {
	files.System

	mu      sync.Mutex
	read    map[string]bool
	listed  map[string]bool
	missing map[string]bool
}

// Record notes what is read of a system; nil is the disk.
func Record(system files.System) *Recorder {
	return &Recorder{System: files.OrDisk(system), read: map[string]bool{}, listed: map[string]bool{}, missing: map[string]bool{}}
}

// ReadFile notes the file.
func (r *Recorder) ReadFile(path string) ([]byte, error) {
	text, err := r.System.ReadFile(path)
	if err == nil {
		r.note(r.read, path)
	}
	return text, err
}

// ReadDir notes the folder: what comes into it later may change the render.
func (r *Recorder) ReadDir(path string) ([]fs.DirEntry, error) {
	entries, err := r.System.ReadDir(path)
	if err == nil {
		r.note(r.listed, path)
	}
	return entries, err
}

// Real notes the links on the way: they may lead elsewhere later.
func (r *Recorder) Real(path string) (string, error) {
	real, err := r.System.Real(path)
	if err == nil && filepath.IsAbs(path) && real != filepath.Clean(path) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if info, err := r.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			r.read[filepath.Clean(path)] = true
		}
	}
	return real, err
}

func (r *Recorder) note(in map[string]bool, path string) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	real, err := r.System.Real(path)
	r.mu.Lock()
	defer r.mu.Unlock()
	in[filepath.Clean(path)] = true
	if err == nil {
		in[real] = true
	}
}
