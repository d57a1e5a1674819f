package compat_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// what Reloader's ShouldReload answers for an object of a name, by the annotations of the workload, of its pod template
// and of the object.
func TestReloadersPrecedence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, kind, workload, template string
		args                           []config.NonEmpty
		want                           bool
	}{
		{"nothing", refs.ConfigMap, "", "", nil, false},
		{"auto", refs.ConfigMap, "reloader.stakater.com/auto=true", "", nil, true},
		{"auto as Go parses it", refs.Secret, "reloader.stakater.com/auto=1", "", nil, true},
		{"auto false and typed auto", refs.Secret,
			"reloader.stakater.com/auto=false;secret.reloader.stakater.com/auto=true", "", nil, true},
		{"typed auto of the other kind", refs.ConfigMap,
			"reloader.stakater.com/auto=false;secret.reloader.stakater.com/auto=true", "", nil, false},
		{"auto of all", refs.ConfigMap, "", "", []config.NonEmpty{"--auto-reload-all=true"}, true},
		{"auto of all, declined", refs.ConfigMap, "reloader.stakater.com/auto=false", "",
			[]config.NonEmpty{"--auto-reload-all"}, false},
		{"named", refs.ConfigMap, "configmap.reloader.stakater.com/reload=other, app", "", nil, true},
		{"named by an expression", refs.ConfigMap, "configmap.reloader.stakater.com/reload=a.*", "", nil, true},
		{"an expression of the other kind", refs.Secret, "configmap.reloader.stakater.com/reload=a.*", "", nil, false},
		{"excluded and named", refs.ConfigMap,
			"configmap.reloader.stakater.com/reload=app;configmaps.exclude.reloader.stakater.com/reload=app", "", nil, false},
		{"excluded on the template", refs.ConfigMap, "reloader.stakater.com/auto=true",
			"configmaps.exclude.reloader.stakater.com/reload=app", nil, true},
		{"on the template alone", refs.ConfigMap, "", "reloader.stakater.com/auto=true", nil, true},
		{"the workload's counts", refs.ConfigMap, "reloader.stakater.com/auto=false", "reloader.stakater.com/auto=true",
			nil, false},
		{"search without match", refs.ConfigMap, "reloader.stakater.com/search=true", "", nil, false},
		{"a fork's name", refs.ConfigMap, "pod-reloader.deckhouse.io/auto=true", "",
			[]config.NonEmpty{"--auto-annotation=pod-reloader.deckhouse.io/auto"}, true},
		{"the kind is ignored", refs.ConfigMap, "reloader.stakater.com/auto=true", "",
			[]config.NonEmpty{"--resources-to-ignore=configmaps"}, false},
		{"the namespace is ignored", refs.ConfigMap, "reloader.stakater.com/auto=true", "",
			[]config.NonEmpty{"--namespaces-to-ignore", "kube-system,shop"}, false},
		{"another namespace", refs.ConfigMap, "reloader.stakater.com/auto=true", "",
			[]config.NonEmpty{"--namespaces=other"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := config.New()
			s.Compat.Reloader.Value, s.Compat.ReloaderArgs.Value = config.ReloaderOnly, c.args
			rules := compat.New(s).Read(workload(t, c.workload, c.template))
			candidate := &compat.Candidate{Kind: c.kind, Name: "app",
				References: []refs.Reference{{Kind: c.kind, Name: "app", Form: refs.FormEnvFrom}}}
			if why := rules.Excludes(candidate); (why == "") != c.want {
				t.Errorf("it restarts: %v, want %v (%s)", why == "", c.want, why)
			}
		})
	}
}

func TestExpressionsAreAnchoredAndNamesAreNames(t *testing.T) {
	t.Parallel()
	s := config.New()
	s.Compat.Reloader.Value = config.ReloaderHonour
	var reported []diag.Finding
	w := workload(t, "configmap.reloader.stakater.com/reload=foo|bar,my.cfg,[", "")
	w.Report = func(f diag.Finding, _ int) { reported = append(reported, f) }
	named := compat.New(s).Read(w)[0].Named
	if len(named) != 2 || named[0].Match == nil || named[1].Name != "my.cfg" {
		t.Fatalf("named are %+v", named)
	}
	for name, want := range map[string]bool{"foo": true, "bar": true, "foo-other": false, "other-bar": false} {
		if got := named[0].Match.Fits(name); got != want {
			t.Errorf("foo|bar fits %s: %v, want %v", name, got, want)
		}
	}
	if len(reported) != 1 || reported[0].Code != diag.BadCompat {
		t.Errorf("reported are %+v", reported)
	}
}

