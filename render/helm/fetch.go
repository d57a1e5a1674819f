package helm

import (
	"context"
	"errors"
	"net/url"

	"github.com/rollstamp/rollstamp/diag"
)

func (v *valueReader) fetch(_ context.Context, u *url.URL) ([]byte, error) {
	return nil, diag.Input(diag.Position{File: shownURL(u.String())}, errors.New("read values: the network is not allowed"), "")
}
