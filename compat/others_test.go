package compat_test

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
)

const restart = "operator.1password.io/auto-restart"

// what a tool's annotations leave out, by the annotations of the workload, its template, the object and the Namespace.
func TestOtherToolsLeaveOutWhatTheirAnnotationsDecline(t *testing.T) {
	t.Parallel()
	const (
		vault  = "secrets-reloader.security.bank-vaults.io/reload-on-secret-change"
		track  = "flagger.app/config-tracking"
		wave   = "wave.pusher.com/update-on-config-change"
		item   = "OnePasswordItem"
		config = refs.ConfigMap
	)
	for _, c := range []struct {
		name, workload, template, producer, object, namespace, kind string
		want                                                        bool
	}{
		{"no annotation", "", "", item, "", "", refs.Secret, true},
		{"false at the object wins", restart + "=true", "", item, restart + "=false", restart + "=true", refs.Secret, false},
		{"true at the object wins", restart + "=false", "", item, restart + "=TRUE", "", refs.Secret, true},
		{"the workload before its Namespace", restart + "=true", "", item, "", restart + "=false", refs.Secret, true},
		{"the workload declines", restart + "=false", "", item, "", "", refs.Secret, false},
		{"the Namespace declines", "", "", item, "", restart + "=false", refs.Secret, false},
		{"what is no truth value is false", "", "", item, restart + "=yes", "", refs.Secret, false},
		{"what 1Password does not make", restart + "=false", "", "DopplerSecret", "", "", refs.Secret, true},
		{"Doppler declines", "secrets.doppler.com/reload=no", "", "DopplerSecret", "", "", refs.Secret, false},
		{"Doppler says true", "secrets.doppler.com/reload=true", "", "DopplerSecret", "", "", refs.Secret, true},
		{"what Doppler does not make", "secrets.doppler.com/reload=no", "", item, "", "", refs.Secret, true},
		{"Vault in the template declined", "", vault + "=false", item, "", "", sources.Vault, false},
		{"Vault in the template", "", vault + "=true", item, "", "", sources.Vault, true},
		{"a Secret beside it", "", vault + "=false", item, "", "", refs.Secret, true},
		{"on the workload it means nothing", vault + "=false", "", item, "", "", sources.Vault, true},
		{"Wave declines", wave + "=false", "", item, "", "", config, false},
		{"Wave says true", wave + "=true", "", item, "", "", config, true},
		{"not tracked", "", "", item, track + "=disable", "", config, false},
		{"tracked", "", "", item, track + "=enabled", "", config, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := workload(t, c.workload, c.template)
			w.Report = func(diag.Finding, int) {}
			rules := compat.New(allOthers()).Read(w)
			index := indexOf(t, c.producer, c.object, c.namespace)
			candidate := &compat.Candidate{Kind: c.kind, Name: "app", Namespace: "shop", Index: index}
			candidate.Object, _ = index.Find(refs.Secret, "shop", "app")
			if why := rules.Excludes(candidate); (why == "") != c.want {
				t.Errorf("it counts: %v, want %v (%s)", why == "", c.want, why)
			}
		})
	}
}

// A value that its tool does not know is reported, and not where it says no.
func TestValuesThatToolsDoNotKnowAreReported(t *testing.T) {
	t.Parallel()
	const vault = "secrets-reloader.security.bank-vaults.io/reload-on-secret-change"
	for _, c := range []struct{ workload, template, want string }{
		{"wave.pusher.com/update-on-config-change=True", "", `is "True", which is not true, and counts as false`},
		{"wave.pusher.com/update-on-config-change=false", "", ""},
		{"secrets.doppler.com/reload=yes", "", `is "yes", which is not true, and counts as false`},
		{"secrets.infisical.com/auto-reload=false", "", ""},
		{"", vault + "=1", `is "1", which is not true, and counts as false`},
		{restart + "=maybe", "", `is "maybe", which is no truth value, and counts as false`},
		{restart + "=tRue", "", ""},
	} {
		var got string
		w := workload(t, c.workload, c.template)
		w.Report = func(f diag.Finding, _ int) { got += f.Message }
		compat.New(allOthers()).Read(w)
		if c.want == "" && got != "" || !strings.HasSuffix(got, c.want) {
			t.Errorf("of %s%s is reported %q, want %q", c.workload, c.template, got, c.want)
		}
	}
}

func allOthers() *config.Settings {
	s := config.New()
	for _, tool := range []*config.Setting[config.OtherCompat]{&s.Compat.Wave, &s.Compat.Doppler,
		&s.Compat.OnePassword, &s.Compat.Infisical, &s.Compat.BankVaults, &s.Compat.Flagger, &s.Compat.FluxOperator} {
		tool.Value = config.CompatHonour
	}
	return s
}

// indexOf returns an index of a Namespace and of an object that produces the Secret app, with annotations.
func indexOf(t *testing.T, producer, object, namespace string) *objects.Index {
	t.Helper()
	index := objects.NewIndex(objects.Options{Level: config.MaxLevel})
	text := "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n" + annotations("  ", namespace) +
		"---\napiVersion: example.com/v1\nkind: " + producer + "\nmetadata:\n  name: app\n  namespace: shop\n" +
		annotations("  ", object) + "spec:\n  managedSecret: {name: app}\n"
	reader := manifest.NewReader([]byte(text))
	for {
		d, err := reader.Next()
		if err != nil {
			t.Fatal(err)
		}
		if d == nil {
			return index
		}
		for o := range d.Objects() {
			index.Add(o, d.Clone)
		}
	}
}
