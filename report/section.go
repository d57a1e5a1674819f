package report

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diff"
)

// section is a part of an answer.
type section struct {
	Part  part   `json:"part"`
	Title string `json:"title"`
	Note  string `json:"note,omitempty"`
	Items []item `json:"items"`
}

// item is one thing of a section, or several of which one thing is true.
type item struct {
	Sign  string   `json:"sign,omitempty"` // "+", "-" or "~" of objects
	Head  string   `json:"head"`
	App   string   `json:"app,omitempty"`
	Notes []string `json:"notes,omitempty"` // a word or two each, in brackets
	Lines []line   `json:"lines,omitempty"`
	Names []string `json:"names,omitempty"` // of an item about several: their heads, with app and kind where these change
	Apps  []string `json:"apps,omitempty"`  // and their applications
}

// line is a line below an item.
type line struct {
	Text string   `json:"text"`
	At   string   `json:"at,omitempty"`   // a position in the source
	From *string  `json:"from,omitempty"` // a value that Text introduces, on both sides; nil where there is none
	To   *string  `json:"to,omitempty"`
	Hunk []string `json:"hunk,omitempty"`
}

// part names a section.
type part string

const (
	guarded  part = "protected" // protected objects that change without an approval
	blocked  part = "blocked"   // will not come up, or is refused
	moving   part = "moves"     // applications that move to another namespace or cluster
	repeated part = "repeated"  // its pods are replaced at each render, whatever changes
	replaces part = "restart"   // its pods are replaced, for something that it reads
	noisy    part = "noise"     // they are replaced, and nothing that it reads has changed
	still    part = "still"     // it changes, and no pod is replaced by that
	outdated part = "stale"     // its stamps in the source are not those of what it reads
	unclear  part = "unknown"   // what it restarts is not known here
	quiet    part = "quiet"     // configuration that restarts nothing
	changed  part = "objects"
	found    part = "findings"
	unstable part = "unstable" // differs in each render
	failures part = "problems"
)

// appOf returns the name of an application where there are several.
func appOf(c *diff.Comparison, name string) string {
	if len(c.Apps) <= 1 {
		return ""
	}
	return name
}

// few is how many alike things are one.
const few = 3

// fold groups items of which everything but the head is the same, where there are at least three.
func fold(items []item, title func(n int) string) []item {
	same := map[string][]int{}
	for i := range items {
		key := items[i].body()
		same[key] = append(same[key], i)
	}
	var out []item
	for i, one := range items {
		group := same[one.body()]
		switch {
		case len(group) < few || len(one.Lines) == 0:
			out = append(out, one)
		case group[0] == i:
			about := make([]item, len(group))
			for n, k := range group {
				about[n] = items[k]
			}
			one.Head, one.App, one.Notes = title(len(group)), "", nil
			out = append(out, one.about(about))
		}
	}
	return out
}

// about returns the item as one about several.
func (i item) about(all []item) item {
	app, kind := "", ""
	shared := !slices.ContainsFunc(all, func(one item) bool { return !slices.Equal(one.Notes, all[0].Notes) })
	if shared {
		i.Notes = all[0].Notes
	}
	for _, one := range all {
		name := one.Head
		if k, rest, ok := strings.Cut(name, " "); ok && k == kind && one.App == app {
			name = rest
		} else if kind = k; one.App != app {
			app = one.App
			name = app + ": " + name
			i.Apps = append(i.Apps, app)
		}
		if len(one.Notes) > 0 && !shared {
			name += " (" + join(one.Notes) + ")"
		}
		i.Names = append(i.Names, name)
	}
	return i
}

// body returns what of an item other items may have, too.
func (i *item) body() string {
	text := i.Sign
	for _, l := range i.Lines {
		text += "\n" + l.Text
		for _, v := range []*string{l.From, l.To} {
			if v != nil {
				text += "\x00" + *v
			}
		}
		for _, h := range l.Hunk {
			text += "\x01" + h
		}
	}
	return text
}

// name returns the head with all that distinguishes the item.
func (i *item) name() string {
	text := i.Head + of(i.App)
	if len(i.Notes) > 0 {
		text += " (" + join(i.Notes) + ")"
	}
	return text
}

func join(notes []string) string {
	text := ""
	for _, n := range slices.Compact(slices.Clone(notes)) {
		if text != "" {
			text += "; "
		}
		text += n
	}
	return text
}
