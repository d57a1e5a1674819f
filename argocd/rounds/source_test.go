package rounds_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/argocd/rounds"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/plain"
)

const address = "https://git.example.org/deploy"

// application is an Application of a folder of the repository.
func application(name, path string) string {
	return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: " + name + ", namespace: argocd}\n" +
		"spec:\n  source: {repoURL: " + address + ", path: " + path + "}\n" +
		"  destination: {name: in-cluster, namespace: shop}\n"
}

const configMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: b}}\n"

// sourceOf returns the source of Applications in a text, whose repository holds files. Each part is rendered as plain
// manifests; made counts them.
func sourceOf(t *testing.T, text string, files map[string]string, made *int) *rounds.Source {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := rounds.NewWorld(config.New(), nil, rounds.Options{Repositories: []string{address + "=" + dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Repositories.Close() })
	objects, err := appset.Parse([]byte(text), "apps.yaml")
	if err != nil {
		t.Fatal(err)
	}
	create := func(part apps.Part) (*app.Application, error) {
		*made++
		return app.New(app.Spec{Name: part.Name, Request: &render.Request{Path: part.Call.Dir},
			Engines: render.Engines{render.KindPlain: plain.Engine{}}}), nil
	}
	return rounds.NewSource(w, create, []*appset.Objects{objects}, nil, nil)
}

func TestApplicationsInWhatApplicationsRenderAreFoundInRounds(t *testing.T) {
	made := 0
	s := sourceOf(t, application("root", "root"), map[string]string{
		"root/apps.yaml":  application("middle", "middle"),
		"middle/all.yaml": application("leaf", "leaf") + "---\n" + application("root", "root"), // leads back
		"leaf/all.yaml":   configMap,
	}, &made)
	names, err := s.Names(t.Context())
	want := []string{"argocd/root", "argocd/middle", "argocd/leaf"}
	if err != nil || !slices.Equal(names, want) {
		t.Fatalf("%v, %v; want %v", names, err, want)
	}
	for _, name := range want {
		if a, err := s.Application(t.Context(), name); err != nil || a.Name() != name {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
	if at := s.Folder("argocd/leaf"); filepath.Base(at) != "leaf" {
		t.Errorf("the leaf's folder is %s", at)
	}
	if by := s.Objects("argocd/leaf"); !slices.Contains(by, "Application argocd/leaf") {
		t.Errorf("it is described by %v", by)
	}
}

func TestOfTwoApplicationsOfOneNameTheSecondFails(t *testing.T) {
	made := 0
	s := sourceOf(t, application("web", "one")+"---\n"+application("web", "two"),
		map[string]string{"one/all.yaml": configMap, "two/all.yaml": configMap}, &made)
	names, err := s.Names(t.Context())
	if err != nil || len(names) != 2 {
		t.Fatalf("%v, %v", names, err)
	}
	if a, err := s.Application(t.Context(), "argocd/web"); err != nil || filepath.Base(a.Path()) != "one" {
		t.Errorf("the first: %v, %v", a, err)
	}
	_, err = s.Application(t.Context(), "argocd/web (apps.yaml:8)")
	if err == nil || !strings.Contains(err.Error(), "another Application of this name stands at apps.yaml:1") {
		t.Errorf("the second: %v", err)
	}
}

func TestASearchThatIsInterruptedIsMadeAgain(t *testing.T) {
	made := 0
	s := sourceOf(t, application("web", "web"), map[string]string{"web/all.yaml": configMap}, &made)
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	if names, err := s.Names(interrupted); !errors.Is(err, context.Canceled) || names != nil {
		t.Errorf("interrupted: %v, %v", names, err)
	}
	if _, err := s.Application(interrupted, "argocd/web"); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	made = 0
	for range 2 {
		names, err := s.Names(t.Context())
		if err != nil || !slices.Equal(names, []string{"argocd/web"}) {
			t.Errorf("afterwards: %v, %v", names, err)
		}
	}
	if made != 1 {
		t.Errorf("its application was made %d times", made)
	}
}

func TestWhatHoldsNoApplicationIsAnError(t *testing.T) {
	made := 0
	s := sourceOf(t, configMap, nil, &made)
	_, err := s.Names(t.Context())
	if none := new(app.NoneError); !errors.As(err, &none) || diag.HintOf(err) == "" {
		t.Errorf("%v, with the hint %q", err, diag.HintOf(err))
	}
	_, err = s.Application(t.Context(), "argocd/web")
	if diag.ExitOf(err) != diag.ExitUsage {
		t.Errorf("an unknown name: %v", err)
	}
}

func TestAnApplicationThatCannotBeReadFailsAndItsNeighboursDoNot(t *testing.T) {
	wrong := strings.Replace(application("wrong", "wrong"), "path: wrong", "path: yes", 1)
	made := 0
	s := sourceOf(t, wrong+"---\n"+application("web", "web"), map[string]string{"web/all.yaml": configMap}, &made)
	names, err := s.Names(t.Context())
	if err != nil || !slices.Contains(names, "argocd/web") || len(names) != 2 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		_, err := s.Application(t.Context(), name)
		switch {
		case name == "argocd/web" && err != nil:
			t.Errorf("the neighbour: %v", err)
		case name != "argocd/web" && (err == nil || !strings.Contains(err.Error(), "is a bool")):
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatFailsIsOneMemberWhereItIsFoundAgain(t *testing.T) {
	made := 0
	all := application("root", "apps") + "---\n" + strings.Replace(application("wrong", "wrong"), "path: wrong", "path: yes", 1)
	s := sourceOf(t, all, map[string]string{"apps/all.yaml": all}, &made)
	names, err := s.Names(t.Context())
	n := 0
	for _, name := range names {
		if strings.Contains(name, "wrong") {
			n++
		}
	}
	if err != nil || n != 1 {
		t.Errorf("%v, %v", names, err)
	}
}
