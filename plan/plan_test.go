package plan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources"
)

var vault = sources.Store{Kind: "SecretStore", Name: "vault"}

// refs are places in stores in every form that one can be written in.
var refs = []sources.Ref{
	{Store: vault, Key: "kv/data/app"},
	{Store: vault, Key: "kv/data/app", Property: "user"},
	{Store: vault, Key: "kv/data/app", Property: "user", Version: "4"},
	{Store: vault, Key: "kv/data/app", Version: "4"},
	{Store: vault, Key: "a#b@c%d?e=f g\x7fh", Property: "%23#@", Version: "@1"},
	{Key: "find"},
	{Store: vault, Find: &sources.Find{Path: "apps", Name: "^db-.*=?$"}},
	{Store: vault, Find: &sources.Find{Tags: map[string]string{"team": "a=b", "x?y": ""}}},
}

func TestAPlanIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	p := plan.Plan{
		Workloads: []plan.Workload{{Kind: "Deployment", Namespace: "shop", Name: "web", References: []plan.Reference{
			{Kind: "Secret", Name: "db", Keys: []string{}, Forms: []string{"env"}, Source: "ExternalSecret/db",
				Producers: []plan.Producer{{Kind: "ExternalSecret", Name: "db", File: "<a>&.yaml", Line: 3},
					{Kind: "SOPS", Context: true, Copied: true}}},
			{Kind: "ConfigMap", Name: "gone", Optional: true, Source: "absent",
				Findings: []diag.Finding{diag.New(diag.MissingObject, "x", "<gone>")}},
		}}, {Kind: "Job", Name: "once"}},
		Findings: []diag.Finding{diag.New(diag.NoObjects, "", "none").At(diag.Position{File: "a", RenderLine: 2})},
	}
	for _, ref := range refs {
		to := &p.Workloads[0].References[0].Producers[0]
		to.Sources = append(to.Sources, plan.Source{Key: "<key>", Ref: ref, Version: "7"})
	}
	first := encode(t, &p)
	read, err := plan.Decode(strings.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	if second := encode(t, read); second != first {
		t.Errorf("it became\n%s\nand was\n%s", second, first)
	}
	for i, got := range read.Workloads[0].References[0].Producers[0].Sources {
		if !reflect.DeepEqual(got.Ref, refs[i]) {
			t.Errorf("%s became %+v, and was %+v", got.Remote(), got.Ref, refs[i])
		}
	}
	if strings.Contains(first, `\u003c`) {
		t.Errorf("signs are written as escapes:\n%s", first)
	}
}

func TestOnlyKeysMayBeNull(t *testing.T) {
	t.Parallel()
	text := encode(
		t,
		&plan.Plan{Workloads: []plan.Workload{{References: []plan.Reference{{Producers: []plan.Producer{{}}}}}, {}}},
	)
	for line := range strings.Lines(text) {
		if strings.Contains(line, "null") && !strings.Contains(line, `"keys"`) {
			t.Errorf("a list is null: %s", line)
		}
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatal(err)
	}
	if len(fields) != 3 || fields["schema"] == nil || fields["workloads"] == nil || fields["findings"] == nil {
		t.Errorf("it has other fields: %s", text)
	}
}

func TestWhatIsNoPlanIsAnError(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `[]`, `{"schema": 1, "workloads": 3}`,
		source(`{"remote": "a%2"}`), source(`{"remote": "a%zz"}`), source(`{"remote": "find?colour=red"}`),
		source(`{"remote": 1}`),
		source(`{"remote": "find?tag:%=b"}`), source(`{"remote": "find?name=%"}`),
	} {
		if _, err := plan.Decode(strings.NewReader(text)); err == nil {
			t.Errorf("no error for %s", text)
		}
	}
	if _, err := plan.Decode(strings.NewReader(`{"schema": 2}`)); !errors.Is(err, plan.ErrSchema) {
		t.Errorf("for another schema the error is %v", err)
	}
}

func TestFetchedIsWhatStampedWorkloadsConsume(t *testing.T) {
	t.Parallel()
	fetches := func(key string) []plan.Reference {
		return []plan.Reference{{Producers: []plan.Producer{{Sources: []plan.Source{{Ref: sources.Ref{Key: key}}}}}}}
	}
	p := plan.Plan{Workloads: []plan.Workload{
		{Stamped: true, References: append(fetches("a"), fetches("b")...)}, {References: fetches("c")},
		{Stamped: true, References: fetches("a")},
	}}
	var keys []string
	for ref := range p.FetchedRefs() {
		keys = append(keys, ref.Key)
	}
	if !slices.Equal(keys, []string{"a", "b", "a"}) {
		t.Errorf("fetched are %v", keys)
	}
	for ref := range p.FetchedRefs() {
		if ref.Key != "a" {
			t.Errorf("%s is the first", ref.Key)
		}
		break
	}
}

func source(text string) string {
	return `{"schema": 1, "workloads": [{"references": [{"producers": [{"sources": [` + text + `]}]}]}]}`
}

func encode(t *testing.T, p *plan.Plan) string {
	t.Helper()
	var out bytes.Buffer
	if err := p.Encode(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
