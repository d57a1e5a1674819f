// Package lock reads and writes rollstamp.lock: the version of each secret that is not in Git, one line for each, and
// no value.
package lock

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

// FileName is the lock that is looked for, upwards from an application.
const FileName = "rollstamp.lock"

// Schema is the form of a lock that this version reads and writes.
const Schema = 3

// File is a lock. The zero value is an empty one.
type File struct {
	path    string
	level   int // of coverage; see Level
	entries map[string]entry
	// names of entries that have a namespace, by their names without it; see withoutNamespace
	elsewhere map[string][]string
	// names of decisions by the application that they are about
	decided map[Application][]string
	// what a merge left in conflict: names whose lines differ, with the last of these lines. Only an update reads such a
	// file.
	unresolved map[string]int
	marked     bool // marks of a merge are in it
	// why renders refuse the file, where an update reads it all the same: the first reason
	malformed error
}

// entry is what a line says of a key.
type entry struct {
	name  string // what it stands under
	class string // version or value
	text  string
	key   string // which hash key a digest was made with; "" where the lock does not say
	line  int
}

// The classes of entries, as the contract of digests calls them.
const (
	classVersion = "version"
	classValue   = "value"
)

// Path returns the file that the lock was read from, or "".
func (f *File) Path() string { return f.path }

// Level returns the level of coverage at which the lock holds its applications: one that has no line for it was begun
// at level 1. It is 0 for a file in which nothing was begun.
func (f *File) Level() int { return f.level }

// Len returns the number of entries.
func (f *File) Len() int { return len(f.entries) }

// Names returns the keys of all entries, sorted, as Name makes them.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.entries)) }

// Position reports where the entry of a name stands.
func (f *File) Position(name string) diag.Position {
	return diag.Position{File: f.path, Line: f.entries[name].line}
}

// Get returns what the lock says of a reference. An entry for the whole key fits each of its properties: a version is
// that of all. An entry without a namespace fits a store in any; and where the namespace of the store is not known, the
// only entry that there is for a store of its kind and name, see Namesakes.
func (f *File) Get(ref sources.Ref) (answer sources.Answer, name string, ok bool) {
	e, ok := f.find(&ref)
	if !ok && ref.Store.Namespace != "" {
		anywhere := ref
		anywhere.Store.Namespace = ""
		e, ok = f.exact(&anywhere)
	}
	if !ok {
		return sources.Answer{}, "", false
	}
	return e.answer(), e.name, true
}

// find returns the entry for a reference as it is, or the only one of those that have a namespace where it has none.
func (f *File) find(ref *sources.Ref) (entry, bool) {
	if e, ok := f.exact(ref); ok || ref.Store.Namespace != "" || len(f.elsewhere) == 0 {
		return e, ok
	}
	if all := f.Namesakes(*ref); len(all) == 1 {
		return f.entries[all[0]], true
	}
	return entry{}, false
}

// exact returns the entry that has the name of a reference, or of all of its key.
func (f *File) exact(ref *sources.Ref) (entry, bool) {
	var buffer [256]byte // names are not made for those that are not there: thousands may be asked for
	e, ok := f.entries[string(ref.AppendID(buffer[:0]))]
	if !ok && ref.Property != "" {
		e, ok = f.entries[string(whole(*ref).AppendID(buffer[:0]))]
	}
	return e, ok
}

// Namesakes returns the names of entries that a reference to a store whose namespace is not known may mean.
func (f *File) Namesakes(ref sources.Ref) []string {
	if ref.Store.Namespace != "" || !ref.Store.InNamespace() {
		return nil
	}
	var buffer [256]byte
	all := f.elsewhere[string(ref.AppendID(buffer[:0]))]
	if len(all) == 0 && ref.Property != "" {
		all = f.elsewhere[string(whole(ref).AppendID(buffer[:0]))]
	}
	return all
}

func (e entry) answer() sources.Answer {
	if e.class == classValue {
		return sources.Answer{Digest: e.text, Key: e.key}
	}
	return sources.Answer{Version: e.text}
}

