package rounds

import (
	"fmt"
	"strconv"

	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/typed"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// setSecrets notes in the objects of a render, whose positions are its lines, what variables of Secrets brought into
// them.
func setSecrets(metas []*objects.Meta, out *render.Output) {
	if len(out.Hidden) == 0 {
		return
	}
	lines, byLine := manifest.NewLines(out.Text), map[int][]render.Hidden{}
	next := out.Hidden
	for d, err := range manifest.Documents(out.Text, "") {
		if err != nil {
			return
		}
		for ; len(next) > 0 && next[0].Offset < d.End; next = next[1:] {
			if !next[0].InClear && d.Root().Valid() {
				line := lines.At(d.Root().Offset())
				byLine[line] = append(byLine[line], next[0])
			}
		}
	}
	for _, m := range metas {
		for _, h := range byLine[m.Pos.Line] {
			m.Secrets = withHidden(m.Secrets, h, m.Fields())
		}
	}
}

// withHidden adds what is hidden of an object.
func withHidden(s objects.Secrets, h render.Hidden, fields any) objects.Secrets {
	if len(h.Places) == 0 {
		return s
	}
	var texts []string
	for _, p := range h.Places {
		s.Paths = append(s.Paths, p.Path)
		if p.Key {
			texts = append(texts, fmt.Sprint(p.Path[len(p.Path)-1]))
		} else {
			texts = append(texts, textsOf(typed.At(fields, p.Path))...)
		}
	}
	s.Values = s.Values.And(h.Values).And(redact.NewValues(texts...))
	s.Decrypted = s.Decrypted || h.Decrypted
	return s
}

// textsOf returns a string or number as errors print it.
func textsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64), fmt.Sprint(v)}
	}
	return nil
}
