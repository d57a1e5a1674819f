package report

import (
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/diff"
)

// What all reports of a comparison share: its verdict, the parts of the list of restarts, and the lines.

// Restarts counts the workloads whose running pods are replaced.
func Restarts(c *diff.Comparison) int {
	n := 0
	for _, r := range c.Restarts {
		if partOf(r) != still {
			n++
		}
	}
	return n
}

// Verdict returns the result of a comparison in one line.
func Verdict(c *diff.Comparison) string {
	n := Restarts(c)
	text := "no workload restarts"
	switch {
	case n == 1:
		text = "1 workload restarts"
	case n > 1:
		text = fmt.Sprintf("%d workloads restart", n)
	case !c.Differs():
		text = "nothing differs"
	}
	if c.Failed() {
		text += "; not everything could be rendered"
	}
	return text
}

// part is the part of a report that lists a restart.
type part string

const (
	replaces part = "restart" // its pods are replaced, for something that it reads
	noisy    part = "noise"   // they are replaced, and nothing that it reads has changed
	still    part = "still"   // it changes, and no pod is replaced by that
)

func partOf(r diff.Restart) part {
	switch {
	case !r.Rollout.Replaces():
		return still
	case r.Noise:
		return noisy
	}
	return replaces
}

// group is a part of the list of restarts, under a title for one and for several.
type group struct {
	part      part
	one, many string
}

var groups = []group{
	{replaces, "1 workload restarts", "%d workloads restart"},
	{noisy, "1 workload restarts, and nothing that it reads has changed",
		"%d workloads restart, and nothing that they read has changed"},
	{still, "1 workload changes and does not restart by itself", "%d workloads change and do not restart by themselves"},
}

// of returns the part of the list, and its title.
func (g group) of(all []diff.Restart) (list []diff.Restart, title string) {
	for _, r := range all {
		if partOf(r) == g.part {
			list = append(list, r)
		}
	}
	if len(list) == 1 {
		return list, g.one
	}
	return list, fmt.Sprintf(g.many, len(list))
}

// shown returns the causes of a restart that a reader wants to see: of what only moves along with them, no more than
// that it does.
func shown(r diff.Restart) []diff.Cause {
	if r.Noise {
		return r.Causes
	}
	var out []diff.Cause
	var along []string
	for _, c := range r.Causes {
		if c.Noise {
			along = append(along, c.Path)
		} else {
			out = append(out, c)
		}
	}
	if len(along) > 0 {
		out = append(out, diff.Cause{Reason: movesAlong, Path: strings.Join(along, ", ")})
	}
	return out
}

// movesAlong is the reason of a line that only counts what has no meaning.
const movesAlong diff.Reason = "along"

// Effect returns in words how a rollout goes, "" where it goes as usual.
func Effect(r diff.Rollout) string {
	word := map[diff.Effect]string{
		diff.Rolling:     "",
		diff.AllAtOnce:   "all pods at once",
		diff.Progressive: "in the steps of its Rollout",
		diff.Revision:    "a new revision takes over",
		diff.Paused:      "paused: when it is resumed",
		diff.OnDelete:    "each pod when somebody deletes it",
		diff.NextRun:     "from its next run on",
		diff.Rerun:       "it runs at each sync",
		diff.Rejected:    "the API server refuses the change",
		diff.Nothing:     "running pods stay",
	}[r.Effect]
	switch {
	case word == "":
		return r.Detail
	case r.Detail == "":
		return word
	}
	return word + "; " + r.Detail
}

// CauseText returns a line with why a workload restarts.
func CauseText(c diff.Cause) string {
	switch c.Reason {
	case diff.Config, diff.First:
		return configText(c)
	case diff.Image:
		return "image " + itemOf(c.Path) + " " + arrow(c)
	case movesAlong:
		return "(moves along: " + c.Path + ")"
	case diff.Requested:
		return "a restart was asked for: " + arrow(c)
	}
	text := c.Path + " " + arrow(c)
	if c.Why != "" {
		text += ": " + c.Why
	}
	return text
}

