package kustomize_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

// TestOutputEqualsKustomizeBuildOfWhatGrows builds what is small here and takes long where somebody has much of it:
// either way ends with the answer of the command.
func TestOutputEqualsKustomizeBuildOfWhatGrows(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		dir     string
		objects int
		files   map[string]string
	}{
		"bases in bases":                   {"b0", 200, nestedBases(200)},
		"bases that two lead to":           {"a0", 64, diamond(7)},
		"patches by target":                {".", 20, patched(20, 300, jsonPatch)},
		"patches by name":                  {".", 20, patched(20, 300, mergePatch)},
		"patches of everything":            {".", 60, patched(60, 30, everyPatch)},
		"patches that select none of many": {".", 20, patched(20, 300, noPatch)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := write(t, row.files) + "/" + row.dir
			want, err := build(t, dir)
			if err != nil {
				t.Fatal(err)
			}
			if got := bytes.Count(want, []byte("kind: ConfigMap")); got != row.objects {
				t.Errorf("it has %d objects, want %d", got, row.objects)
			}
			for _, way := range []config.KustomizeEngine{config.KustomizeNative, config.KustomizeLibrary} {
				out, err := kustomize.Engine{Way: way}.Render(t.Context(), render.Request{Path: dir})
				if err != nil {
					t.Fatalf("%s: %v", way, err)
				}
				if !bytes.Equal(out.Text, want) {
					t.Errorf("%s differs from kustomize build at %s", way, firstDifference(out.Text, want))
				}
			}
		})
	}
}

func numbered(i int) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c%d\ndata:\n  a: \"1\"\n", i)
}

// nestedBases is n kustomizations, of which each leads to the next one.
func nestedBases(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		next := fmt.Sprintf("- ../b%d\n", i+1)
		if i == n-1 {
			next = ""
		}
		files[fmt.Sprintf("b%d/kustomization.yaml", i)] = "resources:\n- all.yaml\n" + next
		files[fmt.Sprintf("b%d/all.yaml", i)] = numbered(i)
	}
	return files
}

// diamond is so many levels of two kustomizations, of which each leads to both of the next level: what lies in the last
// one is there as often as there are ways to it, under a name for each.
func diamond(levels int) map[string]string {
	files := map[string]string{}
	for i := range levels {
		for _, side := range []string{"a", "b"} {
			dir := fmt.Sprintf("%s%d/", side, i)
			leads := fmt.Sprintf("- ../a%d\n- ../b%d\n", i+1, i+1)
			if i == levels-1 {
				leads = "- all.yaml\n"
				files[dir+"all.yaml"] = numbered(0)
			}
			files[dir+"kustomization.yaml"] = "namePrefix: " + side + "\nresources:\n" + leads
		}
	}
	return files
}

const (
	jsonPatch  = "- target:\n    kind: ConfigMap\n    name: c%d\n  patch: |-\n    - {op: add, path: /data/k%d, value: v}\n"
	mergePatch = "- patch: |-\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: c%d}\n    data: {k%d: v}\n"
	everyPatch = "- target: {kind: ConfigMap}\n  patch: |-\n    - {op: add, path: /data/c%d-k%d, value: v}\n"
	noPatch    = "- target: {kind: ConfigMap, name: none%d}\n  patch: |-\n    - {op: add, path: /data/k%d, value: v}\n"
)

// patched is so many objects under so many patches.
func patched(objects, patches int, patch string) map[string]string {
	var all, k strings.Builder
	for i := range objects {
		all.WriteString("---\n" + numbered(i))
	}
	k.WriteString("resources:\n- all.yaml\npatches:\n")
	for i := range patches {
		fmt.Fprintf(&k, patch, i%objects, i)
	}
	return map[string]string{"all.yaml": all.String(), "kustomization.yaml": k.String()}
}
