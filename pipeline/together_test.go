package pipeline_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/shape"
	"github.com/rollstamp/rollstamp/splice"
	"github.com/rollstamp/rollstamp/stamp"
)

// together is a random tree with a random configuration and lock.
type together struct {
	*tree
	style         []byte // that decides how the tree is written
	configuration string
	lines         string
	settings      *config.Settings
	key           *hashing.Key
	outputs       []byte
}

// errNotTaken is a tree that a configuration refuses, as it may.
var errNotTaken = errors.New("refused")

// newTogether makes one of bytes, with its files in a folder.
func newTogether(t testing.TB, dir string, data []byte) (*together, error) {
	c := newChoices(data)
	a := &together{tree: newTree(c), configuration: configuration(c)}
	a.style = binary.BigEndian.AppendUint64(nil, c.rest.Uint64())
	if c.oneIn(2) {
		key, err := hashing.KeyFromBytes(redact.New([]byte("0123456789abcdef")), "test")
		if err != nil {
			t.Fatal(err)
		}
		a.key = &key
	}
	var err error
	if a.settings, err = settingsIn(t, dir, a.configuration, ""); err != nil {
		t.Fatalf("%v\n%s", err, a.configuration)
	}
	if c.oneIn(2) {
		first, err := a.stamp(a.write(), nil)
		if err != nil {
			return a, errors.Join(errNotTaken, err)
		}
		a.lines = lines(c, first.Plan)
		if a.settings, err = settingsIn(t, dir, a.configuration, a.lines); err != nil {
			t.Fatalf("%v\n%s", err, a.lines)
		}
	}
	return a, nil
}

// write writes the tree, in the same style each time.
func (a *together) write() []byte {
	return (&tree{newChoices(a.style), a.namespace, a.objects}).text()
}

// stamp stamps a text. Earlier is what was rendered before; nil where nothing was.
func (a *together) stamp(text, earlier []byte) (*pipeline.Result, error) {
	return pipeline.Run(context.Background(), app.New(app.Spec{
		Name: "x", Request: &render.Request{Path: "-"}, Settings: a.settings, Stamping: &app.Stamping{Key: a.key},
		Stream:  &render.Output{Kind: render.KindPlain, Text: text},
		Earlier: func(context.Context) (app.Earlier, error) { return app.Earlier{Text: earlier}, nil },
	}))
}

// unstamp takes out of a text what stamping put into it.
func (a *together) unstamp(text []byte) ([]byte, error) {
	bare, err := stamp.Bare(context.Background(), text, stamp.Options{Settings: a.settings})
	if err != nil {
		return nil, err
	}
	text = bare.Bytes()
	edits, err := shape.Remove(context.Background(), text, a.settings)
	return splice.Bytes(text, edits), err
}

func textOf(t testing.TB, r *pipeline.Result) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := r.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// holds checks what the contract says of all features together: what comes out is a function of what came in, doing it
// again changes nothing, what was put in can be taken out, and a change restarts what reads it.
func (a *together) holds(t testing.TB) error {
	text := a.write()
	first, err := a.stamp(text, nil)
	if err != nil {
		return errors.Join(errNotTaken, err)
	}
	out := a.comesAndGoes(t, text, nil, first)
	i := slices.IndexFunc(a.objects, func(o object) bool { return o["data"] != nil })
	if i < 0 {
		return nil
	}
	data := a.objects[i]["data"].(object)
	old := data["k4"]
	data["k4"] = "Y2hhbmdlZA=="
	defer func() { data["k4"] = old }()
	changed := a.write()
	after, err := a.stamp(changed, out)
	if err != nil {
		a.fatal(t, "with another value it cannot be stamped", err, changed)
	}
	now := a.comesAndGoes(t, changed, out, after)
	a.restarts(t, first, after, out, now)
	a.outputs = slices.Concat(out, now)
	return nil
}

// comesAndGoes returns the text of a result, after stamping again and taking the stamps out. Earlier is what was
// rendered before.
func (a *together) comesAndGoes(t testing.TB, text, earlier []byte, r *pipeline.Result) []byte {
	out := textOf(t, r)
	same, err := a.stamp(text, earlier)
	if err != nil || !bytes.Equal(textOf(t, same), out) {
		a.fatal(t, "another time it is otherwise", err, out, textOf(t, same))
	}
	again, err := a.stamp(out, earlier)
	if err != nil {
		a.fatal(t, "what is stamped cannot be stamped", err, out)
	}
	if twice := textOf(t, again); !bytes.Equal(twice, out) {
		a.fatal(t, "stamping again changes something", nil, out, twice)
	}
	bare, err := a.unstamp(out)
	if err != nil {
		a.fatal(t, "the stamps cannot be taken out", err, out)
	}
	if !bytes.Equal(bare, text) && !a.mayDiffer(r, text, bare) {
		a.fatal(t, "without its stamps it is otherwise", nil, out, bare)
	}
	return out
}

