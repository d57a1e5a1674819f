package kustomize_test

import (
	"bytes"
	"errors"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/rollstamp/rollstamp/config"
)

// The fuzz tests of the native way take each byte of the input for one choice of a generator, so that a fuzzer changes
// single choices. TestTheNativeWayHoldsFor runs both with random bytes, which is faster, for ROLLSTAMP_FUZZ=10m.

// FuzzNativeFile builds files of odd YAML.
func FuzzNativeFile(f *testing.F) {
	for i := range 10 {
		f.Add(randomBytes(uint64(i), 400))
	}
	f.Fuzz(func(t *testing.T, data []byte) { fuzzFile(t, data, counts{}) })
}

// FuzzNativeKustomization builds trees of kustomizations whose fields meet.
func FuzzNativeKustomization(f *testing.F) {
	for i := range 10 {
		f.Add(randomBytes(uint64(i), 400))
	}
	f.Fuzz(func(t *testing.T, data []byte) { fuzzKustomization(t, data, counts{}) })
}

func TestTheNativeWayHoldsFor(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("ROLLSTAMP_FUZZ"))
	if err != nil {
		long = 2 * time.Second
	}
	seed, _ := strconv.ParseUint(os.Getenv("ROLLSTAMP_SEED"), 10, 64)
	for name, one := range map[string]func(*testing.T, []byte, counts){"files": fuzzFile, "kustomizations": fuzzKustomization} {
		t.Run(name, func(t *testing.T) {
			count := counts{}
			for start := time.Now(); time.Since(start) < long/2 && !t.Failed(); seed++ {
				one(t, randomBytes(seed, 400), count)
				if t.Failed() {
					t.Logf("ROLLSTAMP_SEED=%d", seed)
				}
			}
			for _, o := range slices.SortedFunc(maps.Keys(count), func(a, b string) int { return count[b] - count[a] }) {
				t.Logf("%7d %s", count[o], o)
			}
		})
	}
}

// counts are how builds went.
type counts map[string]int

func fuzzFile(t *testing.T, data []byte, count counts) {
	m := newTreeMaker(t, data)
	defer os.RemoveAll(m.dir)
	if err := m.oddFile(); err != nil {
		t.Fatal(err)
	}
	m.hold(t, filepath.Join(m.dir, "top"), count)
}

// fuzzKustomization compares a tree while it grows.
func fuzzKustomization(t *testing.T, data []byte, count counts) {
	m := newTreeMaker(t, data)
	defer os.RemoveAll(m.dir)
	m.check = func(dir string) bool { return m.hold(t, dir, count) }
	if err := m.tree(); err != nil {
		t.Fatal(err)
	}
}

// hold compares the native way with kustomize's library as its command calls it, and reports whether that builds.
func (m *treeMaker) hold(t *testing.T, dir string, count counts) bool {
	want, errWant := stockBuild(dir)
	got, errGot := buildBy(config.KustomizeNative, dir)
	fail := func(format string, args ...any) {
		for _, name := range slices.Sorted(maps.Keys(m.files)) {
			t.Logf("-- %s --\n%s", name, m.files[name])
		}
		t.Errorf(dir+": "+format, args...)
	}
	switch {
	case errWant != nil && errGot == nil:
		fail("built, and kustomize says: %v", errWant)
	case errWant != nil:
		count["are errors"]++
		if count["are errors"]%16 != 1 {
			break // the library is asked for each error anyway
		}
		_, errLibrary := buildBy(config.KustomizeLibrary, dir)
		// of several objects whose names it cannot follow, the library reports another one each time
		const anyOf = "updating name reference"
		if errLibrary == nil || errLibrary.Error() != errGot.Error() && !strings.Contains(errGot.Error(), anyOf) {
			fail("fails with %v, and by the library with %v", errGot, errLibrary)
		}
	case errGot != nil:
		count["are refused before any build"]++
		if _, errLibrary := buildBy(config.KustomizeLibrary, dir); errLibrary == nil {
			fail("kustomize builds it, and: %v", errGot)
		}
	case !bytes.Equal(got.Text, want):
		fail("differs from kustomize at %s", firstDifference(got.Text, want))
	default:
		if _, declined, ok := strings.Cut(got.Why, "because of "); ok {
			count["left to the library: "+declined]++
		} else {
			count["built"]++
		}
	}
	return errWant == nil
}

// stockBuild builds as kustomize build does.
func stockBuild(dir string) (text []byte, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("it panics")
		}
	}()
	opts := krusty.MakeDefaultOptions()
	opts.LoadRestrictions = types.LoadRestrictionsNone
	opts.Reorder = krusty.ReorderOptionLegacy
	m, err := krusty.MakeKustomizer(opts).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, err
	}
	return m.AsYaml()
}

func newTreeMaker(t *testing.T, data []byte) *treeMaker {
	r := rand.New(newChoices(data))
	return &treeMaker{Rand: r, dir: tempDir(t), files: map[string]string{}, made: map[string][]string{}}
}

// choices is a source of numbers: one for each byte, and any behind them.
type choices struct {
	data []byte
	rest *rand.PCG
}

func newChoices(data []byte) *choices {
	h := fnv.New64a()
	h.Write(data)
	return &choices{data, rand.NewPCG(h.Sum64(), 17)}
}

func (c *choices) Uint64() uint64 {
	if len(c.data) == 0 {
		return c.rest.Uint64()
	}
	b := c.data[0]
	c.data = c.data[1:]
	return uint64(b) * 0x0101010101010101
}

func randomBytes(seed uint64, n int) []byte {
	g := rand.New(rand.NewPCG(seed, 23))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

// tempDir is t.TempDir, but for what removes it before the test ends.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "native")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
