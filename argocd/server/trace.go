package server

import (
	"io/fs"
	"strconv"
	"sync"

	"github.com/rollstamp/rollstamp/files"
)

// trace is a tree of files that remembers what it was asked, and what it answered: also that a file is not there, and what a folder
// holds. A render that saw a tree only through it returns the same on every tree that answers the same.
type trace struct {
	system files.System

	mu    sync.Mutex
	known map[question]key // the answers' digests
	order []question
}

var _ files.System = (*trace)(nil)

type question struct {
	method byte
	path   string
}

// The methods of files.System.
const (
	readFile byte = iota
	stat
	lstat
	readDir
	realPath
)

func newTrace(system files.System) *trace { return &trace{system: system, known: map[question]key{}} }

// record returns what was asked so far, in order.
func (t *trace) record() record {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := make(record, len(t.order))
	for i, q := range t.order {
		r[i] = asked{q, t.known[q]}
	}
	return r
}

// record is what a tree was asked and answered.
type record []asked

type asked struct {
	question
	answer key
}

// cost is about what the record weighs.
func (r record) cost() (n int64) {
	const each = 64
	for _, q := range r {
		n += each + int64(len(q.path))
	}
	return n
}

// holds reports whether a tree gives the same answers.
func (r record) holds(system files.System) bool {
	for _, q := range r {
		if q.ask(system) != q.answer {
			return false
		}
	}
	return true
}

// ask returns the digest of an answer.
func (q question) ask(system files.System) key {
	switch q.method {
	case readFile:
		return ofFile(system.ReadFile(q.path))
	case stat:
		return ofInfo(system.Stat(q.path))
	case lstat:
		return ofInfo(system.Lstat(q.path))
	case readDir:
		return ofFolder(system.ReadDir(q.path))
	}
	return ofPath(system.Real(q.path))
}

// note remembers an answer; a question that was asked before has the same one.
func (t *trace) note(method byte, path string, answer func() key) {
	q := question{method, path}
	t.mu.Lock()
	_, asked := t.known[q]
	t.mu.Unlock()
	if asked {
		return
	}
	k := answer()
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, asked := t.known[q]; !asked {
		t.known[q] = k
		t.order = append(t.order, q)
	}
}

func (t *trace) ReadFile(path string) ([]byte, error) {
	b, err := t.system.ReadFile(path)
	t.note(readFile, path, func() key { return ofFile(b, err) })
	return b, err
}

func (t *trace) Stat(path string) (fs.FileInfo, error) {
	info, err := t.system.Stat(path)
	t.note(stat, path, func() key { return ofInfo(info, err) })
	return info, err
}

func (t *trace) Lstat(path string) (fs.FileInfo, error) {
	info, err := t.system.Lstat(path)
	t.note(lstat, path, func() key { return ofInfo(info, err) })
	return info, err
}

func (t *trace) ReadDir(path string) ([]fs.DirEntry, error) {
	entries, err := t.system.ReadDir(path)
	t.note(readDir, path, func() key { return ofFolder(entries, err) })
	return entries, err
}

func (t *trace) Real(path string) (string, error) {
	real, err := t.system.Real(path)
	t.note(realPath, path, func() key { return ofPath(real, err) })
	return real, err
}

func ofFile(b []byte, err error) key { return digest(ofError(err), b) }

func ofPath(path string, err error) key { return digest(ofError(err), []byte(path)) }

func ofInfo(info fs.FileInfo, err error) key {
	if err != nil {
		return digest(ofError(err))
	}
	return digest(nil, []byte(info.Name()), []byte(info.Mode().String()), strconv.AppendInt(nil, info.Size(), 10))
}

func ofFolder(entries []fs.DirEntry, err error) key {
	parts := [][]byte{ofError(err)}
	for _, e := range entries {
		parts = append(parts, []byte(e.Name()), []byte(e.Type().String()))
	}
	return digest(parts...)
}

func ofError(err error) []byte {
	if err == nil {
		return nil
	}
	return []byte(err.Error())
}
