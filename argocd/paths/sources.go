package paths

import "slices"

// Sources are the reads of one application's sources, each from its own folder.
type Sources []Reads

// Items returns the paths that the annotation needs, each once: for one source from its folder, for several from the
// top of their repositories. So they are where the application has others in Git, such as one that others refer to:
// Argo CD joins each path with the folder of each source, which may be the whole repository.
func (s Sources) Items(hasOthers bool) ([]Item, error) {
	var out []Item
	for _, reads := range s {
		found, err := reads.Items()
		if err != nil {
			return nil, err
		}
		if len(s) > 1 || hasOthers {
			found = reads.FromTop(found)
		}
		for _, item := range found {
			if !slices.ContainsFunc(out, func(i Item) bool { return i.Path == item.Path }) {
				out = append(out, item)
			}
		}
	}
	return out, nil
}

// Files lists the files that any of the sources read.
func (s Sources) Files() []string { return s.each(Reads.Files) }

// Missing returns the files of all sources that an annotation's value does not name.
func (s Sources) Missing(value string) []string {
	return s.each(func(r Reads) []string { return r.Missing(value) })
}

// each merges the results for all sources, sorted and without repetitions.
func (s Sources) each(of func(Reads) []string) []string {
	var out []string
	for _, reads := range s {
		out = append(out, of(reads)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// OfTemplate returns items as a template of Applications takes them: the folder of a source is that of each, and not of
// the one that was rendered.
func (s Sources) OfTemplate(items []Item) []Item {
	var out []Item
	for _, item := range items {
		for _, reads := range s {
			if item.Path == "/"+toSlash(reads.Root, reads.Dir) {
				item.Path = "."
			}
		}
		if !slices.ContainsFunc(out, func(i Item) bool { return i.Path == item.Path }) {
			out = append(out, item)
		}
	}
	return out
}
