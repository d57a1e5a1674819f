package substitute

import (
	"bytes"
	"context"
	"errors"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
)

// decrypted substitutes in objects of the text as they are decrypted. Their variables are a part of what is secret, so
// that no finding names one.
func (s *substitution) decrypted(ctx context.Context, of *render.Output) (out []redact.Secret, err error) {
	for _, document := range of.Decrypted {
		r, err := s.text(ctx, document.Reveal())
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, decryptedError(err, of.Text)
		}
		out = append(out, redact.New(splice.Bytes(document.Reveal(), r.edits)))
	}
	return out, nil
}

// errDecrypted is why an object is not substituted. What it holds is not shown, names of variables included.
var errDecrypted = errors.New("substitute variables in what SOPS encrypted: one has no value, or is no variable")

// decryptedError is the error about an object as it is decrypted, at the line where the text has it.
func decryptedError(err error, text []byte) error {
	out := &diag.Error{Exit: diag.ExitInput, Err: errDecrypted,
		Hint: "Look for ${ in its values with 'sops decrypt', and write $${ where no variable is meant."}
	var known *diag.Error
	if !errors.As(err, &known) {
		return out
	}
	out.Exit, out.Object = known.Exit, known.Object
	for reader := manifest.NewReader(text); ; {
		doc, err := reader.Next()
		if doc == nil || err != nil {
			return out
		}
		for o := range doc.Objects() {
			if o.String() == known.Object {
				out.Pos = diag.Position{Line: 1 + bytes.Count(text[:o.Node.Offset()], []byte("\n"))}
				return out
			}
		}
	}
}
