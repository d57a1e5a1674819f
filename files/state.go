package files

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"time"
)

// State is what the system says of a file without reading it. Whatever writes to a file, or to a folder's list of
// names, changes it, also where size and time of the last change are set back.
type State struct {
	Device, Inode    uint64
	Mode             uint32
	Size             int64
	Written, Changed int64 // in nanoseconds; Changed is when anything of it changed, names and modes among it
}

// How finely systems measure times: a file may be written to twice at what they take for one time.
const (
	fineTick   = 100 * time.Millisecond // with a fraction of a second: ticks of the kernel, some milliseconds each
	coarseTick = 2100 * time.Millisecond
)

// IsBefore reports whether the file was last changed before a time, so that each later change gives it another state.
func (s State) IsBefore(t time.Time) bool {
	tick := fineTick
	if s.Written%int64(time.Second) == 0 && s.Changed%int64(time.Second) == 0 {
		tick = coarseTick
	}
	return max(s.Written, s.Changed) < t.Add(-tick).UnixNano()
}

// LookAt returns the state of what lies at a path, a link among it. The error is that there is nothing, or that the
// system says too little.
func LookAt(path string) (State, error) { return lookAt(path, false) }

// Exists reports whether there is something at a path of a system, be it a link; nil is the disk. The error is Lstat's,
// where that is not known. A run over many applications looks for much that is not there, and of the disk this takes
// less than an error of Lstat does.
func Exists(system System, path string) (bool, error) {
	system = OrDisk(system)
	if _, isDisk := system.(Disk); isDisk {
		if _, err := LookAt(path); err == nil || errors.Is(err, fs.ErrNotExist) {
			return err == nil, nil
		}
	}
	_, err := system.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// IsFile reports whether it is the state of a file with a content.
func (s State) IsFile() bool { return s.isFile() }

// IsOf reports whether it is the state of the same file with the same content, perhaps under another name.
func (s State) IsOf(other State) bool {
	s.Changed = other.Changed
	return s == other
}

// Append appends the state to a buffer.
func (s State) Append(to []byte) []byte {
	for _, n := range [...]uint64{s.Device, s.Inode, uint64(s.Mode), uint64(s.Size)} {
		to = binary.AppendUvarint(to, n)
	}
	return binary.AppendVarint(binary.AppendVarint(to, s.Written), s.Changed-s.Written)
}

// ParseState reads what Append wrote, and returns what follows it.
func ParseState(from []byte) (s State, rest []byte, ok bool) {
	var n [4]uint64
	for i := range n {
		if n[i], from, ok = uvarint(from); !ok {
			return State{}, nil, false
		}
	}
	s = State{Device: n[0], Inode: n[1], Mode: uint32(n[2]), Size: int64(n[3])}
	for _, t := range [...]*int64{&s.Written, &s.Changed} {
		v, size := binary.Varint(from)
		if size <= 0 {
			return State{}, nil, false
		}
		*t, from = v, from[size:]
	}
	s.Changed += s.Written
	return s, from, true
}
