package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// maxFields is how many fields of an object are shown, where not all are.
const maxFields = 8

// objectSection lists the objects. What changes in labels, annotations and stamps only is one item each, where not
// everything is asked for, and so are objects that change alike.
func objectSection(c *diff.Comparison, style Style) section {
	if len(c.Objects) == 0 {
		return section{}
	}
	out := section{Part: changed, Title: objectsTitle(c.Objects)}
	var stamps, labelled []item
	keys := map[string]bool{}
	foldLabels := manyLabelled(c.Objects)
	for _, o := range c.Objects {
		one, fields := objectItem(o, style), withoutStamps(o.Fields)
		one.App = appOf(c, o.App)
		switch {
		case o.Change != diff.Modification || style.All || o.Was != "":
			out.Items = append(out.Items, one)
		case len(fields) == 0:
			stamps = append(stamps, one)
		case foldLabels && onlyLabels(fields):
			labelled = append(labelled, one)
			for _, f := range fields {
				keys[labelKey(f.Path)] = true
			}
		default:
			out.Items = append(out.Items, one)
		}
	}
	out.Items = foldOneSided(fold(out.Items, countOf("object")), style)
	if n := len(labelled); n > 0 {
		names := slices.Sorted(maps.Keys(keys))
		labels := item{Sign: "~", Head: objectsChange(n) + " in labels and annotations only: " + joinSome(names, 6)}
		out.Items = append(out.Items, labels.about(labelled))
	}
	if n := len(stamps); n > 0 {
		all := item{Sign: "~", Head: objectsChange(n) + " in stamps only"}
		out.Items = append(out.Items, all.about(stamps))
	}
	return out
}

// foldOneSided groups objects of one kind that are all new, or all gone, where they are more than a reader wants a line
// of each.
func foldOneSided(items []item, style Style) []item {
	if style.All {
		return items
	}
	key := func(i item) string {
		kind, _, _ := strings.Cut(i.Head, " ")
		if i.Sign == "~" || len(i.Lines)+len(i.Names) > 0 {
			return ""
		}
		return i.Sign + kind + join(i.Notes)
	}
	same := map[string][]item{}
	for _, one := range items {
		same[key(one)] = append(same[key(one)], one)
	}
	var out []item
	for _, one := range items {
		group := same[key(one)]
		switch {
		case key(one) == "" || len(group) <= maxSame:
			out = append(out, one)
		case group[0].Head == one.Head && group[0].App == one.App:
			kind, _, _ := strings.Cut(one.Head, " ")
			all := item{Sign: one.Sign, Head: diag.Count(len(group), kind)}
			out = append(out, all.about(group))
		}
	}
	return out
}

func objectsTitle(all []diff.ObjectChange) string { return "Objects: " + tally(all) }

// manyLabelled reports whether so many objects change in labels and annotations only that they are one item.
func manyLabelled(all []diff.ObjectChange) bool {
	n := 0
	for _, o := range all {
		if fields := withoutStamps(o.Fields); len(fields) > 0 && o.Was == "" && onlyLabels(fields) {
			n++
		}
	}
	return n >= few
}

func objectsChange(n int) string {
	if n == 1 {
		return "1 object changes"
	}
	return fmt.Sprintf("%d objects change", n)
}

// objectItem returns an object with its fields.
func objectItem(o diff.ObjectChange, style Style) item {
	one := item{Head: o.Name.String(),
		Sign: cmp.Or(map[diff.Change]string{diff.Addition: "+", diff.Removal: "-"}[o.Change], "~")}
	if o.Was != "" {
		one.Notes = append(one.Notes, "was "+o.Was)
	}
	if o.Stays != "" {
		one.Notes = append(one.Notes, "stays in the cluster: "+o.Stays)
	}
	fields := o.Fields
	if !style.All { // the stamps follow from the causes above, and the name from what it was
		fields = slices.DeleteFunc(slices.Clone(withoutStamps(fields)), func(f diff.FieldChange) bool {
			return o.Was != "" && f.Path == "metadata.name"
		})
	}
	for i := 0; i < len(fields); i++ {
		if len(one.Lines) == maxFields && !style.All {
			one.Lines = append(one.Lines, line{Text: fmt.Sprintf("and %d more; -v shows all", len(fields)-i)})
			break
		}
		f, n := fields[i], 1
		for f.Item && i+n < len(fields) && fields[i+n].Item && fields[i+n].Path == f.Path {
			n++
		}
		if n > 1 {
			one.Lines = append(one.Lines, line{Text: f.Path, Hunk: itemsHunk(fields[i : i+n])})
		} else {
			one.Lines = append(one.Lines, fieldLine(f))
		}
		i += n - 1
	}
	return one
}

// itemsHunk returns the items that come to a list and go from it as lines of a diff.
func itemsHunk(fields []diff.FieldChange) []string {
	var out []string
	for _, f := range fields {
		sign := map[diff.Change]string{diff.Addition: "+", diff.Removal: "-"}[f.Change]
		out = append(out, sign+oneLine(f.From+f.To))
	}
	return out
}

func withoutStamps(fields []diff.FieldChange) []diff.FieldChange {
	isStamp := func(f diff.FieldChange) bool { return f.Stamp }
	if !slices.ContainsFunc(fields, isStamp) {
		return fields
	}
	return slices.DeleteFunc(slices.Clone(fields), isStamp)
}

// onlyLabels reports whether all changes are of labels and annotations.
func onlyLabels(fields []diff.FieldChange) bool {
	return !slices.ContainsFunc(fields, func(f diff.FieldChange) bool { return labelKey(f.Path) == "" })
}

// labelKey returns the key of the label or annotation at a path; "" where it is none.
func labelKey(path string) string {
	for _, field := range []string{"metadata.labels", "metadata.annotations"} {
		at := strings.LastIndex(path, field)
		if at < 0 || at > 0 && path[at-1] != '.' {
			continue
		}
		key := path[at+len(field):]
		return cmp.Or(strings.Trim(strings.TrimPrefix(key, "."), `[]"`), field)
	}
	return ""
}

// fieldLine returns what became of a field.
func fieldLine(f diff.FieldChange) line {
	switch {
	case f.Hidden:
		return line{Text: f.Path + " " + string(f.Change) + " (hidden)"}
	case f.Hunks != "":
		return line{Text: f.Path, Hunk: strings.Split(f.Hunks, "\n")}
	case f.Change == diff.Reordering:
		return line{Text: f.Path + ": reordered"}
	}
	out := line{Text: f.Path}
	if f.Change != diff.Addition {
		out.From = &f.From
	}
	if f.Change != diff.Removal {
		out.To = &f.To
	}
	if !f.Item && f.Change != diff.Modification {
		out.Text += " " + string(f.Change)
	}
	return out
}

// tally counts objects by what became of them.
func tally(all []diff.ObjectChange) string {
	n := map[diff.Change]int{}
	stay := 0
	for _, o := range all {
		if o.Stays != "" {
			stay++
			continue
		}
		n[o.Change]++
	}
	var parts []string
	for _, c := range []diff.Change{diff.Addition, diff.Modification, diff.Removal} {
		if n[c] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[c], c))
		}
	}
	if stay > 0 {
		parts = append(parts, fmt.Sprintf("%d without a manifest (not removed)", stay))
	}
	return strings.Join(parts, ", ")
}
