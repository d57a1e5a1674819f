package policy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// Digest is a digest that a line of the lock is about, and the stamp that stays for as long as it is the content's.
type Digest struct{ Value, Stamp string }

// Held is what a line of the lock says of an object: a digest for each pod template of the workload that reads it, or
// one for all of them.
type Held struct {
	Digests []Digest
	Foreign bool     // other tools' annotations stay, too
	Way     plan.Way // how stamps of before got into the template, where that is another way than today's
}

// foreignWord is how a line says that other tools' annotations stay.
const foreignWord = "foreign"

// Adopted returns the text of an adopted line.
func (h Held) Adopted() string {
	var words []string
	for _, d := range h.Digests {
		word := d.Value
		if d.Stamp != "" {
			word += "=" + d.Stamp
		}
		words = append(words, word)
	}
	if len(slices.Compact(slices.Clone(words))) == 1 {
		words = words[:1]
	}
	if h.Foreign {
		words = append(words, foreignWord)
	}
	if way := h.Way.String(); way != "" {
		words = append(words, way)
	}
	return strings.Join(words, " ")
}

// Approved returns the text of an approved line.
func (h Held) Approved() string {
	approved := Held{Digests: make([]Digest, len(h.Digests))}
	for i, d := range h.Digests {
		approved.Digests[i].Value = d.Value
	}
	return approved.Adopted()
}

// parseHeld reads the text of a line.
func parseHeld(class lock.Class, text string) (h Held) {
	for word := range strings.SplitSeq(text, " ") {
		if word == foreignWord {
			h.Foreign = true
			continue
		}
		if way, is := plan.WayOf(word); is {
			h.Way = way
			continue
		}
		value, stamp, _ := strings.Cut(word, "=")
		if class == lock.Approved {
			stamp = value
		}
		h.Digests = append(h.Digests, Digest{value, stamp})
	}
	return h
}

// LacksKey reports whether a line holds digests made with a hash key, and the digests of today are made without one, so
// that nothing is known of whether it holds.
func LacksKey(d lock.Decision, today []Digest) bool {
	return IsKeyed(d) && len(today) > 0 && !slices.ContainsFunc(today, Digest.isKeyed)
}

// IsKeyed reports whether a line holds digests made with a hash key.
func IsKeyed(d lock.Decision) bool {
	return d.Class != lock.Restart && slices.ContainsFunc(parseHeld(d.Class, d.Text).Digests, Digest.isKeyed)
}

// HoldsKeyed reports whether a digest of today is made with a hash key, and is one that a line holds: then the line was
// made with the same key.
func HoldsKeyed(d lock.Decision, today []Digest) bool {
	return IsKeyed(d) && slices.ContainsFunc(parseHeld(d.Class, d.Text).Digests, func(one Digest) bool {
		return one.isKeyed() && slices.ContainsFunc(today, func(t Digest) bool { return t.Value == one.Value })
	})
}

func (d Digest) isKeyed() bool { return hashing.IsKeyed(d.Value) }

// line is an adopted or approved line while it is looked up.
type line struct {
	Held
	class  lock.Class
	open   bool // a merge left it in conflict: nothing is approved by it
	uses   int  // digests of the object that were looked up
	manual bool // one of them is of a workload that waits for approval
}

// lines are by what they are about.
type lines map[consumption]*line

// consumption is an object of a workload, each as decisions name it.
type consumption struct{ workload, object string }

func newLines(all []lock.Decision) lines {
	memory := make([]line, 0, len(all))
	out := make(lines, len(all))
	for i := range all {
		if one := &all[i]; one.Class != lock.Restart {
			memory = append(memory, line{Held: parseHeld(one.Class, one.Text), class: one.Class, open: one.Conflict})
			out[consumption{one.Workload, one.Object}] = &memory[len(memory)-1]
		}
	}
	return out
}

// Unchecked is a digest of a run that a line of the lock may hold or not: the line has digests made with a hash key,
// and the run has none, or perhaps another one.
type Unchecked struct {
	plan.Wanted
	Line string // the digests that it has
}

// hold returns what is not to be written as it is wanted, and that of which it is not known whether lines hold it.
func (all lines) hold(
	workloads []plan.Workload, places []plan.Place, wanted []plan.Wanted,
) (holds []plan.Hold, unchecked []Unchecked) {
	sameKey := false // a line has a digest of this run, or the stamp of before that it keeps
	var id []byte
	holds = make([]plan.Hold, 0, min(len(all), len(wanted)))
	for i := range wanted {
		w := &wanted[i]
		p := &places[w.Place]
		if !isDigest(w.Reason) || p.Workload < 0 || p.Excluded || len(all) == 0 && !p.Manual {
			continue
		}
		of := &workloads[p.Workload]
		id = append(append(append(append(append(id[:0], of.Kind...), '/'), of.Namespace...), '/'), of.Name...)
		at := len(id)
		id = appendObject(id, w)
		l := all[consumption{string(id[:at]), string(id[at:])}]
		if l == nil && p.Manual && w.Reason == plan.Digest {
			holds = append(holds, plan.Hold{Wanted: *w, Held: plan.Waiting})
		}
		if l == nil {
			continue
		}
		if h, held := l.hold(w, p.Manual); held {
			holds = append(holds, h)
		}
		isHeld := slices.ContainsFunc(l.Digests, func(d Digest) bool { return d.Value == w.Value || d.Stamp == w.Value })
		sameKey = sameKey || isHeld && hashing.IsKeyed(w.Value)
		if !isHeld && slices.ContainsFunc(l.Digests, Digest.isKeyed) {
			unchecked = append(unchecked, Unchecked{*w, l.text()})
		}
	}
	withoutMixed(holds, wanted)
	if sameKey {
		unchecked = slices.DeleteFunc(unchecked, func(u Unchecked) bool { return hashing.IsKeyed(u.Value) })
	}
	return holds, unchecked
}

