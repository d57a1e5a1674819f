package stamp

import (
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// embeddedIn returns the values of Secrets that something put into a document of a render; nil for none.
func embeddedIn(out *render.Output, d *manifest.Document) *redact.Embedded {
	return out.Embedded(d.Start, d.End)
}
