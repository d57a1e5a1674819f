package build_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	ssautil "github.com/fluxcd/pkg/ssa/utils"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/build"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/substitute"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

// ours builds a Kustomization with rollstamp.
func ours(ctx context.Context, k *objects.Kustomization, system files.System, root string, c cluster) (map[string]string, *render.Output, error) {
	request, err := build.Request(k, build.Tree{Files: system, Root: root, Path: k.Spec.Path}, render.Request{})
	if err != nil {
		return nil, nil, err
	}
	out, err := kustomize.Engine{}.Render(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	transforms := []render.Transform{substitute.CommonMetadata(build.Labels(k), build.Annotations(k))}
	if p := k.Spec.PostBuild; p != nil {
		vars, err := c.variables(p)
		if err != nil {
			return nil, nil, err
		}
		transforms = append([]render.Transform{substitute.Variables(vars, substitute.Options{Strict: true, Always: p.Strategy == "Always"})}, transforms...)
	}
	for _, transform := range transforms {
		if out, err = transform(ctx, out); err != nil {
			return nil, nil, err
		}
	}
	all, err := ssautil.ReadObjects(bytes.NewReader(out.Text))
	if err != nil {
		return nil, nil, err
	}
	by, err := byIdentity(all)
	return by, out, err
}

func (c cluster) variables(p *objects.PostBuild) (map[string]substitute.Var, error) {
	vars := map[string]substitute.Var{}
	for _, from := range p.SubstituteFrom {
		data, ok := c.maps[from.Name]
		secrecy := redact.Public
		if from.Kind == "Secret" {
			data, ok = c.secrets[from.Name]
			secrecy = redact.HoldsSecret
		}
		if !ok && !from.Optional {
			return nil, fmt.Errorf("substitute from '%s/%s' error", from.Kind, from.Name)
		}
		for name, value := range data {
			vars[name] = substitute.Var{Value: value, Secrecy: secrecy}
		}
	}
	for name, value := range p.Substitute {
		vars[name] = substitute.Var{Value: value}
	}
	return vars, nil
}

// compare reports where the two differ.
func compare(t *testing.T, name string, want map[string]string, wantErr error, got map[string]string, gotErr error) {
	t.Helper()
	if wantErr != nil || gotErr != nil {
		if wantErr == nil || gotErr == nil {
			t.Errorf("%s: theirs: %v\n    ours: %v", name, wantErr, gotErr)
		}
		return
	}
	for _, id := range slices.Sorted(maps.Keys(want)) {
		if got[id] != want[id] {
			t.Errorf("%s: %s\n  theirs:\n%s\n  ours:\n%s", name, id, want[id], got[id])
		}
	}
	for _, id := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[id]; !ok {
			t.Errorf("%s: %s is ours alone", name, id)
		}
	}
}

// sourceOf returns the folder of a repository that the source of a Kustomization has: its top, or else one of the
// folders in it that are pushed as artifacts.
func sourceOf(repository, path string) string {
	entries, _ := os.ReadDir(repository)
	for _, part := range append([]string{""}, names(entries)...) {
		if info, err := os.Stat(filepath.Join(repository, part, path)); err == nil && info.IsDir() {
			return part
		}
	}
	return ""
}

func names(entries []os.DirEntry) (out []string) {
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)`)

// TestPublicRepositories builds each Kustomization of the repositories below the folders that TREES names.
func TestPublicRepositories(t *testing.T) {
	if os.Getenv("TREES") == "" {
		t.Skip("TREES names no repositories")
	}
	for _, tree := range strings.Fields(os.Getenv("TREES")) {
		t.Run(filepath.Base(tree), func(t *testing.T) {
			packed := pack(t, tree, nil)
			vars := map[string]string{}
			_ = filepath.WalkDir(packed, func(path string, d os.DirEntry, err error) error {
				if text, err := os.ReadFile(path); err == nil && strings.HasSuffix(path, "yaml") {
					for _, m := range variable.FindAllSubmatch(text, -1) {
						vars[string(m[1])] = "v" + fmt.Sprint(len(m[1]))
					}
				}
				return nil
			})
			all, errs := objects.ReadAll(files.Disk{}, packed, func(error) {})
			if len(errs) > 0 {
				t.Log(errs)
			}
			artifact, err := build.Artifact(nil, tree, nil)
			if err != nil {
				t.Fatal(err)
			}
			built, failed, count := 0, 0, 0
			for _, one := range all {
				for _, k := range one.Kustomizations {
					if k.Namespace == "" {
						k.Namespace = "flux-system"
					}
					c := cluster{maps: map[string]map[string]string{}, secrets: map[string]map[string]string{}}
					if p := k.Spec.PostBuild; p != nil {
						for _, from := range p.SubstituteFrom {
							c.maps[from.Name], c.secrets[from.Name] = vars, vars
						}
					}
					part := sourceOf(packed, k.Spec.Path)
					want, wantErr := reference(t.Context(), k, filepath.Join(packed, part), c)
					got, _, gotErr := ours(t.Context(), k, artifact, filepath.Join(tree, part), c)
					built++
					if wantErr != nil {
						failed++
						t.Logf("%s: theirs: %v\n    ours: %v", k, wantErr, gotErr)
					}
					compare(t, k.String(), want, wantErr, got, gotErr)
					count += len(want)
				}
			}
			t.Logf("%d Kustomizations with %d objects, %d of them fail on both sides", built, count, failed)
		})
	}
}