// text returns what an adopted line says of digests. One that is approved is written whatever the key is.
func (l *line) text() string {
	if l.class != lock.Adopted {
		return ""
	}
	var out strings.Builder
	for _, d := range l.Digests {
		out.WriteString(d.Value + "=" + d.Stamp + " ")
	}
	return out.String()
}

// isDigest reports whether a stamp is one of what a workload consumes.
func isDigest(r plan.Reason) bool { return r == plan.Digest || r == plan.Variable }

// withoutMixed takes ways of before from what is held at a place where something is not held in the same way: such a
// template changes anyway, and all of it is written as the configuration says.
func withoutMixed(holds []plan.Hold, wanted []plan.Wanted) {
	hasWay := func(h plan.Hold) bool { return h.Way != 0 }
	if !slices.ContainsFunc(holds, hasWay) {
		return
	}
	digests := map[int]int{} // by place
	for i := range wanted {
		if wanted[i].Reason == plan.Digest {
			digests[wanted[i].Place]++
		}
	}
	for rest := holds; len(rest) > 0; {
		n, held, way, place := 0, 0, plan.Way(0), rest[0].Place
		for ; n < len(rest) && rest[n].Place == place; n++ {
			way = cmp.Or(way, rest[n].Way)
			if rest[n].Reason == plan.Digest {
				held++
			}
		}
		isOther := func(h plan.Hold) bool { return h.Reason == plan.Digest && h.Stamp != "" && h.Way != way }
		if held < digests[place] || slices.ContainsFunc(rest[:n], isOther) {
			for i := range rest[:n] {
				rest[i].Way = 0
			}
		}
		rest = rest[n:]
	}
}

// hold returns what becomes of a stamp that a line is about, and whether it is not written as it is wanted.
func (l *line) hold(w *plan.Wanted, manual bool) (plan.Hold, bool) {
	nth := min(l.uses, len(l.Digests)-1)
	l.uses++
	l.manual = l.manual || manual
	isVariable := w.Reason == plan.Variable // no pod starts without it
	at := slices.IndexFunc(l.Digests, func(d Digest) bool { return d.Value == w.Value && (d.Stamp != "" || !isVariable) })
	h := plan.Hold{Wanted: *w, Held: plan.Adopted, Foreign: l.Foreign}
	switch {
	case l.class == lock.Adopted && at >= 0:
		h.Stamp = l.Digests[at].Stamp
		if !isVariable {
			h.Way = l.Way
		}
		return h, true
	case manual && !isVariable && (at < 0 || l.open):
		h.Held, h.Stamp, h.Way = plan.Waiting, l.Digests[nth].Stamp, l.Way
		return h, true
	}
	return plan.Hold{}, false
}

// keepHeld returns the policy that what is held is written as people decided. Annotations of other tools stay where
// lines say so about every digest of a place.
func keepHeld(holds []plan.Hold) Func {
	return func(places []plan.Place, wanted []plan.Wanted) []plan.Wanted {
		if len(holds) == 0 {
			return wanted
		}
		out, rest := make([]plan.Wanted, 0, len(wanted)), holds
		foreign := map[int]bool{} // by place, whether annotations of other tools stay
		for _, w := range wanted {
			if !isDigest(w.Reason) {
				out = append(out, w)
				continue
			}
			for len(rest) > 0 && rest[0].Place < w.Place {
				rest = rest[1:]
			}
			if len(rest) == 0 || rest[0].Place != w.Place || rest[0].Key != w.Key {
				if len(places[w.Place].Foreign) > 0 && w.Reason == plan.Digest {
					foreign[w.Place] = false
				}
				out = append(out, w)
				continue
			}
			h := &rest[0]
			rest = rest[1:]
			if len(places[w.Place].Foreign) > 0 {
				so, seen := foreign[w.Place]
				foreign[w.Place] = h.Foreign && (so || !seen)
			}
			if w.Value, w.Way = h.Stamp, h.Way; w.Value == "" {
				continue
			}
			if w.Reason == plan.Digest {
				w.Reason = h.Held
			}
			out = append(out, w)
		}
		return withForeign(out, places, foreign)
	}
}

// withForeign adds the annotations of other tools at some places to what is wanted, but where a new name restarts the
// workload.
func withForeign(wanted []plan.Wanted, places []plan.Place, at map[int]bool) []plan.Wanted {
	have := map[plan.Wanted]bool{}
	for _, w := range wanted {
		if w.Reason == plan.Foreign {
			have[w] = true
		}
	}
	for i := range places {
		if !at[i] || len(places[i].Renamed) > 0 {
			continue
		}
		for _, key := range places[i].Foreign {
			w := plan.Wanted{Place: i, Key: key, Reason: plan.Foreign}
			if !have[w] {
				wanted = append(wanted, w)
			}
		}
	}
	return wanted
}

func anyManual(places []plan.Place) bool {
	return slices.ContainsFunc(places, func(p plan.Place) bool { return p.Manual })
}
