// Package convert lets the plugin render what Argo CD renders natively: it edits Applications and ApplicationSets in
// place, and compares the renders of both.
package convert

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
	"github.com/rollstamp/rollstamp/workspace"
)

// Note is a remark on one source of an object.
type Note struct {
	Object  string
	Pos     diag.Position
	Message string
}

// Result is a file after its native sources have become sources of a plugin.
type Result struct {
	Text    []byte
	Changed []Note // sources that were converted
	Left    []Note // sources that could not be converted, and are unchanged
	Already int    // how many sources have the plugin already
	Hints   []Note // what the user may have to change elsewhere
}

// Pin returns what is written for a repository's revision: the commit that it is at, or a revision to follow.
type Pin func(address string, rev workspace.Revision) (commit string, err error)

// Options are what sources are converted to.
type Options struct {
	Plugin string // its name
	Pin    Pin    // nil where other repositories are not to be pinned
	// Version of Argo CD that the file is for, where it is known: charts get the Helm that it has.
	Version argocd.Version
	// KindOf returns what a folder of a repository at a revision is, by its files, and whether that is known; nil where
	// nobody knows.
	KindOf func(address string, rev workspace.Revision, path string) (kind render.Kind, isKnown bool)
}

// File converts every source of the Applications and ApplicationSets in a file to the plugin of that name, with the
// same options. Other bytes do not change; comments on options are moved with them. A source that reads from another
// repository can be converted if that is pinned to a commit: in the file, or by Options.Pin.
func File(text []byte, name string, o Options) (*Result, error) {
	c := &conversion{Options: o, out: &Result{}}
	var edits []splice.Edit
	for d, err := range manifest.Documents(text, name) {
		if err != nil {
			return nil, err
		}
		for o := range d.Objects() {
			if o.Group() != "argoproj.io" || o.Kind != "Application" && o.Kind != "ApplicationSet" {
				continue
			}
			c.inSet = o.Kind == "ApplicationSet"
			c.object, c.pos = o.String(), diag.Position{File: name, Line: lineAt(text, o.Node.Offset())}
			made, err := c.edit(o)
			if err != nil {
				failed := &diag.Error{Exit: diag.ExitInput, Object: c.object, Pos: c.pos, Err: err}
				var of *sourceError
				if errors.As(err, &of) {
					failed.Pos.Line = lineAt(text, of.at.Offset())
				}
				return nil, failed
			}
			edits = append(edits, made...)
		}
	}
	splice.Sort(edits)
	c.out.Text = splice.Bytes(text, edits)
	return c.out, nil
}

// notPlain is why a source cannot be converted that would be.
const notPlain = "its text has anchors, tags or irregular indentation, and cannot be edited in place"

// inBraces is why a source cannot be converted that is in braces, but not as the strict reader takes them.
const inBraces = "it is written in braces, as KYAML is, with comments, texts of several lines, anchors or " +
	"tags among them, and cannot be edited in place"

// explode is what the user can do about both.
const explode = "; write it plainly first: yq -P 'explode(.)' "

// sourceError is why a source cannot be read, at a field of it.
type sourceError struct {
	at manifest.Node
	error
}

// Unwrap returns the cause.
func (e *sourceError) Unwrap() error { return e.error }

// conversion is the conversion of one file.
type conversion struct {
	Options
	out    *Result
	object string
	inSet  bool // the object is an ApplicationSet
	inDry  bool // the source is the dry one of a hydrator
	pos    diag.Position
}

func (c *conversion) note(to *[]Note, n manifest.Node, format string, args ...any) {
	pos := c.pos
	if n.Valid() {
		pos.Line = lineAt(n.Document().Text(), n.Offset())
	}
	*to = append(*to, Note{c.object, pos, fmt.Sprintf(format, args...)})
}

// edit converts the sources of an object.
func (c *conversion) edit(o manifest.Object) ([]splice.Edit, error) {
	spec := o.Node.Get("spec")
	for key := range o.Node.At("metadata", "annotations").Entries() {
		if strings.HasPrefix(key.Text(), "argocd-image-updater.argoproj.io/") {
			c.note(&c.out.Hints, key,
				"Argo CD Image Updater writes plugin.env for applications with a plugin, not parameters")
			break
		}
	}
	if o.Kind == "ApplicationSet" {
		if at, line, why := obstacle(spec); at.Valid() {
			c.note(&c.out.Left, at, "none of its sources: %s, beside which Argo CD takes no plugin", why)
			c.out.Left[len(c.out.Left)-1].Pos.Line += line
			return nil, nil
		}
		spec = spec.At("template", "spec")
	}
	if dry := spec.At("sourceHydrator", "drySource"); dry.IsMap() {
		return c.dry(dry)
	}
	var all []manifest.Node
	for item := range spec.Get("sources").Items() {
		all = append(all, item)
	}
	if len(all) == 0 && spec.Get("source").IsMap() {
		all = append(all, spec.Get("source"))
	}
	var edits []splice.Edit
	for _, s := range all {
		e, err := c.source(s, all)
		if err != nil {
			return nil, err
		}
		edits = append(edits, e...)
	}
	return edits, nil
}

