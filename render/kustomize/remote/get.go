package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/rollstamp/rollstamp/internal/network"
)

// The bounds of one file.
const (
	fileTime = 30 * time.Second
	fileSize = 64 << 20
)

// Get asks a web server for a file.
func Get(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fileTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("not a URL")
	}
	resp, err := network.Client().Do(req)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, fmt.Errorf("the server answers %s", resp.Status)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, fileSize+1))
	if err != nil {
		return nil, withoutURL(err)
	}
	if len(b) > fileSize {
		return nil, fmt.Errorf("more than %d MB", fileSize>>20)
	}
	return b, nil
}

// withoutURL drops the URL, which may hold a credential.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
