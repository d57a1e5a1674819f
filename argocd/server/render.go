package server

import (
	"context"
	"maps"
	"slices"
	"time"

	"google.golang.org/grpc"

	"github.com/rollstamp/rollstamp/argocd/announce"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/internal/fault"
)

// generate answers GenerateManifest.
func (s *Server) generate(ctx context.Context, stream grpc.ServerStream, note *callLog) error {
	u, err := s.receive(ctx, stream)
	if err != nil {
		return diag.Input(diag.Position{}, err, "")
	}
	note.logUpload(u)
	note.earlier = s.turns.stuckFor(note.caller)
	r, how, err := s.answer(ctx, u, note)
	if err != nil {
		note.how = failed
		return err
	}
	note.how, note.manifests, note.sent = how, r.manifests, len(r.wire)
	return stream.SendMsg(&frame{r.wire})
}

// answer finds or renders the answer to a call, and releases the upload.
func (s *Server) answer(ctx context.Context, u *upload, note *callLog) (*reply, string, error) {
	k := u.key(s.opts.Plugin.State())
	if r := s.replies.again(k); r != nil {
		u.release()
		return r, sameUpload, nil
	}
	if err := s.paused(k); err != nil {
		u.release()
		return nil, failed, err
	}
	a, joined, err := s.flights.do(ctx, k, func(ctx context.Context) (a outcome, err error) {
		defer fault.Catch(&err)
		defer u.release()
		_, err = s.inTurn(ctx, generateCall, u.caller(), k, func(turn *turn) error {
			a, err = s.render(turn, u, k)
			return err
		})
		return a, err
	}, func() { note.waits = s.turns.waitOf(k) })
	if joined {
		u.release()
		a.how = shared
	}
	return a.reply, a.how, err
}

// render renders the answer, or finds the one of a tree with the same content in all that the render read.
func (s *Server) render(turn *turn, u *upload, upload key) (a outcome, err error) {
	ctx := turn.ctx
	defer func() {
		if !turn.isYielded(err) {
			s.pauseAfter(upload, err, time.Since(turn.begun))
		}
	}()
	defer func() { err = turn.cause(err) }()
	if err := s.paused(upload); err != nil {
		return a, err // an equal call ended its process while this one waited
	}
	s.logBegin(ctx, u)
	call, release, err := s.call(ctx, u)
	if err != nil {
		return a, err
	}
	defer release()
	tree := call.Tree
	seen := files.NewRecorder(tree)
	call.Tree = seen
	state := s.opts.Plugin.State() // before anything is read: a later change needs another answer
	job, err := s.opts.Plugin.Prepare(ctx, call)
	if err != nil {
		return a, err
	}
	defer job.Close()
	if job.Key() == nil {
		return s.run(ctx, u, job)
	}
	k := digest(state, []byte(call.Dir), job.Key())
	if r := s.replies.find(k, tree); r != nil {
		s.replies.alias(upload, k, r)
		return outcome{r, sameInputs}, nil
	}
	a, err = s.run(ctx, u, job)
	if err == nil && a.reply.reusable {
		a.reply.seen = seen.Record()
		s.replies.keep(k, a.reply)
		s.replies.alias(upload, k, a.reply)
	}
	return a, err
}

// run has a job rendered.
func (s *Server) run(ctx context.Context, u *upload, job Job) (outcome, error) {
	begun := time.Now()
	a, err := job.Run(ctx)
	took := time.Since(begun)
	if err != nil {
		s.metrics.render("", took, err)
		return outcome{how: rendered}, err
	}
	how := stored
	if !a.Stored {
		how = rendered
		s.metrics.render(a.Kind, took, nil)
	}
	s.metrics.answer(a)
	s.logFindings(ctx, u.env[appName], a.Findings)
	wire := manifestResponse(a.Documents)
	if len(wire) > MaxAnswer {
		return outcome{how: rendered}, tooLargeError{len(wire)}
	}
	return outcome{&reply{wire: wire, manifests: len(a.Documents), reusable: a.Reusable}, how}, nil
}

// match answers MatchRepository.
func (s *Server) match(ctx context.Context, stream grpc.ServerStream, note *callLog) error {
	is := false
	if s.opts.Discover {
		err := s.withCall(ctx, stream, note, func(ctx context.Context, c Call) (err error) {
			is, err = s.opts.Plugin.Match(ctx, c)
			return err
		})
		if err != nil {
			return err
		}
	}
	return stream.SendMsg(&frame{flags(is, s.opts.Discover)})
}

// announce answers GetParametersAnnouncement.
func (s *Server) announce(ctx context.Context, stream grpc.ServerStream, note *callLog) error {
	var all []announce.Parameter
	err := s.withCall(ctx, stream, note, func(ctx context.Context, c Call) (err error) {
		var findings []diag.Finding
		all, findings, err = s.opts.Plugin.Announce(ctx, c)
		s.logFindings(ctx, note.app, findings)
		return err
	})
	if err != nil {
		return err
	}
	return stream.SendMsg(&frame{announcementResponse(all)})
}

// withCall receives a call and passes it to a plugin's method, in its turn.
func (s *Server) withCall(ctx context.Context, stream grpc.ServerStream, note *callLog,
	look func(context.Context, Call) error) (err error) {
	u, err := s.receive(ctx, stream)
	if err != nil {
		return diag.Input(diag.Position{}, err, "")
	}
	defer u.release()
	note.logUpload(u)
	note.earlier = s.turns.stuckFor(note.caller)
	turn, err := s.inTurn(ctx, note.call, note.caller, key{}, func(turn *turn) error {
		call, release, err := s.call(turn.ctx, u)
		if err != nil {
			return err
		}
		defer release()
		return turn.cause(look(turn.ctx, call))
	})
	note.waits = s.turns.wait(turn)
	return err
}

// key identifies an upload, by the bytes of its archive and everything that was sent with it.
func (u *upload) key(state []byte) key {
	parts := [][]byte{u.sum[:], state, []byte(u.dir)}
	for _, name := range slices.Sorted(maps.Keys(u.env)) {
		parts = append(parts, []byte(name), []byte(u.env[name]))
	}
	return digest(parts...)
}
