package helm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rollstamp/rollstamp/internal/network"
)

const (
	fetchTimeout = 2 * time.Minute
	maxFetched   = 100 << 20 // of an index or an archive, as helm bounds an unpacked chart
)

// get fetches a URL of http or https.
func get(ctx context.Context, u string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
	if err != nil {
		return nil, errors.New("the URL cannot be parsed")
	}
	req.Header.Set("User-Agent", "rollstamp")
	res, err := network.Client().Do(req)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers %s", res.Status)
	}
	return readLimited(res.Body)
}

func readLimited(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFetched+1))
	if err == nil && len(data) > maxFetched {
		err = fmt.Errorf("larger than %d bytes", maxFetched)
	}
	return data, err
}

// withoutURL takes the URL out of an error of package http: its query may hold credentials.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// loopback reports whether a host, with its port or without, is this machine.
func loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// cache keeps fetched archives in a folder, by their digest. What lies there is whole: files appear by being renamed,
// so several processes may share it. The zero cache keeps nothing.
type cache struct{ dir string }

const archives, names = "archives", "names"

func (c cache) path(kind, key string) string { return filepath.Join(c.dir, "helm", kind, key) }

// byDigest returns the archive with a digest, in hexadecimal letters, or nil. One that has been damaged is not given.
func (c cache) byDigest(digest string) []byte {
	if c.dir == "" || len(digest) != hex.EncodedLen(sha256.Size) || strings.Trim(digest, "0123456789abcdef") != "" {
		return nil
	}
	data, err := os.ReadFile(c.path(archives, digest))
	if err != nil || digestOf(data) != digest {
		return nil
	}
	return data
}

// find returns the cached archive of a chart in exactly this version, or nil.
func (c cache) find(w wanted) []byte {
	if c.dir == "" {
		return nil
	}
	digest, err := os.ReadFile(c.path(names, w.key()))
	if err != nil {
		return nil
	}
	return c.byDigest(string(digest))
}

// store stores an archive, under its digest and under what it was fetched as.
func (c cache) store(w wanted, data []byte) error {
	if c.dir == "" {
		return nil
	}
	digest := digestOf(data)
	if err := writeWhole(c.path(archives, digest), data); err != nil {
		return fmt.Errorf("keep chart in cache: %w", err)
	}
	if err := writeWhole(c.path(names, w.key()), []byte(digest)); err != nil {
		return fmt.Errorf("keep chart in cache: %w", err)
	}
	return nil
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// writeWhole writes a file so that nobody ever sees a part of it.
func writeWhole(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".part-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // fails once it is renamed
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// key names a chart of a repository in one version.
func (w wanted) key() string {
	return digestOf([]byte(w.repository + "\n" + w.name + "\n" + w.version))
}
