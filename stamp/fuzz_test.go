package stamp

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
)

// planned is a text with its stamps and its plan.
type planned struct {
	*plan.Plan
	splice.Edited
}

func planOf(t testing.TB, text []byte, opts Options, context ...*render.Output) (*planned, error) {
	t.Helper()
	r, err := Make(t.Context(), &render.Output{Text: text, Context: context}, opts)
	if err != nil {
		return nil, err
	}
	return &planned{r.Plan, r.Text}, nil
}

func bytesOf(t testing.TB, p *planned) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := p.WriteTo(&b)
	if err != nil || n != int64(b.Len()) || p.Size() != b.Len() {
		t.Fatalf("wrote %d of %d bytes, plan says %d: %v", n, b.Len(), p.Size(), err)
	}
	return b.Bytes()
}

// FuzzStampingIsPureAndIdempotent holds what the contract says of any text: without the stamps, the same objects;
// again, no change; taken out, no stamp left. Where nothing had to be written again, the text that came in is the
// text that goes out less what was put in.
func FuzzStampingIsPureAndIdempotent(f *testing.F) {
	for _, c := range stories(f) {
		f.Add([]byte(c.in))
	}
	files, _ := filepath.Glob(os.Getenv("ROLLSTAMP_TEST_STREAMS"))
	for _, name := range files {
		if b, err := os.ReadFile(name); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := planOf(t, text, Options{})
		if err != nil {
			return // what cannot be read is the reader's matter
		}
		out := bytesOf(t, p)
		if !slices.ContainsFunc(p.Edits, func(e splice.Edit) bool { return e.End > e.Start }) {
			if back := takenOut(out, p.Edits); !bytes.Equal(back, text) {
				t.Fatalf("not pure:\n%q\n%q", text, back)
			}
		}
		again, err := planOf(t, out, Options{})
		if err != nil {
			t.Fatalf("the stamped text cannot be read: %v\n%q\n%q", err, text, out)
		}
		if twice := bytesOf(t, again); !bytes.Equal(twice, out) {
			t.Fatalf("not idempotent:\n%q\n%q\n%q", text, out, twice)
		}
		if again.HasChanges() {
			t.Fatalf("stamping again is said to change something:\n%q\n%q", text, out)
		}
		if before, after := parsedObjects(t, text), parsedObjects(t, out); !same(before, after) {
			t.Fatalf("objects differ:\n%q\n%q\n%v\n%v", text, out, before, after)
		}
		bare, err := Unstamp(context.Background(), out, Options{})
		if err != nil {
			if !strings.Contains(err.Error(), "one is no string") && !strings.Contains(err.Error(), "what JSON cannot say") {
				t.Fatalf("the stamps cannot be taken out: %v\n%q\n%q", err, text, out)
			}
			return
		}
		if before, after := parsedObjects(t, text), parsedObjects(t, bare); !same(before, after) {
			t.Fatalf("objects differ after unstamp:\n%q\n%q\n%v\n%v", out, bare, before, after)
		}
	})
}

// takenOut returns the text without what the edits put in.
func takenOut(out []byte, edits []splice.Edit) []byte {
	var back []byte
	from, shift := 0, 0
	for _, e := range edits {
		at := e.Start + shift
		back = append(back, out[from:at]...)
		from = at + len(e.Text)
		shift += len(e.Text)
	}
	return append(back, out[from:]...)
}

// parsedObjects returns the documents of a text as Kubernetes reads them, without stamps and the maps that only they
// need.
func parsedObjects(t testing.TB, text []byte) []any {
	t.Helper()
	var out []any
	r := manifest.NewReader(text)
	for {
		d, err := r.Next()
		if err != nil {
			t.Fatalf("%v\n%q", err, text)
		}
		if d == nil {
			return out
		}
		var v any
		// With keys written twice the library's answer is not always the same, so those documents are not compared.
		if err := yaml.UnmarshalStrict(d.Body(), &v); err != nil {
			v = notCompared("not for Kubernetes")
		}
		if sameField(d.Root()) {
			v = notCompared("0 and 0.0 are two keys to YAML, and one field to Kubernetes")
		}
		if bytes.IndexByte(d.Bytes(), '!') >= 0 {
			v = notCompared("tags can make two keys one")
		}
		out = append(out, stripped(v))
	}
}

// sameField reports whether two keys of a mapping become one field.
func sameField(n manifest.Node) bool {
	seen := map[string]bool{}
	for k, v := range n.Entries() {
		if seen[k.Field()] || sameField(v) {
			return true
		}
		seen[k.Field()] = true
	}
	for it := range n.Items() {
		if sameField(it) {
			return true
		}
	}
	return false
}

// notCompared is a document that is not compared, as its reason.
type notCompared string

// same compares documents. What could not be compared may be comparable after it was written again.
func same(before, after []any) bool {
	return slices.EqualFunc(before, after, func(a, b any) bool {
		_, skip := a.(notCompared)
		return skip || reflect.DeepEqual(a, b)
	})
}

func stripped(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			if strings.HasPrefix(k, hashing.DefaultPrefix) {
				continue
			}
			x = stripped(x)
			if m, ok := x.(map[string]any); (ok && len(m) == 0 || x == nil) &&
				(k == "annotations" || k == "metadata" || k == "externalSecretMetadata") {
				continue
			}
			out[k] = x
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = stripped(x)
		}
		return out
	}
	return v
}

// FuzzFinderNeverFails walks whatever a text holds with the table and with rules.
func FuzzFinderNeverFails(f *testing.F) {
	for _, c := range stories(f) {
		f.Add([]byte(c.in), "spec.template", "spec.x[*].*.y")
	}
	f.Fuzz(func(t *testing.T, text []byte, template, reference string) {
		var rule config.KindRule
		rule.Kind = "Deployment"
		rule.Group = "apps"
		var errs []error
		var err error
		rule.Template, err = config.ParsePath(template)
		errs = append(errs, err)
		rule.PodSpec, err = config.ParsePath(template + ".spec")
		errs = append(errs, err)
		rule.Annotations, err = config.ParsePath(template + ".metadata.annotations")
		errs = append(errs, err)
		r := config.ReferenceRule{Kind: "Secret"}
		r.Path, err = config.ParsePath(reference)
		rule.References = append(rule.References, r)
		if errors.Join(append(errs, err)...) != nil {
			return
		}
		tables := []*refs.Table{refs.NewTable(1, nil), refs.NewTable(1, []config.KindRule{rule})}
		reader := manifest.NewReader(text)
		for {
			d, err := reader.Next()
			if err != nil || d == nil {
				return
			}
			for o := range d.Objects() {
				for _, table := range tables {
					for _, row := range table.Rows(o) {
						for _, found := range table.Find(o, row) {
							for _, ref := range found.References {
								if ref.Name == "" || ref.Kind == "" || !ref.All && len(ref.Keys) == 0 && ref.Form != refs.FormRule {
									t.Fatalf("a reference to nothing: %+v\n%q", ref, text)
								}
							}
						}
					}
				}
			}
		}
	})
}
