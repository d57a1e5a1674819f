package stamp

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/splice"
)

// Unstamp takes every stamp out of a text, and what stamping had made around them.
func Unstamp(ctx context.Context, text []byte, opts Options) ([]byte, error) {
	settings := opts.Settings
	if settings == nil {
		settings = &config.Settings{}
	}
	table := refs.NewTable(config.MaxLevel, settings.Kinds.Value)
	places := render.NewPlaces(text, nil)
	names, err := suffixed(text)
	if err != nil {
		return nil, places.Move(err)
	}
	var edits []splice.Edit
	r := manifest.NewReader(text)
	for {
		d, err := r.Next()
		if err != nil {
			return nil, places.Move(err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if d == nil {
			break
		}
		out, behind := unstamp(d, table, names)
		if behind.Node.Valid() {
			if out, err = unstampAnew(d, table, names); err != nil {
				return nil, places.Move(err)
			}
		}
		edits = append(edits, out...)
	}
	splice.Sort(edits)
	return splice.Bytes(text, edits), nil
}

// unstamp returns what takes the stamps out of a document, and an object that holds some which cannot be cut out of the text.
func unstamp(d *manifest.Document, table *refs.Table, names map[string]string) (out []splice.Edit, behind manifest.Object) {
	for o := range d.Objects() {
		at := func(n manifest.Node, path []string) {
			if path == nil {
				return
			}
			if s, err := splice.Locate(n, path, claim); err == nil {
				out = append(out, s.Edits(nil, nil)...)
			} else if stamped(n.At(path...)) {
				behind = o
			}
		}
		for _, row := range table.Rows(o) {
			for _, t := range table.Find(o, row) {
				at(t.Node, t.Annotations)
				back, ok := namesBack(d.Text(), t.References, names)
				if out = append(out, back...); !ok {
					behind = o
				}
			}
		}
		at(o.Node, sources.Refresh(o))
		back, ok := targetBack(d.Text(), o)
		if out = append(out, back...); !ok {
			behind = o
		}
	}
	return out, behind
}

func stamped(annotations manifest.Node) bool {
	for k := range annotations.Entries() {
		if strings.HasPrefix(k.Text(), hashing.Prefix) {
			return true
		}
	}
	return false
}

// unstampAnew writes the document again and takes the stamps out of that.
func unstampAnew(d *manifest.Document, table *refs.Table, names map[string]string) ([]splice.Edit, error) {
	n, err := splice.Reencode(d)
	if err != nil {
		return nil, err
	}
	edits, behind := unstamp(n, table, names)
	if behind.Node.Valid() {
		line := 1 + bytes.Count(d.Text()[:d.Start], []byte{'\n'})
		return nil, diag.Input(diag.Position{Line: line}, fmt.Errorf("take out the stamps of %s: one is no string", behind), "")
	}
	splice.Sort(edits)
	return []splice.Edit{{Start: d.Start, End: d.End, Text: string(splice.Bytes(n.Text(), edits))}}, nil
}
