// Package retained holds renders for the runs that come: who looks into a render to find further applications does not
// have it rendered again.
package retained

import (
	"context"
	"sync/atomic"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// maxBytes is how much is retained; other renders are made again.
const maxBytes = 256 << 20

// Memory counts what is retained. The zero value is ready, and it may be used from several goroutines at once.
type Memory struct{ bytes atomic.Int64 }

// With returns the application with the render that it has, transforms included, as far as there is memory for that.
func (m *Memory) With(a *app.Application, out *render.Output) *app.Application {
	size := int64(len(out.Text) + len(out.SecondRender))
	if m.bytes.Add(size) > maxBytes {
		m.bytes.Add(-size)
		return a
	}
	engine := rendered{a.Engine(out.Kind), a.Request(), a.Transforms(), out}
	return a.WithKind(out.Kind).WithEngine(out.Kind, engine).WithoutTransforms()
}

// rendered is an engine that has answered one request before.
type rendered struct {
	render.Engine
	of         render.Request
	transforms []render.Transform
	output     *render.Output
}

// Render returns what it returned before, if the request is for the same application and asks for no more.
func (r rendered) Render(ctx context.Context, q render.Request) (*render.Output, error) {
	again := q.Path == r.of.Path && (q.Plain.Directory != nil) == (r.of.Plain.Directory != nil) &&
		q.Kustomize.TraceOf == nil && q.Kustomize.Overlay == r.of.Kustomize.Overlay
	if again {
		return r.output, nil
	}
	out, err := r.Engine.Render(ctx, q)
	for _, transform := range r.transforms {
		if err != nil {
			return nil, err
		}
		out, err = transform(ctx, out)
	}
	return out, err
}

// WithDisplayPath returns an application whose path is written from the working folder, where its files are on disk
// below that: reports name its files as they do for a path that a user writes.
func WithDisplayPath(a *app.Application) *app.Application {
	request := a.Request()
	request.Path = files.FromHere(request.Path)
	return a.WithRequest(request)
}
