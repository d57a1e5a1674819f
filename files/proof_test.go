//go:build linux

package files_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/files"
)

// provable is a tree on the disk, with all that a render may ask of it.
type provable struct {
	t      *testing.T
	random *rand.Rand
	top    string
}

var (
	provablePaths = []string{"a", "a/file", "a/other", "a/none", "a/link", "a/away", "a/b", "a/b/file", "a/b/none/more",
		"link", "link/file", "link/b/file", "c", "c/file"}
	provableTexts = []string{"one", "two", "three", ""}
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// roundsAndSeed returns how often something random is done, and what decides it: ROLLSTAMP_ROUNDS and ROLLSTAMP_SEED.
func roundsAndSeed(rounds int) (int, uint64) {
	if n, err := strconv.Atoi(os.Getenv("ROLLSTAMP_ROUNDS")); err == nil {
		rounds = n
	}
	seed, _ := strconv.ParseUint(os.Getenv("ROLLSTAMP_SEED"), 10, 64)
	return rounds, seed
}

// newProvable returns a tree in the working folder.
func newProvable(t *testing.T, seed uint64) *provable {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(top)
	for _, path := range []string{"a/file", "a/b/file", "c/file"} {
		write(t, path, "one")
	}
	return &provable{t: t, random: rand.New(rand.NewPCG(seed, 7)), top: top}
}

// questions returns all that is asked about the tree.
func (p *provable) questions() (qs files.Questions) {
	for _, path := range provablePaths {
		for m := files.Reading; m <= files.Resolving; m++ {
			qs = append(qs, files.Question{Method: m, Path: path}, files.Question{Method: m, Path: filepath.Join(p.top, path)})
		}
	}
	return qs
}

// settle waits until what changes now gets another time than what changed last.
func (p *provable) settle(proof func() *files.Proof) *files.Proof {
	for deadline := time.Now().Add(20 * time.Second); ; {
		now := time.Now()
		if taken := proof(); taken.Settled(now) {
			return taken
		}
		if now.After(deadline) {
			p.t.Fatal("the files stay new")
		}
		<-time.After(10 * time.Millisecond) // what is waited for is a time
	}
}

// edit changes something at random, also what size and times hide.
func (p *provable) edit() string {
	path := filepath.Join(p.top, provablePaths[p.random.IntN(len(provablePaths))])
	text := []byte(provableTexts[p.random.IntN(len(provableTexts))])
	before, _ := os.Stat(path)
	keepTime := func() {
		if before != nil {
			_ = os.Chtimes(path, before.ModTime(), before.ModTime())
		}
	}
	// What cannot be done leaves the tree as it is.
	switch p.random.IntN(8) {
	case 0:
		_ = os.RemoveAll(path)
		return "remove " + path
	case 1:
		_ = os.MkdirAll(path, 0o755)
		return "folder " + path
	case 2:
		_ = os.Remove(path)
		_ = os.Symlink(provablePaths[p.random.IntN(len(provablePaths))], path)
		return "link " + path
	case 3:
		_ = os.WriteFile(path+".new", text, 0o600)
		_ = os.Rename(path+".new", path)
		keepTime()
		return "replace " + path + " by " + string(text)
	case 4:
		_ = os.Rename(path, filepath.Join(p.top, provablePaths[p.random.IntN(len(provablePaths))]))
		return "rename " + path
	case 5:
		if before != nil {
			_ = os.Chmod(path, before.Mode()^0o010)
		}
		return "mode of " + path
	case 6:
		_ = os.Chtimes(path, time.Now(), time.Now())
		return "touch " + path
	}
	_ = os.WriteFile(path, text, 0o600)
	keepTime()
	return "write " + path + " " + string(text)
}

// TestWhatAProofShowsIsSo edits a tree at random, also in ways that size and time do not show.
func TestWhatAProofShowsIsSo(t *testing.T) {
	rounds, seed := roundsAndSeed(25)
	p := newProvable(t, seed)
	qs := p.questions()
	held, changed, edits := 0, 0, ""
	for range rounds {
		disk := files.NewUnlinked(files.Disk{}) // links stay as they are in a run, and there may be others in the next
		sets := make([]files.Questions, 60)
		for i := range sets {
			for range 1 + p.random.IntN(6) {
				sets[i] = append(sets[i], qs[p.random.IntN(len(qs))])
			}
		}
		first := files.NewProver(disk)
		p.settle(func() *files.Proof { return first.Take(qs) })
		proofs, answers := make([][]byte, len(sets)), make([]files.Digest, len(sets))
		for i, set := range sets {
			proof := first.Take(set)
			answers[i] = set.Ask(files.Disk{})
			if !proof.Settled(time.Now()) || !first.Holds(proof) {
				t.Fatal("nothing changed, and a proof is none")
			}
			proofs[i] = proof.Append(nil)
		}
		edits = ""
		for range p.random.IntN(4) {
			edits += ", " + p.edit()
		}
		next := files.NewProver(files.NewUnlinked(files.Disk{}))
		for i, set := range sets {
			isSame := set.Ask(files.Disk{}) == answers[i]
			holds := next.HoldsStill(proofs[i])
			if holds && !isSame {
				t.Fatalf("seed %d%s: %v are answered otherwise", seed, edits, set)
			}
			if holds {
				held++
			}
			if !isSame {
				changed++
			}
		}
	}
	t.Logf("%d proofs held, %d answers changed", held, changed)
	if held < 10*rounds || changed < 2*rounds {
		t.Errorf("in %d rounds %d proofs held, and %d answers changed", rounds, held, changed)
	}
}

// TestWhatARecorderProvesIsWhatItAnswered edits a tree while it is read.
func TestWhatARecorderProvesIsWhatItAnswered(t *testing.T) {
	rounds, seed := roundsAndSeed(40)
	p := newProvable(t, seed)
	qs := p.questions()
	held, refused := 0, 0
	for range rounds {
		p.settle(func() *files.Proof { return files.NewProver(files.NewUnlinked(files.Disk{})).Take(qs) })
		prover, edits := files.NewProver(files.NewUnlinked(files.Disk{})), ""
		recorder, begun := prover.Recorder(), time.Now()
		isEdited := p.random.IntN(2) == 0
		for range 12 {
			qs[p.random.IntN(len(qs))].Ask(recorder)
			if isEdited && p.random.IntN(4) == 0 {
				edits += ", " + p.edit()
			}
		}
		proof := recorder.Proof()
		isProof := proof != nil && proof.Settled(begun) && prover.Holds(proof) &&
			files.NewProver(files.NewUnlinked(files.Disk{})).HoldsStill(proof.Append(nil)) // in the next run
		isSame := recorder.Record().Holds(files.Disk{})
		switch {
		case isProof && !isSame:
			t.Fatalf("seed %d%s: %v are answered otherwise", seed, edits, recorder.Record().Questions())
		case !isProof && edits == "":
			t.Fatalf("seed %d: nothing changed, and a proof is none", seed)
		case isProof:
			held++
		default:
			refused++
		}
	}
	t.Logf("%d proofs held, %d did not", held, refused)
	if held < rounds/4 || refused < rounds/20 {
		t.Errorf("in %d rounds %d proofs held, and %d did not", rounds, held, refused)
	}
}

func TestAnOrdinaryRecorderProvesNothing(t *testing.T) {
	if recorder := files.NewRecorder(nil); recorder.Proof() != nil {
		t.Error("it looked at nothing before it asked")
	}
}

func TestAFileThatWasJustWrittenProvesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "one")
	prover := files.NewProver(files.NewUnlinked(files.Disk{}))
	if prover.Take(files.Questions{{Method: files.Reading, Path: path}}).Settled(time.Now()) {
		t.Error("what is written to it in the same tick of the clock would not be seen")
	}
}

func TestAProofOfAbsenceLastsForARunAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	disk := files.NewUnlinked(files.Disk{})
	run := files.NewProver(disk)
	proof := run.Take(files.Questions{{Method: files.DescribingLink, Path: path}})
	if !run.Holds(proof) {
		t.Error("it is not there")
	}
	write(t, path, "one")
	if files.NewProver(disk).Holds(proof) {
		t.Error("it is there now")
	}
}

func FuzzWhatIsNoProofDoesNotHold(f *testing.F) {
	prover := files.NewProver(files.NewUnlinked(files.Disk{}))
	proof := prover.Take(files.Questions{{Method: files.Reading, Path: "/"}, {Method: files.Listing, Path: "/none"},
		{Method: files.Describing, Path: "/usr"}}).Append(nil)
	if !prover.HoldsStill(proof) {
		f.Error("it is one")
	}
	f.Add(proof)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, text []byte) {
		if prover.HoldsStill(text) && prover.HoldsStill(append(text, 0)) {
			t.Errorf("%x is one with anything behind it", text)
		}
	})
}