func TestAnAnnotationThatIsNoTruthValueIsReportedOnce(t *testing.T) {
	t.Parallel()
	s := config.New()
	s.Compat.Reloader.Value = config.ReloaderHonour
	for annotation, want := range map[string]int{"auto=maybe": 1, "auto=T": 0, "auto=false": 0} {
		reported := 0
		w := workload(t, "reloader.stakater.com/"+annotation, "")
		w.Report = func(f diag.Finding, _ int) {
			if f.Code == diag.BadCompat {
				reported++
			}
		}
		compat.New(s).Read(w)
		if reported != want {
			t.Errorf("%s: %d findings, want %d", annotation, reported, want)
		}
	}
}

func TestAnnotationsThatReloaderDoesNotHaveAreReported(t *testing.T) {
	t.Parallel()
	for annotation, want := range map[string]string{
		"configmap.reloader.stakater.com/relaod=settings": "configmap.reloader.stakater.com/relaod is no annotation of " +
			"Reloader; did you mean configmap.reloader.stakater.com/reload?",
		"configmap.reloader.stakater.com/reload=settings":   "",
		"deployment.reloader.stakater.com/paused-at=1":      "",
		"reloader.stakater.com/rollout-strategy=restart":    "",
		"configmaps.exclude.reloader.stakater.com/reload=a": "",
		"reloader.stakater.com/renamed=true":                "",
		"other.example.com/reload=a":                        "",
	} {
		s := config.New()
		s.Compat.Reloader.Value = config.ReloaderHonour
		s.Compat.ReloaderArgs.Value = []config.NonEmpty{"--auto-annotation=reloader.stakater.com/renamed"}
		var reported []string
		w := workload(t, annotation, "")
		w.Report = func(f diag.Finding, _ int) {
			if f.Code == diag.BadCompat {
				reported = append(reported, f.Message)
			}
		}
		compat.New(s).Read(w)
		if got := strings.Join(reported, "\n"); got != want {
			t.Errorf("%s: reported is %q", annotation, got)
		}
	}
}

func TestArgumentsThatReloaderDoesNotHaveAreReported(t *testing.T) {
	t.Parallel()
	s := config.New()
	s.Compat.Reloader.Value = config.ReloaderHonour
	s.Compat.ReloaderArgs.Value = []config.NonEmpty{"--log-format=json", "--auto-reload-al", "--namespace-selector=a in (",
		"stray"}
	found := compat.New(s).Findings()
	text := ""
	for _, f := range found {
		text += f.Message + "\n"
	}
	for _, want := range []string{`"--auto-reload-al" is no argument`, `--namespace-selector: `, `"stray" is no argument`} {
		if !strings.Contains(text, want) {
			t.Errorf("the findings are\n%sand should have %q", text, want)
		}
	}
	if i := slices.IndexFunc(found, func(f diag.Finding) bool { return strings.Contains(f.Message, "log-format") }); i >= 0 {
		t.Errorf("reported is %s", found[i].Message)
	}
}

// workload returns a Deployment with annotations, written as key=value with semicolons between them.
func workload(t *testing.T, own, template string) *compat.Workload {
	t.Helper()
	text := "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n" + annotations("  ", own) +
		"spec:\n  template:\n    metadata:\n" + annotations("      ", template) +
		"    spec: {containers: [{name: web}]}\n"
	d, err := manifest.NewReader([]byte(text)).Next()
	if err != nil {
		t.Fatal(err)
	}
	for o := range d.Objects() {
		return &compat.Workload{Object: o, Namespace: "shop", Template: o.Node.At("spec", "template"),
			Report: func(f diag.Finding, _ int) { t.Errorf("reported is %s", f.Message) }}
	}
	t.Fatal("no object")
	return nil
}

// annotations writes annotations, as key=value with semicolons between them, beside one that means nothing.
func annotations(indent, list string) string {
	out := indent + "annotations:\n" + indent + "  note: x\n"
	for item := range strings.SplitSeq(list, ";") {
		if key, value, ok := strings.Cut(item, "="); ok {
			out += indent + "  " + key + ": '" + value + "'\n"
		}
	}
	return out
}
