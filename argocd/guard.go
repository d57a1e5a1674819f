package argocd

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// MaxOutput is how many bytes Argo CD takes from a plugin.
const MaxOutput = 100 << 20

// Limits say what Guard lets through.
type Limits struct {
	AllowEmpty       bool   // a render without any object
	RefuseDuplicates bool   // objects that come twice, of which Argo CD applies the last
	Bytes            int    // size of the text that is handed over, with its stamps
	Namespace        string // the destination's, where objects that name none lie
}

// Guard finds in a render what Argo CD would not take, or would take to delete what is there, before it sees any of it. What is
// wrong and yet taken by Argo CD comes as findings. It repeats no content.
func Guard(out *render.Output, limits Limits) ([]diag.Finding, error) {
	if limits.Bytes > MaxOutput {
		return nil, diag.Input(diag.Position{}, fmt.Errorf("hand over the render: it has %d MiB, and Argo CD takes %d from a plugin", limits.Bytes>>20, MaxOutput>>20),
			"Split the application.")
	}
	g := guard{out: out, limits: limits, seen: map[[4]string]bool{}}
	for r := manifest.NewReader(out.Text); ; {
		d, err := r.Next()
		if err != nil {
			return nil, err
		}
		if d == nil {
			break
		}
		if err := g.document(d); err != nil {
			return nil, err
		}
	}
	if g.objects == 0 && !limits.AllowEmpty {
		return nil, diag.Input(diag.Position{}, errors.New("the render holds no object: Argo CD would delete all that the application has"),
			"Where that is meant, set the option allowEmpty; else check path, values and conditions.")
	}
	return g.found, nil
}

type guard struct {
	out     *render.Output
	limits  Limits
	objects int
	seen    map[[4]string]bool
	found   []diag.Finding
	counted struct{ offset, lines int } // how many lines end before an offset; it goes up
	origin  int                         // the last origin that was asked for, from 1
	before  int                         // how many lines end before it
}

func (g *guard) document(d *manifest.Document) error {
	root := d.Root()
	switch {
	case !root.Valid(), root.IsScalar() && root.Type() == manifest.Null:
		return nil
	case !root.IsMap():
		return diag.Input(g.at(root), errors.New("the render holds a document that is no mapping, and so no object"), "Is a log line or a list among the manifests?")
	}
	return g.object(root, "", 0)
}

// mostNested is how many Lists may lie in each other.
const mostNested = 8

// object takes an object or a List of them; items of a List may leave out a kind that the List says.
func (g *guard) object(n manifest.Node, kind string, depth int) error {
	if said := n.Get("kind").Text(); said != "" {
		kind = said
	}
	if kind == "" {
		return diag.Input(g.at(n), errors.New("the render holds an object without a kind"), "Every document of manifests needs apiVersion and kind.")
	}
	if items := n.Get("items"); strings.HasSuffix(kind, "List") && items.Valid() && depth < mostNested {
		for item := range items.Items() {
			if !item.IsMap() {
				return diag.Input(g.at(n), fmt.Errorf("%s holds an item that is no object", kind), "")
			}
			if err := g.object(item, strings.TrimSuffix(kind, "List"), depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	g.objects++
	return g.once(n, kind)
}

// once finds an object that came before.
func (g *guard) once(n manifest.Node, kind string) error {
	meta := n.Get("metadata")
	name, namespace := meta.Get("name").Text(), meta.Get("namespace").Text()
	if name == "" {
		return nil // the API server makes one up
	}
	group, _, versioned := strings.Cut(n.Get("apiVersion").Text(), "/")
	if !versioned {
		group = ""
	}
	in := namespace
	if in == "" {
		in = g.limits.Namespace
	}
	id := [4]string{group, kind, in, name}
	if !g.seen[id] {
		g.seen[id] = true
		return nil
	}
	object := manifest.Describe(id[1], namespace, id[3])
	if g.limits.RefuseDuplicates {
		return &diag.Error{Exit: diag.ExitInput, Object: object, Pos: g.at(n), Err: errors.New("the same object is in the input twice"), Hint: "Remove one of the two."}
	}
	g.found = append(g.found, diag.New(diag.DuplicateObject, object, "the same object is in the input twice").At(g.at(n)))
	return nil
}

// at tells where a node comes from, as far as the engine knows it.
func (g *guard) at(n manifest.Node) diag.Position {
	offset := min(n.Offset(), len(g.out.Text))
	next := sort.Search(len(g.out.Origins), func(i int) bool { return g.out.Origins[i].Offset > offset })
	if next == 0 {
		return diag.Position{}
	}
	from := g.out.Origins[next-1]
	if from.Line == 0 {
		return diag.Position{File: from.File}
	}
	if g.origin != next {
		g.origin, g.before = next, g.lines(from.Offset)
	}
	return diag.Position{File: from.File, Line: from.Line + g.lines(offset) - g.before}
}

var feed = []byte("\n")

// lines counts those that end before an offset. Documents come in order, so no text is gone through twice.
func (g *guard) lines(offset int) int {
	c := &g.counted
	if offset < c.offset {
		c.offset, c.lines = 0, 0
	}
	c.lines += bytes.Count(g.out.Text[c.offset:offset], feed)
	c.offset = offset
	return c.lines
}
