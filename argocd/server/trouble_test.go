package server_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/rollstamp/rollstamp/argocd/server"
	"github.com/rollstamp/rollstamp/argocd/server/servetest"
	"github.com/rollstamp/rollstamp/diag"
)

func TestBadStreamsAreRefused(t *testing.T) {
	good := servetest.Archive(t, tree())
	rows := map[string]struct {
		servetest.Upload
		code codes.Code
		text string
	}{
		"a wrong checksum": {servetest.Upload{Archive: good, Checksum: strings.Repeat("0", 64)},
			codes.InvalidArgument, "checksum"},
		"more than announced": {servetest.Upload{Archive: good, Size: 10}, codes.InvalidArgument, "larger than its metadata"},
		"a negative size":     {servetest.Upload{Archive: good, Size: -1}, codes.ResourceExhausted, "too large"},
		"too large an archive": {servetest.Upload{Archive: good, Size: 2 << 20}, codes.ResourceExhausted,
			"too large"},
		"a path out": {servetest.Upload{Archive: good, Dir: "../x"}, codes.InvalidArgument,
			"leads out"},
		"an absolute path": {servetest.Upload{Archive: good, Dir: "/apps"}, codes.InvalidArgument,
			"leads out"},
		"a folder that is not": {servetest.Upload{Archive: good, Dir: "apps/none"}, codes.InvalidArgument,
			`"apps/none"`},
		"no gzip": {servetest.Upload{Archive: []byte("plain text")}, codes.InvalidArgument, "gzip"},
		"a torn archive": {servetest.Upload{Archive: good[:len(good)/2]}, codes.InvalidArgument,
			"unexpected EOF"},
		"a bomb that hides its size": {servetest.Upload{Archive: hidden(servetest.Archive(t,
			map[string]string{"zeros": strings.Repeat("0", 5<<20)}))}, codes.ResourceExhausted, "too large"},
		"a bomb": {servetest.Upload{Archive: servetest.Archive(t,
			map[string]string{"zeros": strings.Repeat("0", 5<<20)})}, codes.ResourceExhausted, "too large"},
		"manifests with a fault": {servetest.Upload{Archive: servetest.Archive(t,
			map[string]string{"a/b.yaml": "a: [\n"}), Dir: "a"}, codes.InvalidArgument, "a/b.yaml"},
	}
	r := start(t, &plugin{}, nil)
	for name, row := range rows {
		_, err := r.Manifests(t.Context(), row.Upload)
		got := status.Convert(err)
		if got.Code() != row.code || !strings.Contains(got.Message(), row.text) ||
			strings.Contains(got.Message(), server.Root) {
			t.Errorf("%s: %v %q, want %v with %q", name, got.Code(), got.Message(), row.code, row.text)
		}
	}
	if _, err := r.Manifests(t.Context(), servetest.Upload{Archive: good, Dir: "apps/web"}); err != nil {
		t.Errorf("a good call afterwards: %v", err)
	}
}

