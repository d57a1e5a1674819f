package report

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/sources/lock"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// What all reports of a comparison share: the words of their lines.

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
		diff.Suspended:   "suspended: changes wait",
		diff.OnDelete:    "each pod when somebody deletes it",
		diff.NextRun:     "from its next run on",
		diff.Rerun:       "it runs again",
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
	case diff.Config, diff.First, diff.Uncounted:
		return configText(c)
	case diff.Image:
		return "image " + itemOf(c.Path) + " " + arrow(c)
	case movesAlong:
		return "(moves along: " + c.Path + ")"
	case diff.Requested:
		return "a restart was asked for: " + arrow(c)
	}
	text := c.Path + " " + arrow(c)
	if c.Item {
		text = c.Path + ": " + arrow(c)
	}
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
	case c.Reason == diff.First && c.Why != "":
		return name + ": " + c.Why
	case c.Reason == diff.First:
		return name + ": stamped for the first time"
	case c.Reason == diff.Uncounted && c.Why != "":
		return name + ": still read, and no longer stamped (" + c.Why + ")"
	case c.Reason == diff.Uncounted:
		return name + ": still read, and no longer counted (settings or an annotation)"
	case c.Exists == diff.Removal && c.Why != "":
		return name + ": it is not in the manifests any more, and stays in the cluster (" + c.Why + ")"
	case c.Exists == diff.Removal && c.MovedTo != "":
		return name + ": this application has none any more, and " + c.MovedTo + " has one"
	case c.Exists == diff.Removal:
		return name + ": it is gone, and the workload still refers to it"
	case c.Exists == diff.Addition:
		return name + ": it was not there before"
	case len(c.Keys) > 0:
		text := name + ": " + KeysText(c.Keys)
		if filepath.Base(c.File) == lock.FileName {
			text += " (" + c.File + ")"
		}
		switch {
		case c.Why != "" && c.Change == diff.Removal:
			text += ", and " + c.Why
		case c.Why != "":
			text += ": " + c.Why
		}
		return text
	case c.Why != "":
		return name + ": " + c.Why
	case c.Change == diff.Addition:
		return name + ": newly read"
	case c.Change == diff.Removal:
		return name + ": no longer read"
	}
	return name + ": what is read of it changed"
}

// KeysText lists changed keys.
func KeysText(keys []diff.KeyChange) string {
	const most = 12
	names := make([]string, 0, min(len(keys), most))
	for _, k := range keys[:min(len(keys), most)] {
		names = append(names, keyText(k))
	}
	if len(keys) > most {
		names = append(names, fmt.Sprintf("and %d more", len(keys)-most))
	}
	return strings.Join(names, ", ")
}

// anyKey is the key of what is known of no single key.
const anyKey = objects.Anything

// keyText returns what became of a key; of one that an operator fetches, in which version it is fetched.
func keyText(k diff.KeyChange) string {
	name := brief(k.Key)
	if k.Key == anyKey {
		name = "all keys"
	}
	switch {
	case k.From == "" && k.To == "":
		return name + " " + string(k.Change)
	case k.From == "":
		return name + ": " + strings.TrimSpace(brief(k.Remote)+" now "+brief(k.To))
	case k.To == "":
		return name + ": " + strings.TrimSpace(brief(k.Remote)+" "+brief(k.From)+", now unknown")
	}
	return name + ": " + strings.TrimSpace(k.Remote+" "+brief(k.From)+" -> "+brief(k.To))
}

// joinSome joins names, as many as are readable.
func joinSome(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
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
	switch {
	case c.Change == diff.Addition && c.Item:
		return brief(to) + " added"
	case c.Change == diff.Removal && c.Item:
		return brief(from) + " removed"
	case c.Change == diff.Addition:
		return "added: " + brief(to)
	case c.Change == diff.Removal:
		return "removed: " + brief(from)
	case c.Change == diff.Reordering:
		return "reordered"
	}
	from, to = briefs(from, to)
	return from + " -> " + to
}

// shorter drops the repository of two images where it is the same.
func shorter(from, to string) (string, string) {
	a, b := strings.LastIndexByte(from, ':'), strings.LastIndexByte(to, ':')
	if a > 0 && b > 0 && from[:a] == to[:b] && !strings.Contains(from[a:]+to[b:], "/") {
		return from[a+1:], to[b+1:]
	}
	return from, to
}