// Set puts an answer into the lock, and reports whether the lock said something else.
func (f *File) Set(ref sources.Ref, a sources.Answer) (changed bool) {
	all := names(ref)
	name, e := all[len(all)-1], entry{class: classVersion, text: a.Version}
	if a.Digest != "" {
		name, e = all[0], entry{class: classValue, text: a.Digest, key: a.Key}
	}
	old, had := f.entries[name]
	e.name, e.line = name, old.line
	f.put(e)
	changed = !had || old.class != e.class || old.text != e.text
	for _, other := range all { // a store has got versions, or lost them: what was locked before is stale
		if _, had := f.entries[other]; had && other != name {
			f.drop(other)
			changed = true
		}
	}
	return changed
}

// Clone returns a lock of its own with the same entries.
func (f *File) Clone() *File {
	out := &File{path: f.path, level: f.level, entries: maps.Clone(f.entries), unresolved: maps.Clone(f.unresolved)}
	for name := range out.entries {
		out.index(name)
	}
	return out
}

// put sets an entry, and resolves what a merge left of its name.
func (f *File) put(e entry) {
	if f.entries == nil {
		f.entries = map[string]entry{}
	}
	if _, had := f.entries[e.name]; !had {
		f.add(e)
	}
	f.entries[e.name] = e
	delete(f.unresolved, e.name)
}

// add sets an entry of a name that there is none of.
func (f *File) add(e entry) {
	f.index(e.name)
	f.entries[e.name] = e
}

// index adds a name to those that are found without their namespace, or by their application.
func (f *File) index(name string) {
	if app, ok := applicationOf(name); ok {
		if f.decided == nil {
			f.decided = map[Application][]string{}
		}
		f.decided[app] = append(f.decided[app], name)
		return
	}
	bare, ok := withoutNamespace(name)
	if !ok {
		return
	}
	if f.elsewhere == nil {
		f.elsewhere = map[string][]string{}
	}
	f.elsewhere[bare] = append(f.elsewhere[bare], name)
}

// drop removes an entry.
func (f *File) drop(name string) {
	_, had := f.entries[name]
	delete(f.entries, name)
	delete(f.unresolved, name)
	if !had {
		return
	}
	is := func(other string) bool { return other == name }
	if app, ok := applicationOf(name); ok {
		f.decided[app] = slices.DeleteFunc(f.decided[app], is)
	} else if bare, ok := withoutNamespace(name); ok {
		f.elsewhere[bare] = slices.DeleteFunc(f.elsewhere[bare], is)
	}
}

// Keep drops every entry whose name used does not hold, and returns the names of those that are gone.
func (f *File) Keep(used map[string]bool) (gone []string) {
	for _, name := range f.Names() {
		if !used[name] && !f.entries[name].isDecision() {
			gone = append(gone, name)
			f.drop(name)
		}
	}
	return gone
}

// header begins every lock that is written. Its second line is for programs, the first for people.
const header = "# Versions of secrets that are not in Git, and decisions about restarts. Written by rollstamp; it holds no secret.\n"

const (
	schemaWord = "schema"
	levelWord  = "level"
)

// WriteTo writes the lock: one line for each entry, sorted, with an empty line before it, so that Git merges changes of
// two neighbours.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	b.WriteString(header)
	fmt.Fprintf(&b, "%s %d\n", schemaWord, Schema)
	if f.level > 1 {
		fmt.Fprintf(&b, "%s %d\n", levelWord, f.level)
	}
	for _, name := range f.Names() {
		e := f.entries[name]
		words := []string{name, e.class, escape(e.text)}
		if e.key != "" {
			words = append(words, e.key)
		}
		b.WriteString("\n" + strings.Join(words, " ") + "\n")
	}
	n, err := w.Write(b.Bytes())
	return int64(n), err
}

// Digest returns the keyed digest of a value that stands under a name; "" where there is none, or a version.
func (f *File) Digest(name string) string {
	if e := f.entries[name]; e.class == classValue {
		return e.text
	}
	return ""
}

// Text returns what the entry of a name says, as the lock writes it, but for the key of a digest; "" where there is
// none.
func (f *File) Text(name string) string {
	e, ok := f.entries[name]
	if !ok {
		return ""
	}
	return e.class + " " + escape(e.text)
}
