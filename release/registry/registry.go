// Package registry publishes images: everything is uploaded and signed before a tag leads to it.
package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/rollstamp/rollstamp/release/image"
)

// ErrTaken reports that a tag leads to another image already.
var ErrTaken = errors.New("the tag leads to another image")

// Options say how to push.
type Options struct {
	Force     bool              // move tags that lead to another image
	Untagged  bool              // upload and sign, and put no tags
	AlsoHosts []string          // other hosts that the registry may send uploads to
	Transport http.RoundTripper // nil: Go's default
	Remote    []remote.Option   // credentials and the like; nil: those of docker login
	// Sign is called with each image's name by digest, when all of it is there and before a tag leads to it.
	Sign func(context.Context, name.Digest) error
}

// Published is an image in a registry.
type Published struct {
	Tag    name.Tag
	Digest v1.Hash
	Was    bool // whether the tag led to it before
}

// Push uploads images to a repository and puts their tags last. Where anything fails no tag has changed, unless
// putting one tag of several is what failed.
func Push(ctx context.Context, repository string, images []image.Tagged, opts Options) ([]Published, error) {
	repo, err := name.NewRepository(repository, name.StrictValidation)
	if err != nil {
		return nil, fmt.Errorf("push to %q: %w (a registry's host, /, and a name, without a tag)", repository, err)
	}
	p := pusher{repo: repo, images: images, opts: opts}
	if err := p.connect(ctx); err != nil {
		return nil, err
	}
	planned, err := p.plan()
	if err != nil {
		return nil, p.explain(err)
	}
	for i, d := range planned {
		if err := remote.WriteIndex(repo.Digest(d.Digest.String()), images[i].Index, p.remote...); err != nil {
			return nil, p.explain(fmt.Errorf("upload %s: %w", d.Tag, err))
		}
		if opts.Sign != nil {
			if err := opts.Sign(ctx, repo.Digest(d.Digest.String())); err != nil {
				return nil, err
			}
		}
	}
	for i, d := range planned {
		if d.Was || opts.Untagged {
			continue
		}
		if err := remote.Tag(d.Tag, images[i].Index, p.remote...); err != nil {
			return nil, p.explain(fmt.Errorf("put the tag %s: %w", d.Tag, err))
		}
	}
	return planned, nil
}

// Pull returns the image that a name leads to. Its parts are read when they are asked for.
func Pull(ctx context.Context, from string) (v1.ImageIndex, error) {
	ref, err := name.ParseReference(from, name.StrictValidation)
	if err != nil {
		return nil, fmt.Errorf("pull: %w", err)
	}
	index, err := remote.Index(ref, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain))
	if err != nil {
		return nil, fmt.Errorf("pull %s: %w", from, err)
	}
	return index, nil
}

type pusher struct {
	repo   name.Repository
	images []image.Tagged
	opts   Options
	remote []remote.Option
}

func (p *pusher) connect(ctx context.Context) error {
	base := p.opts.Transport
	if base == nil {
		base = remote.DefaultTransport
	}
	p.remote = []remote.Option{
		remote.WithContext(ctx), remote.WithUserAgent("rollstamp-release"),
		remote.WithTransport(&guard{base: base, hosts: append([]string{p.repo.RegistryStr()}, p.opts.AlsoHosts...)}),
	}
	if p.opts.Remote == nil {
		p.opts.Remote = []remote.Option{remote.WithAuthFromKeychain(authn.DefaultKeychain)}
	}
	p.remote = append(p.remote, p.opts.Remote...)
	return nil
}

// plan looks at each tag before anything is uploaded.
func (p *pusher) plan() ([]Published, error) {
	var out []Published
	for _, i := range p.images {
		digest, err := i.Index.Digest()
		if err != nil {
			return nil, err
		}
		d := Published{Tag: p.repo.Tag(i.Tag), Digest: digest}
		there, err := remote.Head(d.Tag, p.remote...)
		var status *transport.Error
		switch {
		case errors.As(err, &status) && status.StatusCode == http.StatusNotFound:
		case err != nil:
			return nil, fmt.Errorf("look at %s: %w", d.Tag, err)
		case there.Digest == digest:
			d.Was = true
		case !p.opts.Force:
			return nil, fmt.Errorf("%s: %w, %s instead of %s: -force (make image-push PUSHFLAGS=-force) moves it",
				d.Tag, ErrTaken, there.Digest, digest)
		}
		out = append(out, d)
	}
	return out, nil
}

// explain adds what to do about an error of a registry.
func (p *pusher) explain(err error) error {
	var status *transport.Error
	if errors.As(err, &status) {
		switch status.StatusCode {
		case http.StatusUnauthorized, http.StatusForbidden:
			return fmt.Errorf("%w; %s does not let you push there: docker login %s, or DOCKER_CONFIG with a login",
				err, p.repo.RegistryStr(), p.repo.RegistryStr())
		case http.StatusNotFound:
			return fmt.Errorf("%w; is %s a registry, and does the repository exist?", err, p.repo.RegistryStr())
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w; the connection ended in the middle: push again; tags that were put before it stay", err)
	}
	return err
}

// guard refuses that a registry sends what is uploaded to a host that nobody named.
type guard struct {
	base  http.RoundTripper
	hosts []string
}

func (g *guard) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := g.base.RoundTrip(request)
	if err != nil || request.Method == http.MethodGet || request.Method == http.MethodHead {
		return response, err
	}
	location := response.Header.Get("Location")
	if location == "" {
		return response, nil
	}
	to, err := url.Parse(location)
	if err != nil || to.Host == "" {
		return response, nil // relative, or for the client to complain about
	}
	for _, host := range g.hosts {
		if strings.EqualFold(to.Host, host) {
			return response, nil
		}
	}
	response.Body.Close()
	return nil, &RedirectError{From: request.URL.Host, To: to.Host}
}

// RedirectError reports a registry that sends uploads to another host.
type RedirectError struct{ From, To string }

func (e *RedirectError) Error() string {
	return fmt.Sprintf("%s sends what is uploaded to another host, %s: -also-host %s allows it", e.From, e.To, e.To)
}
