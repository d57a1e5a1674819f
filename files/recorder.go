package files

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"strconv"
	"sync"
)

// Recorder shows the files of another system and records what it was asked and what it answered: also that a file is
// not there, and what a folder holds.
type Recorder struct {
	system System

	mu    sync.Mutex
	known map[Question]bool
	order Record

	taking   *taking // nil where no proof is taken
	evidence map[Question]evidence
}

var _ System = (*Recorder)(nil)

// NewRecorder returns a recorder of a system; nil is the disk.
func NewRecorder(system System) *Recorder {
	return &Recorder{system: OrDisk(system), known: map[Question]bool{}}
}

// Base returns the system that the recorder shows.
func (r *Recorder) Base() System { return r.system }

// Unrecorded returns the system that a recorder shows, and every other one as it is.
func Unrecorded(system System) System {
	if r, ok := system.(*Recorder); ok {
		return r.system
	}
	return system
}

// Record returns what was asked so far, in order.
func (r *Recorder) Record() Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append(Record(nil), r.order...)
}

// ReadFile records the content.
func (r *Recorder) ReadFile(path string) ([]byte, error) {
	q := r.before(Reading, path)
	b, err := r.system.ReadFile(path)
	r.add(q, err, func() Digest { return ofFile(b, err) })
	return b, err
}

// Stat records the name, what it is and the size.
func (r *Recorder) Stat(path string) (fs.FileInfo, error) {
	q := r.before(Describing, path)
	info, err := r.system.Stat(path)
	r.add(q, err, func() Digest { return ofInfo(info, err) })
	return info, err
}

// Lstat records the name, what it is and the size.
func (r *Recorder) Lstat(path string) (fs.FileInfo, error) {
	q := r.before(DescribingLink, path)
	info, err := r.system.Lstat(path)
	r.add(q, err, func() Digest { return ofInfo(info, err) })
	return info, err
}

// ReadDir records the names in the folder and what they are.
func (r *Recorder) ReadDir(path string) ([]fs.DirEntry, error) {
	q := r.before(Listing, path)
	entries, err := r.system.ReadDir(path)
	r.add(q, err, func() Digest { return ofFolder(entries, err) })
	return entries, err
}

// Real records where the path leads.
func (r *Recorder) Real(path string) (string, error) {
	q := r.before(Resolving, path)
	real, err := r.system.Real(path)
	r.add(q, err, func() Digest { return ofPath(real, err) })
	return real, err
}

// before returns a question that is answered next.
func (r *Recorder) before(method Method, path string) Question {
	q := Question{method, path}
	if r.taking == nil {
		return q
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, was := r.evidence[q]; !was {
		r.evidence[q] = r.taking.take(q)
	}
	return q
}

// Proof returns what shows that the disk answers as was recorded, where it holds and was Settled before the recorder
// was made; nil where the recorder takes none, or something appeared meanwhile. Nothing is asked after it.
func (r *Recorder) Proof() *Proof {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taking == nil {
		return nil
	}
	var rest Record
	for _, a := range r.order {
		switch r.evidence[a.Question] {
		case noEvidence:
			rest = append(rest, a)
		case ofAbsence:
			if !a.Failed {
				return nil
			}
		}
	}
	return r.taking.end(rest)
}

// add records an answer; a question that was asked before has the same one.
func (r *Recorder) add(q Question, err error, digest func() Digest) {
	r.mu.Lock()
	known := r.known[q]
	r.mu.Unlock()
	if known {
		return
	}
	a := Answer{Question: q, Failed: err != nil, Digest: digest()}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.known[q] {
		r.known[q] = true
		r.order = append(r.order, a)
	}
}

// Record is what a system was asked and answered, each question once.
type Record []Answer

// Answer is an answer of a system.
type Answer struct {
	Question
	Failed bool
	Digest Digest // of the answer, or of the error
}

// Digest is short for an answer: two of the same digest are the same.
type Digest [sha256.Size]byte

// Question is one question to a system.
type Question struct {
	Method Method
	Path   string
}

// Method is a method of System.
type Method byte

// The methods of System.
const (
	Reading        Method = iota // ReadFile
	Describing                   // Stat
	DescribingLink               // Lstat
	Listing                      // ReadDir
	Resolving                    // Real
)

// Holds reports whether a system answers the same: what a render returned that saw its files only through the
// recorder, it returns on that system too.
func (r Record) Holds(system System) bool {
	for _, a := range r {
		if a.Ask(system) != a.Digest {
			return false
		}
	}
	return true
}

// Ask returns the digest of a system's answer.
func (q Question) Ask(system System) Digest {
	switch q.Method {
	case Reading:
		return ofFile(system.ReadFile(q.Path))
	case Describing:
		return ofInfo(system.Stat(q.Path))
	case DescribingLink:
		return ofInfo(system.Lstat(q.Path))
	case Listing:
		return ofFolder(system.ReadDir(q.Path))
	}
	return ofPath(system.Real(q.Path))
}

func ofFile(b []byte, err error) Digest { return digest(ofError(err), b) }

func ofPath(path string, err error) Digest { return digest(ofError(err), []byte(path)) }

func ofInfo(info fs.FileInfo, err error) Digest {
	if err != nil {
		return digest(ofError(err))
	}
	size := info.Size()
	if info.IsDir() {
		size = 0 // which is the file system's business
	}
	return digest(nil, []byte(info.Name()), []byte(info.Mode().Type().String()), strconv.AppendInt(nil, size, 10))
}

func ofFolder(entries []fs.DirEntry, err error) Digest {
	parts := [][]byte{ofError(err)}
	for _, e := range entries {
		parts = append(parts, []byte(e.Name()), []byte(e.Type().String()))
	}
	return digest(parts...)
}

func ofError(err error) []byte {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return []byte("not there") // of which a disk and a tree have other words
	}
	return []byte(err.Error())
}

// digest hashes parts, each with its length in front.
func digest(parts ...[]byte) (d Digest) {
	h := sha256.New()
	for _, p := range parts {
		h.Write(binary.AppendUvarint(nil, uint64(len(p))))
		h.Write(p)
	}
	h.Sum(d[:0])
	return d
}
