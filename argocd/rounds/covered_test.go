package rounds

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

func TestCoveredAreTheFilesThatAnotherReads(t *testing.T) {
	t.Chdir(t.TempDir())
	of := func(file string, reads ...string) described {
		d := described{Application: &apps.Application{Pos: diag.Position{File: file, Line: 1}}}
		for _, path := range reads {
			abs, err := filepath.Abs(path)
			if err != nil {
				t.Fatal(err)
			}
			d.read(render.KindKustomize, []string{abs})
		}
		return d
	}
	for _, c := range []struct {
		name string
		all  []described
		want []bool
	}{
		{"a child", []described{of("root.yaml", "apps/web.yaml"), of("apps/web.yaml")}, []bool{false, true}},
		{"a grandchild", []described{of("c.yaml"), of("b.yaml", "c.yaml"), of("a.yaml", "b.yaml")},
			[]bool{true, true, false}},
		{"itself", []described{of("root.yaml", "root.yaml")}, []bool{false}},
		{"two that read each other", []described{of("a.yaml", "b.yaml"), of("b.yaml", "a.yaml")}, []bool{false, false}},
		{"two below a root", []described{of("a.yaml", "b.yaml"), of("b.yaml", "a.yaml"), of("root.yaml", "a.yaml")},
			[]bool{true, true, false}},
		{"standard input", []described{of(""), of("root.yaml", ".")}, []bool{false, false}},
	} {
		if got := covered(c.all); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	var plain described
	if plain.read(render.KindPlain, []string{"/web.yaml"}); len(plain.reads) > 0 {
		t.Errorf("a folder of plain manifests reads %v", plain.reads)
	}
}
