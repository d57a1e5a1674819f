package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// unknownSection lists what changes, and what it restarts is not known here.
func unknownSection(c *diff.Comparison) section {
	out := section{Part: unclear, Title: "Not known here"}
	var files, perhaps item
	var uncertain, readers, keys []item
	elsewhere := itemsByKind{of: map[string][]item{}}
	for _, u := range c.Unknown {
		switch u.Reason {
		case diff.Elsewhere:
			at := diag.Position{File: u.Object.File, Line: u.Object.Line}.String()
			elsewhere.add(u.Object.Kind, item{Head: u.Object.String(), App: appOf(c, u.App),
				Lines: []line{{Text: unknownText(u), At: at}}})
		case diff.Uncertain:
			at := diag.Position{File: u.Object.File, Line: u.Object.Line}.String()
			uncertain = append(uncertain, item{Head: u.Object.String(), App: appOf(c, u.App),
				Lines: []line{{Text: uncertainText(u), At: at}}})
		case diff.OtherKey:
			keys = append(keys, item{Head: u.Object.String(), App: appOf(c, u.App),
				Lines: []line{{Text: otherKeyText(u)}}})
		case diff.FailedReader:
			readers = append(readers, item{Head: u.Object.String(), App: appOf(c, u.App),
				Lines: []line{{Text: failedReadersText(u)}}})
		case diff.Unread:
			if c.Shard == nil { // another part may read it
				files.Names = append(files.Names, u.File)
			}
		case diff.PerhapsRead:
			if c.Shard == nil {
				perhaps.Names = append(perhaps.Names, u.File)
			}
		}
	}
	out.Items = slices.Concat(fold(keys, countOf("workload")), foldPlaces(uncertain), fold(readers, countOf("object")),
		elsewhere.fold(), renamedItems(c))
	if n := len(files.Names); n > 0 {
		files.Head = diag.Count(n, "changed file") + " that no application here reads"
		out.Items = append(out.Items, files)
	}
	if n := len(perhaps.Names); n > 0 {
		perhaps.Head = perhapsRead(n)
		out.Items = append(out.Items, perhaps)
	}
	if all := applicationsWith(c, diff.StampsBefore); len(all) > 0 {
		out.Items = append(out.Items, item{Head: stampsBefore(len(all)), Names: all})
	}
	if none := applicationsWith(c, diff.NoObject); len(none) > 0 {
		head := "1 application renders no object"
		if len(none) > 1 {
			head = fmt.Sprintf("%d applications render no object", len(none))
		}
		out.Items = append(out.Items, item{Head: head, Names: none})
	}
	return out
}

// stampsBefore returns what is not known of some applications that are adopted.
func stampsBefore(n int) string {
	const text = " adopted, and taken as not stamped on the side without a configuration and a lock: where something has " +
		"stamped there, the stamps go, and that restarts what has them"
	if n == 1 {
		return "1 application is" + text
	}
	return fmt.Sprintf("%d applications are", n) + text
}

// itemsByKind are items about objects, by the kinds of these.
type itemsByKind struct {
	of    map[string][]item
	kinds []string // in the order in which they came
}

func (k *itemsByKind) add(kind string, one item) {
	if k.of[kind] == nil {
		k.kinds = append(k.kinds, kind)
	}
	k.of[kind] = append(k.of[kind], one)
}

// fold groups the items of each kind of which one thing is true.
func (k *itemsByKind) fold() (out []item) {
	for _, kind := range k.kinds {
		for _, one := range fold(k.of[kind], countOf(kind)) {
			if len(one.Names) > 0 && len(one.Lines) > 0 {
				one.Lines = []line{{Text: ofSeveral(one.Lines[0].Text)}}
			}
			out = append(out, one)
		}
	}
	return out
}

// countOf returns a title for several of what a noun names.
func countOf(noun string) func(n int) string {
	return func(n int) string { return diag.Count(n, noun) }
}

// ofSeveral returns what unknownText says of one object as it is said of several.
func ofSeveral(text string) string {
	return strings.NewReplacer("what it restarts", "what they restart", "it takes", "they take",
		"it is new: what it brings", "they are new: what they bring",
		"it is removed: what it had", "they are removed: what they had").Replace(text)
}

// unknownText returns what is not known of an object that a controller renders.
func unknownText(u diff.Unknown) string {
	const text = "what it restarts is not known here"
	switch {
	case u.Via != "" && u.Change == diff.Removal:
		return "it takes values from " + u.Via + ", which is removed: " + text
	case u.Via != "":
		return "it takes values from " + u.Via + ": " + text
	case u.Change == diff.Removal:
		return "it is removed: what it had is not known here"
	case u.Change == diff.Addition:
		return "it is new: what it brings is not known here"
	}
	return text
}

