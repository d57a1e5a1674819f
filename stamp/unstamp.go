package stamp

import (
	"bytes"
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// Unstamp takes every stamp out of a text, and what stamping had made around them.
func Unstamp(ctx context.Context, text []byte, opts Options) ([]byte, error) {
	settings := opts.Settings
	if settings == nil {
		settings = &config.Settings{}
	}
	table := refs.NewTable(config.MaxLevel, settings.Kinds.Value)
	places := newPlaces(text, nil)
	var edits []edit
	r := manifest.NewReader(text)
	for {
		d, err := r.Next()
		if err != nil {
			return nil, places.move(err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if d == nil {
			break
		}
		for o := range d.Objects() {
			for _, row := range table.Rows(o) {
				for _, t := range table.Find(o, row) {
					if t.Annotations == nil {
						continue
					}
					if s, ok, _ := locate(text, t.Node, t.Annotations); ok {
						edits = append(edits, s.edits(nil, func(string) bool { return false })...)
					}
				}
			}
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out bytes.Buffer
	_, err := apply(&out, text, edits)
	return out.Bytes(), err
}
