package contract

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/argocd/parts"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
)

func TestANamedPluginWithoutDiscoveryIsOnlyAskedForManifests(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		if s.Configuration(t).IsDiscoveryConfigured {
			t.Error("the plugin says that it discovers, so every application would be sent once more")
		}
		got := render(t, s, shop(folder.New(t, web)))
		if len(got) != 2 || len(stamps(got["Deployment web"])) != 1 {
			t.Errorf("got %v with stamps %v, want both objects and one stamp", keys(got), stamps(got["Deployment web"]))
		}
	})
}

func TestDiscoveryTakesWhatIsMarkedAsOurs(t *testing.T) {
	marked, anything := []string{"rollstamp", "argocd", "discover"}, []string{"rollstamp", "argocd", "discover", "--any"}
	for name, c := range map[string]struct {
		command []string
		tree    string
		path    string
		want    bool
	}{
		"a file of ours":            {marked, web + "-- .rollstamp.yaml --\n{}\n", ".", true},
		"a file of ours further up": {marked, overlay + "-- .rollstamp.yaml --\n{}\n", "apps/shop", true},
		"no file of ours":           {marked, chart, ".", false},
		"anything: a chart":         {anything, chart, ".", true},
		"anything: a kustomization": {anything, overlay, "apps/shop", true},
		"anything: plain manifests": {anything, web, ".", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := behind(t, sidecar{plugin: func(p *parts.Plugin) { p.Discover = c.command }})
			if !s.Configuration(t).IsDiscoveryConfigured {
				t.Error("the plugin does not say that it discovers")
			}
			call := at(folder.New(t, c.tree), c.path)
			// The first of the calls by which Argo CD looks for a plugin has none of the variables of a render.
			for _, env := range [][]string{call.AnnouncementEnviron(t), call.Environ(t)} {
				got, err := s.Match(t, call, env)
				if err != nil {
					t.Fatal(err)
				}
				if got.IsSupported != c.want {
					t.Errorf("with %d variables: supported %v, want %v", len(env), got.IsSupported, c.want)
				}
			}
		})
	}
}

const overlay = `
-- base/kustomization.yaml --
resources: [settings.yaml]
-- base/settings.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {LOG_LEVEL: info}
-- apps/shop/kustomization.yaml --
namePrefix: shop-
resources: [../../base]
`

func TestWhatLiesAboveTheApplicationInItsRepositoryIsRead(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		got := render(t, s, at(folder.New(t, overlay), "apps/shop"))
		if got["ConfigMap shop-settings"] == nil {
			t.Errorf("got %v", keys(got))
		}
	})
}

func TestAnswersDoNotDependOnWhereTheyAreMade(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		first, err := s.Generate(t, at(folder.New(t, overlay), "apps/shop"))
		if err != nil {
			t.Fatal(err)
		}
		second, err := s.Generate(t, at(folder.New(t, overlay), "apps/shop"))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(first, second) {
			t.Errorf("one tree gave two answers:\n%v\n%v", first, second)
		}
		hides(t, strings.Join(first, ""), s.Work, filepath.Base(s.Work))
	})
}

func TestFilesThatArgoCDSendsOtherwiseThanTheyAreDoNoHarm(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		repo := folder.New(t, web+"-- shared/extra.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra}\n")
		if err := syscall.Mkfifo(filepath.Join(repo, "pipe.yaml"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("shared/extra.yaml", filepath.Join(repo, "extra.yaml")); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(repo, "web.yaml"), 0o755); err != nil {
			t.Fatal(err)
		}
		got := render(t, s, shop(repo))
		if want := []string{"ConfigMap extra", "ConfigMap settings", "Deployment web"}; !reflect.DeepEqual(keys(got), want) {
			t.Errorf("got %v, want %v", keys(got), want)
		}
	})
}

func TestNothingIsReadThroughALinkOutOfTheTree(t *testing.T) {
	outside := filepath.Join(folder.New(t, "-- outside.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: outside}\n"), "outside.yaml")
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		t.Run("relative", func(t *testing.T) {
			repo := folder.New(t, web)
			relative, err := filepath.Rel(repo, outside)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(relative, filepath.Join(repo, "link.yaml")); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Generate(t, shop(repo)); err == nil {
				t.Error("the tree was taken")
			}
		})
		t.Run("absolute", func(t *testing.T) {
			// Argo CD unpacks such a link as one that leads nowhere.
			repo := folder.New(t, web)
			if err := os.Symlink(outside, filepath.Join(repo, "link.yaml")); err != nil {
				t.Fatal(err)
			}
			manifests, err := s.Generate(t, shop(repo))
			hides(t, strings.Join(manifests, ""), "outside")
			if err == nil && !reflect.DeepEqual(keys(objects(t, manifests)), []string{"ConfigMap settings", "Deployment web"}) {
				t.Errorf("got %v", manifests)
			}
		})
		if left := s.LeftFiles(t); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

func TestAChartThatIsTheWholeSourceIsRendered(t *testing.T) {
	// Sources with `chart:` and OCI artifacts have no path: what was pulled is the tree.
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		call := at(folder.New(t, chart), "")
		call.RepoURL, call.TargetRevision, call.Revision = "https://charts.example.com", "1.0.0", "1.0.0"
		got := render(t, s, call)
		if field(got["ConfigMap facts"], "data", "release") != "shop" {
			t.Errorf("got %v", got["ConfigMap facts"])
		}
	})
}

func TestAFileThatWasNotSentNamesTheAnnotationThatWouldSendIt(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		repo := folder.New(t, overlay)
		call := at(repo, "apps/shop")
		call.Sent = filepath.Join(repo, "apps", "shop") // what "." in the annotation sends
		says(t, refused(t, s, call), "base", "argocd.argoproj.io/manifest-generate-paths")
	})
}

func TestTheListedPathsAreEnoughToRender(t *testing.T) {
	repo := folder.New(t, overlay+"-- other/large.yaml --\nnot: ours\n")
	folder.Repository{Dir: repo}.Commit(t, "all")
	call := at(repo, "apps/shop")
	stdout, stderr, err := rollstamp(t, shop(repo), "argocd", "paths", "apps/shop")
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	says(t, stdout, "base")
	hides(t, stdout, "other")
	// A checkout of just what was listed, relative to the application or from the root of the repository.
	narrow := folder.Empty(t)
	listed := strings.FieldsFunc(stdout, func(r rune) bool { return r == ';' || r == '\n' })
	for _, path := range listed {
		path = strings.TrimSpace(path)
		from := filepath.Join(repo, "apps/shop", path)
		if filepath.IsAbs(path) {
			from = filepath.Join(repo, path)
		}
		relative, err := filepath.Rel(repo, from)
		if err != nil {
			t.Fatal(err)
		}
		copyTree(t, from, filepath.Join(narrow, relative))
	}
	call.Repo = narrow
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		if got := render(t, s, call); got["ConfigMap shop-settings"] == nil {
			t.Errorf("got %v", keys(got))
		}
	})
}

// copyTree copies a file or a folder.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	folder.WriteFile(t, to, string(text))
}
