package rounds

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/files"
)

// folders are those of Kustomizations, as far as they are known, as absolute paths.
type folders struct {
	of map[*member]string
	in map[string][]*member // by the folder; the first is that whose file is
}

// folders returns the folders of the Kustomizations among members.
func (s *Source) folders(ctx context.Context, all []*member) *folders {
	out := &folders{map[*member]string{}, map[string][]*member{}}
	for _, m := range all {
		if m.kustomization == nil {
			continue
		}
		t, err := s.finder.tree(ctx, m.kustomization.Spec.SourceRef.In(m.Namespace))
		if err != nil || !files.Within(s.finder.root, t.root) {
			continue // its files are others than those that were read
		}
		if dir, err := t.inside(m.kustomization.Spec.Path); err == nil {
			out.of[m] = dir
			out.in[dir] = append(out.in[dir], m)
		}
	}
	for _, all := range out.in {
		slices.SortStableFunc(all, func(a, b *member) int {
			return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), a.Pos.Line-b.Pos.Line)
		})
	}
	return out
}

// drop forgets the folder of a Kustomization.
func (f *folders) drop(m *member) {
	dir := f.of[m]
	delete(f.of, m)
	f.in[dir] = slices.DeleteFunc(f.in[dir], func(in *member) bool { return in == m })
}

// covering returns the Kustomization but for one whose folder a file lies in, the nearest; nil where there is none.
func (f *folders) covering(file string, but *member) *member {
	for dir := filepath.Clean(file); ; dir = filepath.Dir(dir) {
		for _, m := range f.in[dir] {
			if m != but {
				return m
			}
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}
