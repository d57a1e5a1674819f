package helm

import (
	"context"
	"net/url"
	"slices"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// CheckValues returns the error with which a render would refuse the user's values, those of the chart apart. Nothing
// is rendered or fetched: files that lie at an address are left out. The rules are those of the version of Helm that
// renders.
func (e Engine) CheckValues(ctx context.Context, req render.Request) error {
	v := valueReader{system: files.OrDisk(req.Files), version: e.version(req)}
	o := req.Helm
	o.ValuesFiles = slices.DeleteFunc(slices.Clone(o.ValuesFiles), isAddress)
	o.SetFile = nil // may name addresses, too
	_, err := v.read(ctx, o)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// isAddress reports whether what names a file of values is the address of one.
func isAddress(name string) bool {
	u, err := url.Parse(name)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}
