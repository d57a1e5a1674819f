package stamp

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
)

// staged has a workload that is stamped, one that is switched off, and one that refers to what is not known.
const staged = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {LEVEL: info}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, envFrom: [{configMapRef: {name: settings}}]}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: off, annotations: {rollstamp.dev/mode: "off"}}
spec: {template: {spec: {containers: [{name: web, envFrom: [{configMapRef: {name: settings}}]}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: lost, annotations: {rollstamp.dev/window: night, other.dev/window: day}}
spec: {template: {metadata: {annotations: {rollstamp.dev/window: day, rollstamp.dev/tier: "1"}}, spec: {containers: [{name: web, envFrom: [{configMapRef: {name: gone}}]}]}}}
`

func decided(t *testing.T, text string) *Decided {
	t.Helper()
	in, err := Read(t.Context(), &render.Output{Text: []byte(text)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(t.Context(), in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := Decide(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestWhatIsWantedHasItsPlaceAndItsReason(t *testing.T) {
	t.Parallel()
	d := decided(t, staged)
	want := []string{
		"0 ConfigMap settings digest true", "1 ConfigMap settings digest true", "2 ConfigMap gone unknown false",
	}
	var got []string
	for _, w := range d.Wanted {
		got = append(got, fmt.Sprint(w.Place, " ", w.Kind, " ", w.Name, " ", w.Reason, " ", w.Value != ""))
	}
	if !slices.Equal(got, want) {
		t.Errorf("wanted are %q", got)
	}
	for i, excluded := range []bool{false, true, false} {
		if p := d.Places[i]; p.Workload != i || p.Excluded != excluded {
			t.Errorf("place %d is %+v", i, p)
		}
	}
}

func TestAPlaceHasTheAnnotationsThatPoliciesGoBy(t *testing.T) {
	t.Parallel()
	d := decided(t, staged)
	for i, want := range []map[string]string{
		nil, {"rollstamp.dev/mode": "off"}, {"rollstamp.dev/window": "night", "rollstamp.dev/tier": "1"},
	} {
		if got := d.Places[i].Annotations; !reflect.DeepEqual(got, want) {
			t.Errorf("place %d has %v", i, got)
		}
	}
}

func TestOnlyWhatIsWantedIsWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		wanted func(d *Decided) []plan.Wanted
		edits  int
	}{
		{"nothing", func(*Decided) []plan.Wanted { return nil }, 0},
		{"all", func(d *Decided) []plan.Wanted { return d.Wanted }, 1},
		{"what one that is excluded has", func(d *Decided) []plan.Wanted { return d.Wanted[1:] }, 0},
		{"another stamp for one place", func(*Decided) []plan.Wanted {
			return []plan.Wanted{{Place: 2, Key: "checksum.rollstamp.dev/other", Value: "v1-0"}}
		}, 1},
	} {
		d := decided(t, staged)
		p, edits := Plan(d, c.wanted(d))
		if len(edits) != c.edits || len(p.Workloads) != 3 {
			t.Errorf("%s: %d edits for %d workloads: %v", c.name, len(edits), len(p.Workloads), edits)
		}
	}
}

func TestPlanSortsACopyOfWhatIsWanted(t *testing.T) {
	t.Parallel()
	d := decided(t, staged)
	p, edits := Plan(d, d.Wanted)
	turned := slices.Clone(d.Wanted)
	slices.Reverse(turned)
	before := slices.Clone(turned)
	again, editsAgain := Plan(d, turned)
	if !reflect.DeepEqual(again, p) || !reflect.DeepEqual(editsAgain, edits) {
		t.Errorf("in another order the plan is\n%+v\nand not\n%+v", again, p)
	}
	if !slices.Equal(turned, before) {
		t.Errorf("the list is now %+v", turned)
	}
}

func TestStagesLeaveTheirInputAsItIs(t *testing.T) {
	t.Parallel()
	in, err := Read(t.Context(), &render.Output{Text: []byte(staged)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var plans []*plan.Plan
	for range 2 {
		r, err := Resolve(t.Context(), in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			d, err := Decide(r, Options{})
			if err != nil {
				t.Fatal(err)
			}
			p, _ := Plan(d, d.Wanted)
			plans = append(plans, p)
		}
	}
	for i, p := range plans {
		if !reflect.DeepEqual(p, plans[0]) {
			t.Errorf("plan %d is\n%+v\nand the first\n%+v", i, p, plans[0])
		}
	}
}

func TestKeysThatDifferFromRenderToRenderAreFoundByResolving(t *testing.T) {
	t.Parallel()
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: x, b: %s}\n"
	out := &render.Output{Text: fmt.Appendf(nil, text, "one"), SecondRender: fmt.Appendf(nil, text, "two")}
	in, err := Read(t.Context(), out, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(t.Context(), in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.unstable) != 1 || len(r.findings) != 1 || r.findings[0].Code != diag.UnstableKey || r.findings[0].Key != "b" {
		t.Errorf("unstable are %v, found %v", r.unstable, r.findings)
	}
}

func TestBothRendersAreReadAlike(t *testing.T) {
	t.Parallel()
	text := `apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {b: %s}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db, namespace: shop}
spec:
  secretStoreRef: {name: vault}
  data: [{secretKey: a, remoteRef: {key: prod/db}}]
  target: {template: {mergePolicy: Merge, templateFrom: [{configMap: {name: tpl, items: [{key: a.conf}]}}]}}
`
	context := `apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: vault, namespace: shop}
spec: {provider: {vault: {server: https://vault.example.com}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: tpl, namespace: shop}
data: {a.conf: "{{ .a }}"}
`
	out := &render.Output{Text: fmt.Appendf(nil, text, "one"), SecondRender: fmt.Appendf(nil, text, "two"),
		Context: []*render.Output{{Text: []byte(context)}}}
	opts := Options{Settings: &config.Settings{InForce: &config.InForce{StoreAddress: config.Setting[bool]{Value: true}}}}
	in, err := Read(t.Context(), out, opts)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(t.Context(), in, opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.findings) != 1 || r.findings[0].Key != "b" {
		t.Errorf("found %v, want only that key b is unstable", r.findings)
	}
}

func TestReferencesToOneObjectComeTogether(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var all []refs.Reference
		for i := range r.IntN(150) {
			all = append(all, refs.Reference{Kind: []string{"ConfigMap", "Secret"}[r.IntN(2)],
				Name: fmt.Sprint(r.IntN(1 + r.IntN(40))), Offset: i})
		}
		grouped := slices.Clone(all)
		groupByObject(grouped)
		first, n, objects := -1, 0, map[string]bool{}
		for rest := grouped; len(rest) > 0; rest = rest[groupLen(rest):] {
			group := rest[:groupLen(rest)]
			if group[0].Offset <= first {
				t.Fatalf("groups are not in the order of their first reference: %v", all)
			}
			first = group[0].Offset
			n++
			objects[group[0].Kind+group[0].Name] = true
			for k, ref := range group {
				if ref.Kind != group[0].Kind || ref.Name != group[0].Name || k > 0 && ref.Offset <= group[k-1].Offset {
					t.Fatalf("a group is %v", group)
				}
			}
		}
		if n != countGroups(grouped) || n != len(objects) {
			t.Fatalf("%d groups of %d objects, %d are counted", n, len(objects), countGroups(grouped))
		}
		slices.SortFunc(grouped, func(a, b refs.Reference) int { return a.Offset - b.Offset })
		if !reflect.DeepEqual(grouped, all) {
			t.Fatalf("grouped are %v, not %v", grouped, all)
		}
	}
}
