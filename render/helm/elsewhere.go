package helm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/internal/workers"
	"github.com/rollstamp/rollstamp/render"
)

// Program renders with another version of Helm, in a process of its own.
type Program interface {
	// Do returns the answer to a request, as Answer does in that process.
	Do(ctx context.Context, request []byte) ([]byte, error)
}

// renderElsewhere has a release rendered by the program with Helm 4.
func (e Engine) renderElsewhere(ctx context.Context, r *release, parts []part) (*render.Output, error) {
	if e.Helm4 == nil {
		return nil, diag.Usage(errors.New("render with Helm 4: it is not available here"), "")
	}
	request, err := encodeRequest(r.req, r.values, parts)
	if err != nil {
		return nil, diag.Input(diag.Position{File: r.req.Path}, err, "")
	}
	message, err := e.Helm4.Do(ctx, request)
	if err != nil {
		return nil, r.elsewhereError(ctx, err)
	}
	return decodeAnswer(message, func(text string) string {
		for _, v := range r.req.Helm.Values {
			text = v.Hidden.InMade(text, func(word string) bool { return isPublicIn(word, parts) })
		}
		return text
	})
}

// isPublicIn reports whether a word stands in a template of a chart that another process loads, or is Helm's own.
func isPublicIn(word string, parts []part) bool {
	return isHelms(word) || slices.ContainsFunc(parts, func(p part) bool {
		return slices.ContainsFunc(p.files, func(f *loader.BufferedFile) bool {
			return strings.Contains("/"+f.Name, "/templates/") && isInFile(word, f.Name, f.Data)
		})
	})
}

// elsewhereError is the error of a program that did not answer.
func (r *release) elsewhereError(ctx context.Context, err error) error {
	var known *diag.Error
	switch {
	case ctx.Err() != nil:
		return timedOut(ctx, r.req)
	case errors.As(err, &known):
		return err
	}
	hint := ""
	var ended *workers.Ended
	if errors.As(err, &ended) {
		switch ended.Cause {
		case workers.StackOverflow:
			err, hint = endedError{"what it renders calls itself without end", ended}, render.RecursionHint
		case workers.OutOfMemory:
			err, hint = outOfMemory(ended)
		}
	}
	return diag.Input(diag.Position{File: r.req.Path}, fmt.Errorf("render with Helm 4: %w", err), hint)
}

// outOfMemory returns the error and hint of a program whose memory ended: its own, or what it shares with this one.
func outOfMemory(ended *workers.Ended) (err error, hint string) {
	if ended.Limit == 0 {
		return endedError{"it needs more memory than it may have", ended}, render.GrowthHint + "."
	}
	text := fmt.Sprintf("it needs more than the %d MiB of memory that it may have", ended.Limit>>20)
	return endedError{text, ended}, render.GrowthHint + ", or allow more with --max-render-memory."
}

// endedError is the end of the program in words.
type endedError struct {
	text  string
	cause *workers.Ended
}

func (e endedError) Error() string { return e.text }

func (e endedError) Unwrap() error { return e.cause }

// Answer renders what a message of another process asks for with a library, and returns the answer as a message. An
// error is one of the message.
func Answer(message []byte, library Library) ([]byte, error) {
	req, values, parts, err := decodeRequest(message)
	if err != nil {
		return nil, err
	}
	out, err := renderHere(req, values, parts, library)
	return encodeAnswer(out, err)
}

func renderHere(
	req render.Request, values map[string]any, parts []part, library Library,
) (out *render.Output, err error) {
	defer fault.Catch(&err)
	rel, err := newRelease(req, library)
	if err != nil {
		return nil, err
	}
	rel.values, rel.uncut = values, true
	for i, p := range parts {
		if p.folder != nil {
			rel.folders = append(rel.folders, p.folder)
		}
		c, err := library.Load(p.files)
		if err != nil {
			return nil, loadError(req.Path, err, p.files)
		}
		if i == 0 {
			rel.chart = c
		} else {
			rel.chart.AddDependency(c)
		}
	}
	if rel.chart == nil {
		return nil, errMessage
	}
	sortUnlisted(rel.chart)
	if out, err = rel.render(); err != nil {
		return nil, err
	}
	out.Namespace = rel.namespace
	return out, nil
}

// WorkerArgument has a program answer requests on its standard input.
const WorkerArgument = "serve"