// perhapsRead returns how many changed files templates may read which compute what they read.
func perhapsRead(n int) string {
	what := "it"
	if n > 1 {
		what = "them"
	}
	return diag.Count(n, "changed file") + ": whether a template reads " + what + " is not known here"
}

// uncertainText returns what a workload refers to that is not known here, and what may make it.
func uncertainText(u diff.Unknown) string {
	if application, is := strings.CutPrefix(u.Via, diff.OfApplication); is {
		return "it refers to " + u.Gone + " of " + application + ", which could not be rendered"
	}
	return u.Gone + " is gone here; " + u.Via + ", whose content is not known here, may make it"
}

// otherKeyText returns what is not known of a workload that reads what the lock adopts.
func otherKeyText(u diff.Unknown) string {
	return u.Via + ": its line in the lock was made with a hash key, and this run has none, or another one: pass " +
		"--hash-key-file to know whether a restart follows"
}

// otherKeys returns of how many workloads it is not known for want of the hash key whether they restart, in words.
func otherKeys(c *diff.Comparison) []string {
	seen := map[diff.Name]bool{}
	for _, u := range c.Unknown {
		if u.Reason == diff.OtherKey {
			seen[*u.Object] = true
		}
	}
	switch n := len(seen); n {
	case 0:
		return nil
	case 1:
		return []string{"whether 1 workload restarts is not known without the hash key"}
	default:
		return []string{fmt.Sprintf("whether %d workloads restart is not known without the hash key", n)}
	}
}

// failedReadersText returns which applications may read what changes.
func failedReadersText(u diff.Unknown) string {
	became := map[diff.Change]string{diff.Removal: "it is removed; ", diff.Addition: "it is new; "}[u.Change]
	what := "it"
	if u.Via != "" {
		what = u.Via + ", which it makes"
	}
	known := "what it restarts is not known here"
	if u.Encrypted {
		known = "it is encrypted, and whether its content changed is not known here, nor what it restarts"
	}
	return became + joinSome(u.Readers, 12) + ", which could not be rendered, may read " + what + ": " + known
}

// failedReaders returns how many changes applications may read that could not be rendered, in words.
func failedReaders(c *diff.Comparison) []string {
	n, readers := 0, 0
	for _, u := range c.Unknown {
		if u.Reason == diff.FailedReader {
			n, readers = n+1, max(readers, len(u.Readers))
		}
	}
	switch {
	case n == 0:
		return nil
	case n == 1 && readers == 1:
		return []string{"1 changed object may be read by an application that could not be rendered"}
	}
	return []string{diag.Count(n, "changed object") + " may be read by applications that could not be rendered"}
}

// renamedItems lists the applications that have another name, and the workloads that have come from another one.
func renamedItems(c *diff.Comparison) []item {
	var apps item
	var moved []item
	for _, u := range c.Unknown {
		switch u.Reason {
		case diff.Renamed:
			apps.Lines = append(apps.Lines, line{Text: u.Via + " is now " + u.App})
		case diff.Moved:
			moved = append(moved, item{Head: u.Object.String(), App: appOf(c, u.App), Lines: []line{{
				Text: "it was in " + u.Via + ": whether it restarts is not known here"}}})
		}
	}
	moved = fold(moved, func(n int) string { return fmt.Sprintf("%d workloads", n) })
	if n := len(apps.Lines); n > 0 {
		apps.Head = otherNames(n)
		apps.Lines = append(apps.Lines, line{Text: "Compared as one each. What names applications by their folders" +
			" deletes the objects and creates them again."})
		return append([]item{apps}, moved...)
	}
	return moved
}

func otherNames(n int) string {
	if n == 1 {
		return "1 application has another name"
	}
	return fmt.Sprintf("%d applications have other names", n)
}

// quietSection lists configuration that changes and restarts nothing.
func quietSection(c *diff.Comparison) section {
	out := section{Part: quiet, Title: "Configuration that changes and restarts nothing"}
	for _, q := range c.Quiet {
		out.Items = append(out.Items, item{Head: q.Name.String(), App: appOf(c, q.App), Lines: []line{{Text: quietText(q)}}})
	}
	out.Items = fold(out.Items, func(n int) string { return fmt.Sprintf("%d objects", n) })
	return out
}

// unstableSection lists what differs in each render.
func unstableSection(c *diff.Comparison) section {
	out := section{Part: unstable, Title: "Different in each render, and not compared"}
	for _, u := range c.Unstable {
		text := "its name"
		if len(u.Paths) > 0 {
			text = joinSome(u.Paths, 12)
		}
		out.Items = append(out.Items, item{Head: u.Name.String(), App: appOf(c, u.App), Lines: []line{{Text: text}}})
	}
	out.Items = fold(out.Items, func(n int) string { return fmt.Sprintf("%d objects", n) })
	return out
}
