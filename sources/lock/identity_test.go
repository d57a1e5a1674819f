package lock_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/sources/lock"
)

func TestEachApplicationHasALineOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		identity lock.Identity
		want     string
	}{
		{lock.Identity{Path: "/r/apps/web"}, "path/apps/web"},
		{lock.Identity{Path: "/r"}, "path/."},
		{lock.Identity{Path: "/r/a b/x@y"}, "path/a%20b/x%40y"},
		{lock.Identity{Path: "/r/web", Environment: "dev"}, "path/web@dev path/web"},
		{lock.Identity{Path: "/r/apps/dev.yaml", IsFile: true}, "path/apps/dev.yaml path/apps"},
		{lock.Identity{Path: "/r/web", Declared: lock.Declared{Engine: lock.ArgoCD, Name: "team/web"}},
			"argocd/team/web@web path/web"},
		{lock.Identity{Path: "/r/apps/staging", Declared: lock.Declared{Engine: lock.Flux,
			Name: "Kustomization/flux-system/apps", In: "/r/clusters/staging", From: "/r/clusters/staging"}},
			"flux/Kustomization/flux-system/apps@clusters/staging path/apps/staging"},
		{lock.Identity{Declared: lock.Declared{Engine: lock.Flux, Name: "HelmRelease/shop/web", In: "/r/apps/base",
			From: "/r/clusters/staging"}},
			"flux/HelmRelease/shop/web@apps/base@clusters/staging flux/HelmRelease/shop/web@apps/base"},
		{lock.Identity{Declared: lock.Declared{Engine: lock.Flux, Name: "HelmRelease/shop/web", In: "/other/apps",
			From: "/other/apps", Top: "/other"}}, "flux/HelmRelease/shop/web@/apps"},
	} {
		if got := joined(c.identity.Names("/r")); got != c.want {
			t.Errorf("%+v: %s, want %s", c.identity, got, c.want)
		}
	}
}

func joined(names []lock.Application) (out string) {
	for i, name := range names {
		if i > 0 {
			out += " "
		}
		out += string(name)
	}
	return out
}

// TestIdentitiesAreDistinct takes random applications of one repository: of two that differ, no one has the own name of
// the other.
func TestIdentitiesAreDistinct(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"web", "web@dev", "dev", "a b", "a%20b", "path", "x", "."}
	word := func() string { return words[random.IntN(len(words))] }
	path := func() string { return filepath.Join("/r", word(), word()) }
	make1 := func() (i lock.Identity) {
		switch random.IntN(4) {
		case 0:
			i.Path, i.Environment = path(), []string{"", "dev", "x"}[random.IntN(3)]
		case 1:
			i.Path, i.IsFile = path(), true
		case 2:
			i.Path = path()
			i.Declared = lock.Declared{Engine: lock.ArgoCD, Name: word()}
		default:
			in := path()
			i.Declared = lock.Declared{Engine: lock.Flux, Name: "HelmRelease/" + word() + "/" + word(), In: in, From: in}
			if random.IntN(2) == 0 {
				i.Declared.From = path()
			}
		}
		return i
	}
	for _, folder := range []string{"/r", "/r/web", "/r/web/dev/x"} {
		known := map[lock.Application]lock.Identity{}
		for range 4000 {
			i := make1()
			name := i.Names(folder)[0]
			i.IsFile = false // a file is the path that it has
			if other, is := known[name]; is && other != i {
				t.Fatalf("from %s, %s is the name of %+v and of %+v", folder, name, other, i)
			}
			known[name] = i
		}
	}
}

func TestAPartGoesByTheLinesOfWhatAppliesIt(t *testing.T) {
	part := lock.Identity{Declared: lock.Declared{Engine: lock.Flux, Name: "HelmRelease/shop/web", In: "/r/apps",
		From: "/r/apps"}}
	const line = "\nflux/HelmRelease/shop/web@apps@clusters/%s Deployment/shop/web#ConfigMap/c adopted v1-0123456789abcdef\n"
	staging, production := fmt.Sprintf(line, "staging"), fmt.Sprintf(line, "production")
	const own = "flux/HelmRelease/shop/web@apps"
	for text, want := range map[string]string{
		"":                   own,
		staging:              own + " " + own + "@clusters/staging",
		staging + production: own, // which of them is not known
	} {
		path := filepath.Join(t.TempDir(), lock.FileName)
		if err := os.WriteFile(path, []byte("schema 3\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := lock.Load(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := joined(part.NamesIn("/r", f)); got != want {
			t.Errorf("with %q: %s, want %s", text, got, want)
		}
		if by := f.AppliedBy(own); !slices.IsSorted(by) {
			t.Errorf("not sorted: %v", by)
		}
	}
}
