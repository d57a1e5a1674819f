package rounds

import (
	"context"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
)

// unnamed is an object in a file below a folder with a kustomization that does not name the file.
type unnamed struct {
	*member
	dir kustomized
}

// notBuilt returns what was read but for what the kustomization of a folder names, and for files below the folder that
// it does not name: what the folder has is what it builds, and found is that. Such a file counts where a Kustomization
// that counts is likely to apply it, or where the user names it.
func (s *Source) notBuilt(
	ctx context.Context, read []*objects.Objects, found *objects.Objects, dir kustomized,
) (out []*objects.Objects) {
	var left []*objects.Objects
	known := newMembers(found, nil)
	for _, o := range read {
		switch {
		case slices.ContainsFunc(o.Files, func(file string) bool { return dir.names[absolute(file)] }):
		case s.finder.isOnlyBelow(o, dir):
			left = append(left, o)
		default:
			out, known = append(out, o), append(known, newMembers(o, nil)...)
		}
	}
	for isMore := true; isMore; {
		in := s.folders(ctx, known)
		if isAnyElsewhere(known, in) {
			return append(out, left...) // that may apply any of them
		}
		before := len(left)
		left = slices.DeleteFunc(left, func(o *objects.Objects) bool {
			all := newMembers(o, nil)
			isApplied := slices.ContainsFunc(all, func(m *member) bool { return coveredBy(m, in) != nil })
			if isApplied {
				out, known = append(out, o), append(known, all...)
			}
			return isApplied
		})
		isMore = len(left) < before
	}
	for _, o := range left {
		for _, m := range newMembers(o, nil) {
			s.unnamed = append(s.unnamed, unnamed{m, dir})
		}
	}
	return out
}

// isOnlyBelow reports whether objects lie below a folder with a kustomization, and at no other path of the user there.
func (f *finder) isOnlyBelow(o *objects.Objects, dir kustomized) bool {
	return len(o.Files) > 0 && !slices.ContainsFunc(o.Files, func(file string) bool {
		return !files.Within(absolute(dir.path), absolute(file)) || slices.ContainsFunc(f.Paths, func(path string) bool {
			isOther := absolute(path) != absolute(dir.path) && files.Within(absolute(dir.path), absolute(path))
			return isOther && files.Within(absolute(path), absolute(file))
		})
	})
}

// isAnyElsewhere reports whether the folder of a Kustomization among the members is not known.
func isAnyElsewhere(all []*member, in *folders) bool {
	return slices.ContainsFunc(all, func(m *member) bool {
		_, known := in.of[m]
		return m.kustomization != nil && !known
	})
}

// reportUnnamed reports objects that the kustomization of their folder does not name, with the first application that
// the folder has.
func (s *Source) reportUnnamed() {
	for _, one := range s.unnamed {
		isOf := func(m *member) bool { return m.parent == nil && one.dir.names[absolute(m.Pos.File)] }
		if i := slices.IndexFunc(s.members, isOf); i >= 0 {
			m := s.members[i]
			m.findings = append(m.findings, diag.New(diag.FluxNotApplied, one.String(), fmt.Sprintf(
				"%s does not name its file", files.FromHere(one.dir.file))).At(one.Pos))
		}
	}
}
