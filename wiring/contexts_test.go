package wiring_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/wiring"
)

// counted is the disk with a count of how often templates are read.
type counted struct {
	files.Disk
	templates atomic.Int64
}

func (c *counted) ReadFile(path string) ([]byte, error) {
	if strings.Contains(path, "/templates/") {
		c.templates.Add(1)
	}
	return c.Disk.ReadFile(path)
}

// platform writes a repository with a chart and applications that look things up in it, and returns their paths.
func platform(t *testing.T, applications int) (paths []string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".git/HEAD", "")
	write("platform/Chart.yaml", "{apiVersion: v2, name: platform, version: 1.0.0}\n")
	write("platform/templates/c.yaml",
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: '{{ .Release.Name }}-settings'}, data: {a: b}}\n")
	pod := strings.SplitAfter(manifests, "---\n")[2]
	for i := range applications {
		dir := fmt.Sprintf("apps/%03d", i)
		write(dir+"/.rollstamp.yaml", "context: [../../platform]\n")
		write(dir+"/web.yaml", strings.ReplaceAll(pod, "{name: settings}", "{name: release-name-settings}"))
		paths = append(paths, filepath.Join(top, dir))
	}
	return paths
}

func TestAContextIsRenderedOnceForAllApplicationsOfARun(t *testing.T) {
	reads := func(paths []string, resident bool) int64 {
		t.Helper()
		system := &counted{}
		w := connect(t, "")
		if resident {
			w = w.Resident()
		}
		at := app.Place{Files: system, Roots: &config.Roots{Files: system}}
		errs := fleet.Each(t.Context(), len(paths), func(ctx context.Context, i int) error {
			a, err := wiring.Paths{Wiring: w}.Application(ctx, at, paths[i])
			if err != nil {
				return err
			}
			result, err := pipeline.Run(ctx, a)
			if err != nil {
				return err
			}
			if r := result.Plan.Workloads[0].References[0]; r.Source != "context" || r.Digest == "" {
				return fmt.Errorf("%s is found in %q", r.Name, r.Source)
			}
			return nil
		}, nil)
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
		return system.templates.Load()
	}
	paths := platform(t, 200)
	one := reads(paths[:1], false)
	if all := reads(paths, false); all != one || one == 0 {
		t.Errorf("for 200 applications templates are read %d times, for one %d times", all, one)
	}
	if all := reads(paths[:3], true); all != 3*one {
		t.Errorf("a process that stays reads them %d times for 3 applications, not %d", all, 3*one)
	}
}
