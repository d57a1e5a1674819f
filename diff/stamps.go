package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
)

// prefixes are what the keys of stamps begin with on the two sides.
type prefixes struct {
	old, now hashing.Prefix
	// the environment variables, as CONTAINER/VARIABLE, that are read from the key __data, of the workload that is
	// compared; nil for none
	phantoms map[string]bool
	asIs     bool // of a side it is not known how its stamps are written
}

// of returns the prefixes for a workload of which the two sides are known.
func (p prefixes) of(workload pair) prefixes {
	p.phantoms = nil
	for _, o := range [...]*object{workload.old, workload.now} {
		if o == nil || o.workload == nil {
			continue
		}
		for i := range o.workload.References {
			for _, name := range o.workload.References[i].Phantoms {
				if p.phantoms == nil {
					p.phantoms = map[string]bool{}
				}
				p.phantoms[name] = true
			}
		}
	}
	return p
}

// stamp returns what follows the prefix in the key of the stamp at a path, or the name of the environment variable that
// is one, and whether a stamp is there.
func (p prefixes) stamp(path string) (name string, ok bool) {
	if name, ok := variableAt(path); ok {
		return name, true
	}
	if name, _, ok := p.phantomAt(path); ok {
		return name, true
	}
	key, ok := lastKey(path)
	if !ok || !p.old.Has(key) && !p.now.Has(key) {
		return "", false
	}
	return p.name(key), true
}

// name returns what follows the prefix in a stamp's key.
func (p prefixes) name(key string) string {
	for _, prefix := range [...]hashing.Prefix{p.old, p.now, {}} {
		if name := prefix.Name(key); name != key {
			return name
		}
	}
	return key
}

// mark marks the stamps among the changed places of objects, and takes out what is no change of one.
func (p prefixes) mark(deltas []*delta, now *inventory) {
	for _, d := range deltas {
		p := p.of(d.pair)
		d.fields = p.dropAdopted(d.pair, now, d.fields)
		for i := range d.fields {
			_, d.fields[i].Stamp = p.stamp(d.fields[i].Path)
		}
	}
}

// phantomAt returns the variable, as CONTAINER/VARIABLE, that is read from the key __data and that a path leads to,
// with what follows it there.
func (p prefixes) phantomAt(path string) (name, below string, ok bool) {
	if len(p.phantoms) == 0 {
		return "", "", false
	}
	before, variable, found := cutLast(path, "].env[")
	_, container, inContainer := cutLast(before, "ontainers[")
	variable, below, closed := strings.Cut(variable, "]")
	name = container + "/" + variable
	return name, below, found && inContainer && closed && p.phantoms[name]
}

// isBeside reports whether a change comes with another one of the same stamp: the reference that a digest takes the
// place of, and the mark that says so.
func (p prefixes) isBeside(f *FieldChange) bool {
	if _, below, ok := p.phantomAt(f.Path); ok {
		return strings.HasPrefix(below, ".valueFrom")
	}
	key, ok := lastKey(f.Path)
	return ok && len(p.phantoms) > 0 && key == hashing.VariablesMark
}

func cutLast(text, sep string) (before, after string, found bool) {
	at := strings.LastIndex(text, sep)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(sep):], true
}

// variableAt returns the environment variable of ours that a path leads to, or to the value of.
func variableAt(path string) (name string, ok bool) {
	at := strings.LastIndex(path, ".env[")
	if at < 0 {
		return "", false
	}
	name, rest, found := strings.Cut(path[at+len(".env["):], "]")
	return name, found && (rest == "" || rest == ".value") && hashing.IsVariable(name)
}

// holdsVariables reports whether a value is a list of which an item is an environment variable of ours.
func holdsVariables(v any) bool {
	list, _ := v.([]any)
	return slices.ContainsFunc(list, func(item any) bool {
		table, _ := item.(map[string]any)
		name, _ := table["name"].(string)
		return hashing.IsVariable(name)
	})
}

// lastKey returns the key that a path ends in, where it is in quotes as those of annotations with a slash are.
func lastKey(path string) (string, bool) {
	at := strings.LastIndex(path, `["`)
	if at < 0 || !strings.HasSuffix(path, `"]`) {
		return "", false
	}
	key, err := strconv.Unquote(path[at+1 : len(path)-1])
	return key, err == nil
}