func configText(c diff.Cause) string {
	name := c.Object
	if c.Via != "" {
		name += " (from " + c.Via + ")"
	}
	switch {
	case c.Reason == diff.First:
		return name + ": stamped for the first time"
	case len(c.Keys) > 0:
		return name + ": " + KeysText(c.Keys)
	case c.Change == diff.Addition:
		return name + ": newly read"
	case c.Change == diff.Removal:
		return name + ": no longer read"
	}
	return name + ": what is read of it changed"
}

// KeysText lists changed keys.
func KeysText(keys []diff.KeyChange) string {
	var parts []string
	for i, k := range keys {
		if i == 12 {
			parts = append(parts, fmt.Sprintf("and %d more", len(keys)-i))
			break
		}
		parts = append(parts, k.Key+" "+string(k.Change))
	}
	return strings.Join(parts, ", ")
}

// itemOf returns the name in brackets at the end of a path.
func itemOf(path string) string {
	i := strings.LastIndexByte(path, '[')
	return strings.TrimSuffix(path[i+1:], "]")
}

// arrow shows what became of a value.
func arrow(c diff.Cause) string {
	from, to := c.From, c.To
	if c.Reason == diff.Image {
		from, to = shorter(from, to)
	}
	switch c.Change {
	case diff.Addition:
		return "added: " + brief(to)
	case diff.Removal:
		return "removed: " + brief(from)
	case diff.Reordering:
		return "reordered"
	}
	return brief(from) + " -> " + brief(to)
}

// shorter drops the repository of two images where it is the same.
func shorter(from, to string) (string, string) {
	a, b := strings.LastIndexByte(from, ':'), strings.LastIndexByte(to, ':')
	if a > 0 && b > 0 && from[:a] == to[:b] && !strings.Contains(from[a:]+to[b:], "/") {
		return from[a+1:], to[b+1:]
	}
	return from, to
}

// brief shows a value in a line.
func brief(v string) string {
	const widest = 60
	if n := strings.Count(strings.TrimSuffix(v, "\n"), "\n"); n > 0 {
		return fmt.Sprintf("(%d lines)", n+1)
	}
	v = strings.TrimSuffix(v, "\n")
	if isHash(v) {
		return v[:12] + "..."
	}
	if v == "" {
		return `""`
	}
	if r := []rune(v); len(r) > widest {
		return string(r[:widest]) + "..."
	}
	return v
}

func isHash(v string) bool {
	return len(v) >= 32 && strings.Trim(v, "0123456789abcdef") == ""
}

// whys are the reasons why configuration restarts nothing.
var whys = map[string]string{
	diff.NotConsumed: "no workload of its application reads it",
	diff.KeysNotRead: "no workload reads these keys",
	diff.LiveOnly:    "reads it through volumes that are kept up to date",
	diff.OptedOut:    "is not to be restarted for it",
	diff.NoRestart:   "starts afresh anyway, or cannot be restarted",
	diff.Unclear:     "reads what is not known here",
}

// QuietText returns a line with why configuration restarts nothing.
func QuietText(q diff.Quiet) string {
	why := whys[q.Reason]
	if q.Reader != "" {
		why = q.Reader + " " + why
	}
	return fmt.Sprintf("%s: %s: %s", q.Name, KeysText(q.Keys), why)
}

// quietOf returns that with the application, where there are several.
func quietOf(q diff.Quiet, many bool) string {
	if !many {
		return QuietText(q)
	}
	name := q.Name.String()
	return name + of(q.App) + strings.TrimPrefix(QuietText(q), name)
}

// tally counts objects by what became of them.
func tally(all []diff.ObjectChange) string {
	n := map[diff.Change]int{}
	for _, o := range all {
		n[o.Change]++
	}
	var parts []string
	for _, c := range []diff.Change{diff.Addition, diff.Modification, diff.Removal} {
		if n[c] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[c], c))
		}
	}
	return strings.Join(parts, ", ")
}

// FieldText returns a line with what became of a field.
func FieldText(f diff.FieldChange) string {
	if f.Hidden {
		return f.Path + " " + string(f.Change) + " (hidden)"
	}
	return f.Path + ": " + arrow(diff.Cause{Change: f.Change, From: f.From, To: f.To})
}

func side(name string, c *diff.Comparison) string {
	if name == "from" {
		return c.From
	}
	return c.To
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}
