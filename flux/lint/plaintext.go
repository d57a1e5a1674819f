package lint

import (
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// Plaintext reports the objects of a render in which values that were decrypted stand in clear text.
func Plaintext(out *render.Output) (found []diag.Finding) {
	for _, h := range out.Hidden {
		if !h.Decrypted || len(h.Places) == 0 {
			continue
		}
		reader := manifest.NewReader(out.Text[h.Offset:])
		d, err := reader.Next()
		if err != nil || d == nil {
			continue
		}
		if out.Embedded(h.Offset, h.Offset+d.End).Whole() != redact.HoldsDecrypted {
			continue
		}
		at := render.NewPlaces(out.Text, nil).At(h.Offset + d.Start)
		for o := range d.Objects() {
			found = append(found, diag.New(diag.FluxPlaintext, o.String(),
				"a value of a Secret stands in it in clear text, as it will in the cluster").At(at))
		}
	}
	return found
}

// RefusePlaintext returns the error of a render with decrypted values that is to be kept or published; nil where it has
// none. How names the flag that allows it.
func RefusePlaintext(out *render.Output, how string) error {
	found := Plaintext(out)
	if len(found) == 0 {
		return nil
	}
	first, more := found[0], ""
	if n := len(found) - 1; n > 0 {
		more = fmt.Sprintf("; so do values in %s more", diag.Count(n, "object"))
	}
	return &diag.Error{Exit: diag.ExitInput, Object: first.Object, Pos: first.Position(),
		Err: fmt.Errorf("a value of a Secret stands in it in clear text, and would be written%s", more),
		Hint: "Where Flux renders it, rollstamp flux stamp writes stamps alone, and none that would show the value. With " + how +
			" it is written as it is."}
}
