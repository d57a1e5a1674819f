package files

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Proof is what shows that the disk answers questions as it did, and is found without reading: the states of files and
// folders, what is not there, and, for the rest, questions with their answers.
type Proof struct{ parts []part }

// part is a part of a proof.
type part struct {
	kind   partKind
	path   string // absolute, but for that of a question, which is as it was asked
	state  State
	method Method // of the question
	digest Digest // of its answer
}

type partKind byte

const (
	stateAt     partKind = iota // the state of what lies at the path
	stateBehind                 // the state of what a link at the path leads to
	nothingAt                   // there is nothing at the path
	noLinkTo                    // no link leads to the folder, or through it
	answerTo                    // the digest of the answer to a question
)

// Prover takes and checks proofs about the disk. It may be used from several goroutines.
type Prover struct {
	disk *Unlinked

	mu     sync.Mutex
	absent map[string]bool // what this run looked for
}

// NewProver returns a prover about the disk that others look at in the same run. What is found missing above the files
// of an application stays so in a run.
func NewProver(disk *Unlinked) *Prover {
	return &Prover{disk: disk, absent: map[string]bool{}}
}

// Take returns what shows later that the questions are answered as now. It proves answers that are taken after it,
// if it still holds then, and was Settled before.
func (p *Prover) Take(qs Questions) *Proof {
	t := newTaking(p)
	var rest Questions
	for _, q := range qs {
		if t.take(q) == noEvidence {
			rest = append(rest, q)
		}
	}
	return t.end(rest.Record(p.disk))
}

// Recorder returns a recorder of the disk that looks, before each answer, at what shows later that it still is one: see
// Recorder.Proof.
func (p *Prover) Recorder() *Recorder {
	r := NewRecorder(p.disk)
	r.taking, r.evidence = newTaking(p), map[Question]evidence{}
	return r
}

// taking is a proof that is being taken.
type taking struct {
	prover  *Prover
	out     Proof
	at      map[string]State // what lies there
	absent  []string
	folders []string // to which no link may lead
}

func newTaking(p *Prover) *taking { return &taking{prover: p, at: map[string]State{}} }

// end returns the proof, with the answers that follow from nothing else. Nothing is taken after it.
func (t *taking) end(rest Record) *Proof {
	t.direct()
	t.missing()
	for _, a := range rest {
		t.out.parts = append(t.out.parts, part{kind: answerTo, path: a.Path, method: a.Method, digest: a.Digest})
	}
	return &t.out
}

// evidence is what the answer to a question follows from.
type evidence byte

const (
	noEvidence evidence = iota // it can only be asked for again
	ofState
	ofAbsence // that nothing is there
)

// take takes the states from which the answer to a question follows.
func (t *taking) take(q Question) evidence {
	path, err := t.prover.disk.Abs(q.Path)
	if err != nil || filepath.Clean(q.Path) != q.Path {
		return noEvidence
	}
	out := ofState
	state, err := t.lookAt(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.absent, out = append(t.absent, path), ofAbsence
	case err != nil:
		return noEvidence
	case state.isLink() && q.Method != DescribingLink:
		if state, err = lookAt(path, true); err != nil || q.Method == Resolving {
			return noEvidence
		}
		t.out.parts = append(t.out.parts, part{kind: stateBehind, path: path, state: state})
	}
	switch {
	case q.Method == Resolving:
		if !t.prover.disk.isUnlinked(filepath.Dir(path)) {
			return noEvidence
		}
		t.folders = append(t.folders, filepath.Dir(path))
	case err == nil && q.Method == Reading && !state.isFile(), err == nil && q.Method == Listing && !state.isFolder():
		return noEvidence
	}
	return out
}

// lookAt returns the state of what lies at a path, and has it be a part of the proof.
func (t *taking) lookAt(path string) (State, error) {
	if s, known := t.at[path]; known {
		return s, nil
	}
	s, err := LookAt(path)
	if err == nil {
		t.at[path] = s
		t.out.parts = append(t.out.parts, part{kind: stateAt, path: path, state: s})
	}
	return s, err
}

// direct adds that no link leads to folders, as far as the states of these do not say so.
func (t *taking) direct() {
	added := map[string]bool{}
	for _, dir := range t.folders {
		for s, known := t.at[dir]; known && s.isFolder() && dir != filepath.Dir(dir); s, known = t.at[dir] {
			dir = filepath.Dir(dir)
		}
		if !added[dir] {
			added[dir] = true
			t.out.parts = append(t.out.parts, part{kind: noLinkTo, path: dir})
		}
	}
}