// dry converts the dry source of a hydrator.
func (c *conversion) dry(s manifest.Node) ([]splice.Edit, error) {
	if !c.Version.DrySourceTakesPlugins() {
		c.note(&c.out.Left, s, "Argo CD %s drops a plugin in drySource, which takes one from v3.3 on: there a plugin is "+
			"found by its discover", c.Version)
		return nil, nil
	}
	changed := len(c.out.Changed)
	c.inDry = true
	edits, err := c.source(s, nil)
	c.inDry = false
	if c.Version == (argocd.Version{}) && len(c.out.Changed) > changed {
		c.note(&c.out.Hints, s, "drySource takes a plugin from Argo CD v3.3 on, and v3.2 drops it: see --argocd-version")
	}
	return edits, err
}

// unknownField returns the key of a source's first field that Argo CD has not; none where it knows all.
func (c *conversion) unknownField(s manifest.Node) manifest.Node {
	for key := range s.Entries() {
		if !slices.Contains(argocd.SourceFields(), key.Text()) {
			return key
		}
	}
	return manifest.Node{}
}

// isUnread reports whether a source has a field that the version of Argo CD does not read, and notes that: what it
// renders natively is not what the field says.
func (c *conversion) isUnread(s manifest.Node) bool {
	for _, since := range argocd.NewerFields() {
		path := strings.Split(since.Field, ".")
		if key, _ := s.At(path[:len(path)-1]...).OwnEntry(path[len(path)-1]); key.Valid() && !c.Version.Reads(since) {
			c.note(&c.out.Left, key, "Argo CD %s drops %s, which it has from %s on: take it out", c.Version, since.Field, since)
			return true
		}
	}
	return false
}

// source converts one source. It may refer to the others of its object.
func (c *conversion) source(s manifest.Node, siblings []manifest.Node) ([]splice.Edit, error) {
	switch {
	case s.Get("plugin").IsMap() && argocd.IsPlugin(s.Get("plugin").Get("name").Text(), c.Plugin):
		c.out.Already++
		return nil, nil
	case s.Get("plugin").IsMap():
		c.note(&c.out.Left, s, "the source has a plugin already, which is not %s", c.Plugin)
		return nil, nil
	case !s.Get("path").Valid() && !s.Get("chart").Valid():
		return nil, nil // only others refer to it
	case !s.Document().Fast():
		own := plainly(s)
		if !own.Valid() {
			c.leaveUnread(s)
			return nil, nil
		}
		s = own
	}
	if unknown := c.unknownField(s); unknown.Valid() {
		c.note(&c.out.Left, unknown, "the source has a field that Argo CD does not know: %s%s", unknown.Text(),
			config.Suggest(unknown.Text(), argocd.SourceFields()))
		return nil, nil
	}
	if c.isUnread(s) {
		return nil, nil
	}
	of, others, err := c.nativeOptions(s)
	if err != nil {
		return nil, err
	}
	o, err := c.optionsOf(s, of, others)
	if err == nil {
		err = c.otherKind(s, of)
	}
	if err != nil {
		c.leave(s, of.key, err)
		return nil, nil
	}
	if refs, ok := c.refs(s, of.value, siblings); ok {
		o.refs = refs
	} else {
		return nil, nil
	}
	node, names, err := o.convert()
	if err != nil {
		c.leave(s, of.key, err)
		return nil, nil
	}
	edits, err := takeOut(s, others)
	if err != nil {
		c.leave(s, others[0].key, err)
		return nil, nil
	}
	if len(names) == 0 {
		names = []string{"no option"}
	}
	c.note(&c.out.Changed, s, "rendered by the plugin %s, with %s", c.Plugin, strings.Join(names, ", "))
	made, err := c.put(s, of.key, of.value, node)
	return append(edits, made...), err
}

// optionsOf returns what is converted of a source with these native options, beside which others say nothing.
func (c *conversion) optionsOf(s manifest.Node, of native, others []native) (options, error) {
	o := options{kind: of.key.Text(), native: of.options, plugin: c.Plugin, inSet: c.inSet}
	for _, n := range others {
		if _, _, err := (options{kind: n.key.Text(), native: n.options}).convert(); err != nil {
			return o, err // an option that is unknown
		}
	}
	if of.key.Valid() && !of.isChosen {
		if _, _, err := o.convert(); err != nil {
			return o, err
		}
		o.kind, o.native = "", nil
	}
	isHelm4 := c.Version.Helm() == config.Helm4
	isChart := func() bool {
		kind, isKnown := c.kindOf(s)
		return isKnown && kind == render.KindHelm
	}
	if s.Get("chart").Valid() || o.kind == "helm" || o.kind == "" && isHelm4 && isChart() {
		o.helm = c.Version.Helm()
	} else if isHelm4 && o.kind != "directory" {
		c.note(&c.out.Hints, s, "where this is a chart or has charts, the sidecar has to say that Helm 4 renders them: "+
			"see rollstamp argocd install --argocd-version")
	}
	return o, nil
}
