package app_test

import (
	"reflect"
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

func resolved(t *testing.T, flags config.Flags) *config.Settings {
	t.Helper()
	dir := t.TempDir()
	none := func(string) (string, bool) { return "", false }
	s, err := config.Resolve(config.Inputs{Place: config.Place{Dir: dir, Root: dir}, Flags: flags, Env: none})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAnApplicationStaysAsItWasWhenAnotherIsDerivedFromIt(t *testing.T) {
	first := app.New(app.Spec{Name: "web", Findings: make([]diag.Finding, 1, 4), Stamping: &app.Stamping{}})
	before := *first
	one, other := diag.New(diag.Skipped, "", "one"), diag.New(diag.Skipped, "", "other")
	a, b := first.WithFindings(one), first.WithFindings(other)
	if a.Findings()[1] != one || b.Findings()[1] != other {
		t.Errorf("two derived from one share their findings: %v, %v", a.Findings(), b.Findings())
	}
	for what, derived := range map[string]*app.Application{
		"kind":     first.WithKind(render.KindHelm),
		"request":  first.WithRequest(render.Request{Path: "x"}),
		"once":     first.WithoutSecondRender(),
		"stream":   first.WithStream(&render.Output{}),
		"settings": first.WithSettings(config.New()),
		"engines":  first.WithEngines(render.Engines{}),
		"stamping": first.WithoutStamping(),
		"timeout":  first.WithTimeout(1),
		"file":     first.WithFile("x"),
	} {
		if reflect.DeepEqual(first, derived) && what != "settings" {
			t.Errorf("%s: nothing is different", what)
		}
		if !reflect.DeepEqual(*first, before) {
			t.Fatalf("%s: it has changed", what)
		}
	}
}

func TestTheSettingsPermitWhateverTheRequestContains(t *testing.T) {
	wishes := render.Request{Allow: config.Permissions{Network: true}}
	wishes.Kustomize.EnableExec = true
	strict := app.New(app.Spec{Request: &wishes, Settings: resolved(t, config.Flags{})}).Request()
	if strict.Allow.Network || strict.Kustomize.EnableExec || strict.Kustomize.EnableAlphaPlugin {
		t.Errorf("what nobody permits is allowed: %+v", strict)
	}
	permits := config.Flags{"allow": {"exec-plugins", "network"}}
	open := app.New(app.Spec{Settings: resolved(t, permits)}).Request()
	if !open.Allow.Network || !open.Kustomize.EnableExec || !open.Kustomize.EnableAlphaPlugin {
		t.Errorf("what is permitted is not allowed: %+v", open)
	}
}

func TestAPathIsRenderedUnderTheSettingsInForceThere(t *testing.T) {
	namespace, version := "shop", "1.30.0"
	s := resolved(t, config.Flags{"namespace": {namespace}, "kube-version": {version}, "include": {"*.yml"}})
	a := app.FromPath("apps/web", app.Place{}, s, app.Options{Kind: render.KindPlain})
	r := a.Request()
	if a.Name() != "apps/web" || a.Kind() != render.KindPlain || a.Stamping() != nil || r.Namespace != namespace ||
		r.Helm.KubeVersion != version || r.Kustomize.PinnedKubeVersion != version || r.Plain.Include[0] != "*.yml" || r.Plain.Recursive {
		t.Errorf("it is %+v", a)
	}
	all := app.FromPath("apps/web", app.Place{Recursive: true, AllFiles: true}, s, app.Options{}).Request().Plain
	if !all.Recursive || len(all.Include) != 1 || all.Include[0] != "*" {
		t.Errorf("with all files: %+v", all)
	}
}

func TestFindingsFailAnApplicationFromTheSeverityThatItsSettingsName(t *testing.T) {
	failOn := "warning"
	a := app.New(app.Spec{Settings: resolved(t, config.Flags{"fail-on": {failOn}})})
	warning := diag.Finding{Severity: diag.Warning}
	if !a.Fails([]diag.Finding{{Severity: diag.Info}, warning}) || a.Fails([]diag.Finding{{Severity: diag.Info}}) ||
		a.Fails(nil) {
		t.Error("it does not go by --fail-on")
	}
	if app.New(app.Spec{}).Fails([]diag.Finding{warning}) {
		t.Error("without settings a warning fails it")
	}
}