// missing adds what is not there, as far as the states of the folders around it do not say so.
func (t *taking) missing() {
	added := map[string]bool{}
	for _, path := range t.absent {
		if around, known := t.at[filepath.Dir(path)]; known && around.isFolder() || added[path] {
			continue
		}
		added[path] = true
		t.out.parts = append(t.out.parts, part{kind: nothingAt, path: path})
	}
}

// Settled reports whether all that the proof has states of was last changed before a time: what changes it later
// changes its state.
func (p *Proof) Settled(before time.Time) bool {
	for i := range p.parts {
		if one := &p.parts[i]; (one.kind == stateAt || one.kind == stateBehind) && !one.state.IsBefore(before) {
			return false
		}
	}
	return true
}

// Holds reports whether a proof is still one.
func (p *Prover) Holds(proof *Proof) bool {
	for i := range proof.parts {
		if !p.holds(&proof.parts[i]) {
			return false
		}
	}
	return true
}

// HoldsStill reports whether a proof that Append wrote is still one; false for bytes that it did not write.
func (p *Prover) HoldsStill(text []byte) bool {
	count, rest, ok := uvarint(text)
	var one part
	for before := ""; ok && count > 0; count-- {
		if rest, ok = one.parse(rest, before); ok {
			before, ok = one.path, p.holds(&one)
		}
	}
	return ok && len(rest) == 0
}

func (p *Prover) holds(one *part) bool {
	switch one.kind {
	case stateAt, stateBehind:
		state, err := lookAt(one.path, one.kind == stateBehind)
		return err == nil && state == one.state
	case nothingAt:
		return p.isAbsent(one.path)
	case noLinkTo:
		return p.disk.isUnlinked(one.path)
	}
	return Question{one.method, one.path}.Ask(p.disk) == one.digest
}

// isAbsent reports whether there is nothing at a path.
func (p *Prover) isAbsent(path string) bool {
	p.mu.Lock()
	known := p.absent[path]
	p.mu.Unlock()
	if known {
		return true
	}
	if _, err := LookAt(path); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.absent[path] = true
	return true
}

// Append appends the proof to a buffer, each path without what it shares with the one before. See HoldsStill.
func (p *Proof) Append(to []byte) []byte {
	to = binary.AppendUvarint(to, uint64(len(p.parts)))
	before := ""
	for i := range p.parts {
		one := &p.parts[i]
		to = append(to, byte(one.kind))
		to = appendPath(to, before, one.path)
		before = one.path
		switch one.kind {
		case stateAt, stateBehind:
			to = one.state.Append(to)
		case answerTo:
			to = append(to, byte(one.method))
			to = append(to, one.digest[:]...)
		}
	}
	return to
}

func (one *part) parse(from []byte, before string) (rest []byte, ok bool) {
	if len(from) == 0 || partKind(from[0]) > answerTo {
		return nil, false
	}
	one.kind = partKind(from[0])
	if one.path, from, ok = parsePath(from[1:], before); !ok {
		return nil, false
	}
	switch one.kind {
	case stateAt, stateBehind:
		one.state, from, ok = ParseState(from)
		return from, ok
	case answerTo:
		if len(from) < 1+len(one.digest) || Method(from[0]) > Resolving {
			return nil, false
		}
		one.method, one.digest = Method(from[0]), Digest(from[1:1+len(one.digest)])
		from = from[1+len(one.digest):]
	}
	return from, true
}

// appendPath appends a path without what it shares with the one before.
func appendPath(to []byte, before, path string) []byte {
	same := sharedPrefix(before, path)
	to = binary.AppendUvarint(to, uint64(same))
	to = binary.AppendUvarint(to, uint64(len(path)-same))
	return append(to, path[same:]...)
}

// parsePath reads what appendPath wrote.
func parsePath(from []byte, before string) (path string, rest []byte, ok bool) {
	var same, more uint64
	same, from, ok = uvarint(from)
	if ok {
		more, from, ok = uvarint(from)
	}
	if !ok || same > uint64(len(before)) || more > uint64(len(from)) {
		return "", nil, false
	}
	var out strings.Builder
	out.Grow(int(same + more))
	out.WriteString(before[:same])
	out.Write(from[:more])
	return out.String(), from[more:], true
}
