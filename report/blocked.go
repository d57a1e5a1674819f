package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// countHindered counts the workloads whose pods cannot start, and the objects of which a change is refused.
func countHindered(c *diff.Comparison) (starts, refused int) {
	seen := map[string]bool{}
	for _, b := range c.Blocked {
		if b.Reason == diff.Deleted {
			continue
		}
		key := fmt.Sprint(b.Reason == diff.Refused, b.App, b.Name.String())
		switch {
		case seen[key]:
		case b.Reason == diff.Refused:
			refused++
		default:
			starts++
		}
		seen[key] = true
	}
	return starts, refused
}

// deletedWith returns how many objects go with a namespace or the definition of their kind, in words.
func deletedWith(c *diff.Comparison) []string {
	objects, with := map[diff.Name]bool{}, map[string]bool{}
	for _, b := range c.Blocked {
		if b.Reason == diff.Deleted {
			objects[b.Name], with[b.Object] = true, true
		}
	}
	what := "their namespaces or definitions"
	for one := range with {
		if len(with) == 1 {
			what = one
		}
	}
	switch n := len(objects); n {
	case 0:
		return nil
	case 1:
		return []string{"1 object is deleted with " + what}
	default:
		return []string{fmt.Sprintf("%d objects are deleted with %s", n, what)}
	}
}

// blockedSection lists what will not come up, and what the API server refuses.
func blockedSection(c *diff.Comparison) section {
	out := section{Part: blocked, Title: "Will not come up"}
	causes := causesBefore(c)
	var of [][2]string // the workload of each item
	for _, b := range c.Blocked {
		text := b.Object + " is gone, and " + requirer(b) + "it"
		if b.Of != "" {
			text = b.Of + " is gone, and a container requires its copy " + b.Object
		}
		switch b.Reason {
		case diff.KeyGone:
			text = "key " + brief(b.Key) + " of " + b.Object + " is gone, and a container requires it"
		case diff.NoKey:
			text = b.Object + " has no key " + brief(b.Key) + ", and a container requires it"
		case diff.Refused:
			text = refuses + strings.TrimPrefix(b.Path+": "+b.Why, ": ")
		case diff.Deleted:
			text = deletes + b.Object + ", which is removed"
		}
		at := diag.Position{File: b.File, Line: b.Line}.String()
		if n := len(out.Items); n > 0 && out.Items[n-1].Head == b.Name.String() && out.Items[n-1].App == appOf(c, b.App) {
			out.Items[n-1].Lines = append(out.Items[n-1].Lines, line{Text: text, At: at})
			continue
		}
		of = append(of, workloadOf(b.Name))
		out.Items = append(out.Items, item{Head: b.Name.String(), App: appOf(c, b.App), Lines: []line{{Text: text, At: at}}})
	}
	for i := range out.Items {
		out.Items[i].Lines = append(out.Items[i].Lines, causes[of[i]]...)
	}
	out.Items = foldPlaces(out.Items)
	return out
}

// foldPlaces groups items as fold does, with the position of each beside its name.
func foldPlaces(items []item) []item {
	same := map[string]int{}
	for i := range items {
		same[items[i].body()]++
	}
	for i := range items {
		one := &items[i]
		if len(one.Lines) == 0 || one.Lines[0].At == "" || same[one.body()] < few {
			continue
		}
		one.Notes = append(one.Notes, one.Lines[0].At)
		one.Lines = slices.Clone(one.Lines)
		for k := range one.Lines {
			one.Lines[k].At = ""
		}
	}
	out := fold(items, func(n int) string { return fmt.Sprintf("%d objects", n) })
	for i := range out {
		if text := out[i].Lines; len(out[i].Names) > 0 && !strings.HasPrefix(text[0].Text, refuses) &&
			!strings.HasPrefix(text[0].Text, deletes) {
			out[i].Head = fmt.Sprintf("%d workloads", len(out[i].Names))
		}
	}
	return out
}

// Beginnings of lines about objects that need not be workloads.
const refuses, deletes = "the API server refuses the change: ", "it is deleted with "

// requirer returns what requires an object that is gone, with a verb.
func requirer(b diff.Blocked) string {
	switch kind, _, _ := strings.Cut(b.Object, " "); kind {
	case "ConfigMap", "Secret":
		return "a container requires "
	case "PriorityClass", "RuntimeClass":
		return "the API server refuses pods without "
	}
	return "its pods require "
}