func TestMalformedMessagesAreRefused(t *testing.T) {
	r := start(t, &plugin{}, nil)
	file := r.Piece([]byte("x"))
	for name, send := range map[string]func(*servetest.Client) error{
		"an archive without metadata": func(c *servetest.Client) error {
			s, err := c.Open(t.Context(), "GenerateManifest")
			if err != nil {
				return err
			}
			_ = s.SendMsg(file)
			return s.RecvMsg(c.Message("ManifestResponse"))
		},
		"nothing at all": func(c *servetest.Client) error {
			s, err := c.Open(t.Context(), "GenerateManifest")
			if err != nil {
				return err
			}
			_ = s.CloseSend()
			return s.RecvMsg(c.Message("ManifestResponse"))
		},
		"a message of another kind": func(c *servetest.Client) error {
			s, err := c.Open(t.Context(), "GenerateManifest")
			if err != nil {
				return err
			}
			_ = s.SendMsg(c.Fill("ManifestResponse", `{"manifests":["not a message of ours, \u0001"]}`))
			return s.RecvMsg(c.Message("ManifestResponse"))
		},
	} {
		if err := send(r.Client); status.Code(err) == codes.OK || status.Code(err) == codes.Internal {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoAnswerIsLargerThanArgoCDTakes(t *testing.T) {
	r := start(t, &plugin{}, func(o *server.Options) {
		o.Plugin = &large{}
	})
	_, err := r.Manifests(t.Context(), servetest.Upload{Archive: servetest.Archive(t, tree()), Dir: "apps/web"})
	if s := status.Convert(err); s.Code() != codes.ResourceExhausted ||
		!strings.Contains(s.Message(), "more than the 104857600 that Argo CD takes") {
		t.Errorf("%v %q", s.Code(), s.Message())
	}
}

// large answers with more than may be sent.
type large struct{ plugin }

func (l *large) Prepare(context.Context, server.Call) (server.Job, error) { return l, nil }
func (*large) Close()                                                     {}
func (*large) Key() []byte                                                { return nil }
func (*large) Run(context.Context) (*server.Answer, error) {
	return &server.Answer{Documents: [][]byte{make([]byte, 60<<20), make([]byte, 60<<20)}}, nil
}

// failing fails with what its call's variables say.
type failing struct{ plugin }

func (f *failing) Prepare(_ context.Context, c server.Call) (server.Job, error) {
	hint := c.Env["HINT"]
	one := diag.Input(diag.Position{File: server.Root + "/apps/web/values.yaml", Line: 3}, errors.New(c.Env["TEXT"]),
		hint)
	return nil, errors.Join(one, diag.Source(errors.New("the store does not answer"), ""))
}

func TestErrorsAreWrittenForTheUI(t *testing.T) {
	r := start(t, &plugin{}, func(o *server.Options) { o.Plugin = &failing{} })
	_, err := r.Manifests(t.Context(), servetest.Upload{Archive: servetest.Archive(t, tree()),
		Env: map[string]string{"TEXT": "no such key", "HINT": "Add it."}})
	s := status.Convert(err)
	const want = "apps/web/values.yaml:3: no such key\nhint: Add it.\nthe store does not answer"
	if s.Message() != want || s.Code() != codes.Unavailable {
		t.Errorf("%v %q, want %q", s.Code(), s.Message(), want)
	}
	_, err = r.Manifests(t.Context(), servetest.Upload{Archive: servetest.Archive(t, tree()),
		Env: map[string]string{"TEXT": strings.Repeat("é", 5000)}})
	if s := status.Convert(err); len(s.Message()) > 2048 || !strings.HasSuffix(s.Message(), "é ...") {
		t.Errorf("a long text has %d bytes: ...%q", len(s.Message()), s.Message()[len(s.Message())-20:])
	}
}

func TestAClientThatStopsSendingHoldsNothing(t *testing.T) {
	r := start(t, &plugin{}, func(o *server.Options) {
		o.Timeout = 300 * time.Millisecond
		o.Limits.Waiting = o.Limits.Archive // one such client takes all of the memory
	})
	full := servetest.Archive(t, tree("noise", rand.Text()))
	stream, err := r.Open(t.Context(), "GenerateManifest")
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.SendMsg(r.Fill("AppStreamRequest", `{"metadata":{"checksum":"x","size":"%d"}}`,
		1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := stream.RecvMsg(r.Message("ManifestResponse")); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("the client got %v", err)
	}
	if _, err := r.Manifests(t.Context(), servetest.Upload{Archive: full, Dir: "apps/web"}); err != nil {
		t.Errorf("another one afterwards: %v", err)
	}
}

// hidden makes an archive say that it unpacks to little.
func hidden(archive []byte) []byte {
	copy(archive[len(archive)-4:], []byte{0, 8, 0, 0})
	return archive
}
