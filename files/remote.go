package files

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Remote is the system of another process. It asks each question once, so that system must not change meanwhile.
type Remote struct {
	ask func(question []byte) ([]byte, error)

	mu    sync.Mutex
	known map[Question]*once
	used  []int // numbers of answers that were sent ahead
}

// once is the answer to a question.
type once struct {
	sync.Once
	reply reply
	err   error

	sent   []byte // ahead; nil where it has to be asked for
	number int    // of those that were sent ahead
}

var _ System = (*Remote)(nil)

// NewRemote returns a system that asks another process, in which ReplyTo answers with the system that is there. It does
// not ask for what AnswerAhead has returned there.
func NewRemote(ask func(question []byte) ([]byte, error), ahead []byte) *Remote {
	return &Remote{ask: ask, known: decodeAhead(ahead)}
}

// ReadFile asks for a file.
func (r *Remote) ReadFile(path string) ([]byte, error) {
	a, err := r.answer(Question{Reading, path})
	return a, err
}

// Stat asks what lies behind links.
func (r *Remote) Stat(path string) (fs.FileInfo, error) { return r.info(Question{Describing, path}) }

// Lstat asks for the link itself.
func (r *Remote) Lstat(path string) (fs.FileInfo, error) {
	return r.info(Question{DescribingLink, path})
}

func (r *Remote) info(q Question) (fs.FileInfo, error) {
	a, err := r.answer(q)
	if err != nil {
		return nil, err
	}
	info := a.info()
	return info, nil
}

// ReadDir asks for a folder.
func (r *Remote) ReadDir(path string) ([]fs.DirEntry, error) {
	a, err := r.answer(Question{Listing, path})
	if err != nil {
		return nil, err
	}
	var out []fs.DirEntry
	for len(a) > 0 {
		e := remoteEntry{system: r, path: path}
		e.name, e.mode = a.text(), fs.FileMode(a.number())
		out = append(out, e)
	}
	return out, nil
}

// Real asks for the path behind links.
func (r *Remote) Real(path string) (string, error) {
	a, err := r.answer(Question{Resolving, path})
	return string(a), err
}

// answer returns what the other process answers.
func (r *Remote) answer(q Question) (reply, error) {
	r.mu.Lock()
	one := r.known[q]
	if one == nil {
		one = &once{}
		r.known[q] = one
	}
	r.mu.Unlock()
	one.Do(func() {
		b, err := one.sent, error(nil)
		if b != nil {
			r.use(one.number)
		} else if b, err = r.ask(q.encode()); err != nil {
			one.err = &fs.PathError{Op: "ask", Path: q.Path, Err: err}
			return
		}
		one.reply, one.err = decode(b)
	})
	return one.reply, one.err
}

// ReplyTo answers a question of a Remote.
func ReplyTo(system System, question []byte) []byte {
	if len(question) == 0 {
		return appendError(nil, fs.ErrInvalid)
	}
	path := string(question[1:])
	switch Method(question[0]) {
	case Reading:
		b, err := system.ReadFile(path)
		return encode(err, func(out []byte) []byte { return append(out, b...) })
	case Describing:
		info, err := system.Stat(path)
		return encode(err, func(out []byte) []byte { return appendInfo(out, info) })
	case DescribingLink:
		info, err := system.Lstat(path)
		return encode(err, func(out []byte) []byte { return appendInfo(out, info) })
	case Listing:
		entries, err := system.ReadDir(path)
		return encode(err, func(out []byte) []byte {
			for _, e := range entries {
				out = binary.AppendUvarint(appendText(out, e.Name()), uint64(e.Type()))
			}
			return out
		})
	}
	real, err := system.Real(path)
	return encode(err, func(out []byte) []byte { return append(out, real...) })
}

// The first byte of a reply.
const (
	isAnswer byte = iota
	isError
)

// encode returns the reply of an answer, or of its error.
func encode(err error, answer func([]byte) []byte) []byte {
	if err != nil {
		return appendError(nil, err)
	}
	return answer([]byte{isAnswer})
}