// mayDiffer reports whether a text without its stamps may have other bytes than before, with equal objects.
func (a *together) mayDiffer(r *pipeline.Result, before, after []byte) bool {
	replaced := bytes.Contains(before, []byte("__data")) || // an equal reference
		a.settings.Foreign(foreignChecksum) || // is removed for good
		bytes.Contains(before, []byte(`""`)) || bytes.Contains(before, []byte("null")) || // fields and lists that were empty
		bytes.Contains(before, []byte("env:\n")) || bytes.Contains(before, []byte("env: []")) ||
		slices.ContainsFunc(r.Findings(), func(f diag.Finding) bool { return f.Code == diag.Reencoded })
	drop := ""
	if a.settings.Foreign(foreignChecksum) {
		drop = foreignChecksum
	}
	return replaced && reflect.DeepEqual(parsed(before, drop), parsed(after, drop))
}

// restarts checks that a change changes the workloads that read what changed, and no others.
func (a *together) restarts(t testing.TB, before, after *pipeline.Result, was, is []byte) {
	then, now := workloadsOf(was), workloadsOf(is)
	if len(then) != len(now) || len(then) != len(before.Plan.Workloads) {
		a.fatal(t, "another number of workloads", nil, was, is)
	}
	for id, workload := range then {
		moved := changedReferences(before, after, id)
		switch {
		case moved == "" && now[id] != workload:
			a.fatal(t, id+" reads nothing that changed", nil, []byte(workload), []byte(now[id]))
		case moved != "" && now[id] == workload:
			a.fatal(t, id+" does not restart for "+moved, nil, []byte(workload), []byte(now[id]))
		}
	}
}

// changedReferences returns what a workload consumes and has another written digest in two results; "" where nothing has.
func changedReferences(before, after *pipeline.Result, id string) string {
	var out []string
	for i := range before.Plan.Workloads {
		old, now := &before.Plan.Workloads[i], &after.Plan.Workloads[i]
		if old.Kind+"/"+old.Name != id {
			continue
		}
		for k := range old.References {
			r, s := &old.References[k], &now.References[k]
			if r.Renamed != s.Renamed || old.Stamped && writtenOf(r) != writtenOf(s) ||
				len(r.Phantoms) > 0 && r.Digest != s.Digest {
				out = append(out, r.Kind+" "+r.Name)
			}
		}
	}
	return strings.Join(out, ", ")
}

// writtenOf returns the stamp of a reference.
func writtenOf(r *plan.Reference) string {
	switch {
	case r.Held != "":
		return r.Stamp
	case r.Annotation == "" && r.Variable == "":
		return ""
	}
	return r.Digest
}

// fatal fails with all that the case is made of; of two texts with where they differ.
func (a *together) fatal(t testing.TB, what string, err error, texts ...[]byte) {
	t.Helper()
	there := ""
	if len(texts) == 2 {
		one, two := strings.SplitAfter(string(texts[0]), "\n"), strings.SplitAfter(string(texts[1]), "\n")
		for len(one) > 0 && len(two) > 0 && one[0] == two[0] {
			one, two = one[1:], two[1:]
		}
		there = fmt.Sprintf("--- from here on\n%q\n%q\n", one[:min(len(one), 12)], two[:min(len(two), 12)])
	}
	t.Fatalf("%s: %v\n--- configuration\n%s--- lock\n%s--- input\n%s--- then\n%s%s", what, err, a.configuration, a.lines,
		a.write(), bytes.Join(texts, []byte("\n--- and\n")), there)
}

func TestAllFeaturesTogetherHoldTheContract(t *testing.T) {
	t.Parallel()
	dir, refused, written := t.TempDir(), 0, map[string]int{}
	const all = 300
	for i := range uint64(all) {
		a, err := newTogether(t, dir, binary.BigEndian.AppendUint64(nil, i*0x9e3779b97f4a7c15))
		if err == nil {
			err = a.holds(t)
		}
		if err != nil {
			refused++
			t.Log(err)
			continue
		}
		for _, mark := range marks {
			if bytes.Contains(a.outputs, []byte(mark)) {
				written[mark]++
			}
		}
	}
	t.Log(refused, written)
	if refused > all/4 {
		t.Errorf("%d of %d were refused", refused, all)
	}
	for _, mark := range marks {
		if written[mark] == 0 {
			t.Errorf("%s was never written", mark)
		}
	}
}

// marks are what the features write.
var marks = []string{"checksum.rollstamp.dev/configmap.a", "checksum.rollstamp.dev/all", "ops.example.com/", "ROLLSTAMP_CONFIGMAP_",
	"ROLLSTAMP_ALL", "checksum.rollstamp.dev/name", "checksum.rollstamp.dev/kept", "checksum.rollstamp.dev/prune",
	"checksum.rollstamp.dev/target-name", "checksum.rollstamp.dev/variables", "/restart", "added.rollstamp.dev/bindings",
	"added.rollstamp.dev/fields", "added.rollstamp.dev/copy", "added.rollstamp.dev/wave", "v1k-", "v1-00c4e1d2b3a49586"}

func FuzzAllFeaturesTogetherHoldTheContract(f *testing.F) {
	for i := range uint64(8) {
		f.Add(binary.BigEndian.AppendUint64(nil, i))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := newTogether(t, dir, data)
		if err == nil {
			err = a.holds(t)
		}
		if err != nil {
			t.Skip(err)
		}
	})
}
