package shape_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/shape"
)

// listOf returns a List of objects that are written as blocks.
func listOf(objects ...string) string {
	text := "apiVersion: v1\nkind: List\nitems:\n"
	for _, o := range objects {
		text += "- " + strings.ReplaceAll(strings.TrimSuffix(o, "\n"), "\n", "\n  ") + "\n"
	}
	return text
}

func TestEachWorkloadOfAListGetsWhatItGetsAlone(t *testing.T) {
	t.Parallel()
	s := settingsOf(t, everything)
	s.Replicate.Value = nil
	var all, alone []string
	for name, text := range workloads {
		if name == "no line break" {
			continue
		}
		out, err := add(s, &render.Output{Text: []byte(named(text))})
		if err != nil {
			t.Fatal(err)
		}
		all, alone = append(all, named(text)), append(alone, string(out.Text))
	}
	out, err := add(s, &render.Output{Text: []byte(listOf(all...))})
	if err != nil {
		t.Fatal(err)
	}
	if want := listOf(alone...); string(out.Text) != want {
		t.Errorf("the List is\n%s\nnot\n%s", out.Text, want)
	}
	if bare := remove(t, s, out); bare != listOf(all...) {
		t.Errorf("after all there is\n%s", bare)
	}
}

func TestCopiesAreTakenOutWhereverTheyStandInAList(t *testing.T) {
	t.Parallel()
	s := settingsOf(t, everything)
	a, b := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n"
	one := a + "  annotations:\n    " + shape.CopyMark + ": ConfigMap/p/a\n"
	for _, c := range []struct{ in, want []string }{
		{[]string{one, a, one, one, b, one}, []string{a, b}},
		{[]string{a, one, b}, []string{a, b}},
		{[]string{one, one, a}, []string{a}},
	} {
		if got := remove(t, s, &render.Output{Text: []byte(listOf(c.in...))}); got != listOf(c.want...) {
			t.Errorf("of\n%s\nthere is\n%s", listOf(c.in...), got)
		}
	}
}

// A quadratic cost would be 64 times as much for 8 times as many objects. The test does not run beside others, whose
// memory would count.
func TestAnObjectOfALongListCostsAsMuchAsOneOfAShortList(t *testing.T) {
	s := settingsOf(t, everything+strings.TrimPrefix(copying, "\n"))
	s.Replicate.Value[0].Namespace = "p"
	few, many := allocatedFor(t, s, 50), allocatedFor(t, s, 400)
	if many > 16*few {
		t.Errorf("50 objects take %d bytes of memory, and 400 objects %d", few, many)
	}
}

// allocatedFor returns how many bytes are allocated to add to a List and to take out again.
func allocatedFor(t *testing.T, s *config.Settings, objects int) uint64 {
	t.Helper()
	all := []string{shared}
	for d, err := range manifest.Documents([]byte(copied), "") {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.TrimPrefix(string(d.Bytes()), "---\n"))
	}
	for i := range objects {
		w := named(workloads["block"])
		all = append(all, strings.Replace(w, "name: w", fmt.Sprint("name: w", i), 1), bucketOf(buckets["block"]))
	}
	text := []byte(listOf(all...))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, err := add(s, &render.Output{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	bare := remove(t, s, out)
	runtime.ReadMemStats(&after)
	if bare != string(text) {
		t.Errorf("after all there is\n%s", bare)
	}
	return after.TotalAlloc - before.TotalAlloc
}