func decode(b []byte) (reply, error) {
	if len(b) == 0 {
		return nil, fs.ErrInvalid
	}
	a := reply(b[1:])
	if b[0] == isError {
		return nil, a.failure()
	}
	return a, nil
}

func appendText(out []byte, text string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(text))), text...)
}

func appendInfo(out []byte, info fs.FileInfo) []byte {
	out = binary.AppendUvarint(appendText(out, info.Name()), uint64(info.Mode()))
	out = binary.AppendVarint(out, info.Size())
	t := info.ModTime()
	if t.IsZero() {
		return append(out, 0)
	}
	return binary.AppendVarint(append(out, 1), t.UnixNano())
}

// appendError appends an error with what errors.Is finds in it: its number, or one of the package's own.
func appendError(out []byte, err error) []byte {
	var p *fs.PathError
	if !errors.As(err, &p) {
		p = &fs.PathError{Err: err}
	}
	var number syscall.Errno
	_ = errors.As(p.Err, &number) // 0 where it has none
	out = binary.AppendUvarint(append(out, isError), uint64(number))
	for _, text := range []string{p.Op, p.Path, p.Err.Error()} {
		out = appendText(out, text)
	}
	return out
}

// reply is what remains of an encoded answer. What is cut off reads as empty.
type reply []byte

func (r *reply) number() uint64 {
	n, size := binary.Uvarint(*r)
	*r = (*r)[max(0, size):]
	if size <= 0 {
		*r = nil
	}
	return n
}

func (r *reply) signed() int64 {
	n, size := binary.Varint(*r)
	*r = (*r)[max(0, size):]
	return n
}

func (r *reply) text() string { return string(r.bytes()) }

// bytes returns the next text, of which r keeps the memory.
func (r *reply) bytes() []byte {
	n := min(r.number(), uint64(len(*r)))
	text := (*r)[:n:n]
	*r = (*r)[n:]
	return text
}

func (r reply) info() *remoteInfo {
	i := &remoteInfo{}
	i.name, i.mode, i.size = r.text(), fs.FileMode(r.number()), r.signed()
	if len(r) > 0 && r[0] == 1 {
		r = r[1:]
		i.modified = time.Unix(0, r.signed())
	}
	return i
}

func (r reply) failure() error {
	number := syscall.Errno(r.number())
	p := &fs.PathError{Op: r.text(), Path: r.text()}
	switch text := r.text(); {
	case number != 0:
		p.Err = number
	case text == ErrIrregular.Error():
		p.Err = ErrIrregular
	case text == fs.ErrInvalid.Error():
		p.Err = fs.ErrInvalid
	case text == fs.ErrNotExist.Error():
		p.Err = fs.ErrNotExist
	default:
		p.Err = errors.New(text)
	}
	if p.Op == "" {
		return p.Err
	}
	return p
}

// remoteInfo describes a file of another process's system.
type remoteInfo struct {
	name     string
	size     int64
	mode     fs.FileMode
	modified time.Time
}

func (i *remoteInfo) Name() string       { return i.name }
func (i *remoteInfo) Size() int64        { return i.size }
func (i *remoteInfo) Mode() fs.FileMode  { return i.mode }
func (i *remoteInfo) ModTime() time.Time { return i.modified }
func (i *remoteInfo) IsDir() bool        { return i.mode.IsDir() }
func (i *remoteInfo) Sys() any           { return nil }

// remoteEntry is an entry of a folder, which is described only when somebody asks.
type remoteEntry struct {
	system *Remote
	path   string // of the folder
	name   string
	mode   fs.FileMode
}

func (e remoteEntry) Name() string      { return e.name }
func (e remoteEntry) IsDir() bool       { return e.mode.IsDir() }
func (e remoteEntry) Type() fs.FileMode { return e.mode }
func (e remoteEntry) Info() (fs.FileInfo, error) {
	return e.system.Lstat(filepath.Join(e.path, e.name))
}