// widest is how many characters of a value a line has.
const widest = 60

// brief shows a value in a line.
func brief(v string) string {
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

// briefs shows two values in a line each. Where they differ only behind what a line has of them, it is of that place.
func briefs(from, to string) (string, string) {
	const before = 20
	from, to = strings.TrimSuffix(from, "\n"), strings.TrimSuffix(to, "\n")
	a, b := []rune(from), []rune(to)
	if max(len(a), len(b)) <= widest || strings.Contains(from+to, "\n") || isHash(from) || isHash(to) {
		return brief(from), brief(to)
	}
	i, k := firstDifference(from, to)
	if max(i, k) <= widest-before {
		return brief(from), brief(to)
	}
	return briefFrom(a, i-before), briefFrom(b, k-before)
}

// briefFrom shows a value in a line from a character on.
func briefFrom(v []rune, from int) string {
	from = max(from, 0)
	text := brief(string(v[from:]))
	if from > 0 {
		text = "..." + text
	}
	return text
}

// firstDifference returns the character in each of two texts at which they differ. That a hidden value is another one
// counts only where nothing else differs.
func firstDifference(from, to string) (int, int) {
	const was, is = "(hidden)", "(hidden, changed)"
	alike := strings.ReplaceAll(to, is, was)
	if alike == from {
		alike = to
	}
	a, b := []rune(from), []rune(alike)
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	if alike == to {
		return i, i
	}
	k := i
	for rest := string(b[:i]); ; k += len(is) - len(was) { // the hidden values before it
		before, _, found := strings.Cut(to, is)
		if !found || !strings.HasPrefix(rest, before+was) {
			return i, k
		}
		rest, to = rest[len(before+was):], to[len(before+is):]
	}
}

func isHash(v string) bool {
	return len(v) >= 32 && strings.Trim(v, "0123456789abcdef") == ""
}

// whys are the reasons why configuration restarts nothing.
var whys = map[string]string{
	diff.NotConsumed: "no workload of its application reads it",
	diff.KeysNotRead: "no workload of its application reads these keys",
	diff.IsRandom:    "another value in each render, which no stamp has",
	diff.SameContent: "encrypted again, and what workloads read of it is the same",
	diff.LiveOnly:    "reads it through volumes that are kept up to date",
	diff.OptedOut:    "is not to be restarted for it",
	diff.LeftAsIs:    "Flux leaves the object as it is: %s",
	diff.ByOtherTool: "is not restarted by rollstamp, and %s may restart it",
	diff.NoRestart:   "starts afresh anyway, or cannot be restarted",
	diff.Unclear:     "reads what is not known here",
	diff.Waits:       "waits for approval: by itself this restarts nothing",
	diff.IsAdopted:   "does not restart: its line in the lock adopts this content",
}

// quietText returns what of an object changes, and why that restarts nothing.
func quietText(q diff.Quiet) string {
	if q.Reason == diff.ReadElsewhere {
		return elsewhereText(q)
	}
	why := whys[q.Reason]
	if q.Reason == diff.ByOtherTool {
		why = fmt.Sprintf(why, q.Tool)
	}
	if q.Reason == diff.LeftAsIs {
		why = fmt.Sprintf(why, q.Mark)
	}
	if q.Reader != "" {
		why = q.Reader + of(q.ReaderApp) + " " + why
	}
	if len(q.Keys) == 0 {
		return why
	}
	return KeysText(q.Keys) + ": " + why
}

// elsewhereText returns that a workload of another application reads what changes, and what to do for a restart.
func elsewhereText(q diff.Quiet) string {
	what, changes := "it", ""
	if q.Reads != "" {
		what = q.Reads + ", which it makes,"
	} else {
		changes = KeysText(q.Keys) + ": "
	}
	out := changes + q.Reader + of(q.ReaderApp) + " reads " + what + " and will not restart: name "
	if q.Context != "" {
		return out + q.Context + " under context: in the " + config.FileName + " of " + q.ReaderApp
	}
	return out + or(q.App, "this application") + " in the context: of " + or(q.ReaderApp, "its application")
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}
