package wiring

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// contexts are the applications that others have objects looked up in, each pattern rendered once for all of a run.
type contexts struct {
	mu    sync.Mutex
	known map[contextKey]*sharedContext
}

// contextKey is what the render of a pattern depends on.
type contextKey struct {
	pattern string
	files   files.System // nil for the disk
	options string       // versions and permissions
}

// sharedContext is what a pattern comes to.
type sharedContext struct {
	mu      sync.Mutex
	done    bool
	members []contextMember
	err     error
}

// contextMember is one application of a pattern.
type contextMember struct {
	path   string // absolute, without links
	output *render.Output
	err    error
}

// get returns the applications of a pattern for an application, rendered by whoever asks first.
func (c *contexts) get(
	ctx context.Context, key contextKey, render func(context.Context) ([]contextMember, error),
) ([]contextMember, error) {
	if c == nil || key.files != nil && !reflect.ValueOf(key.files).Comparable() {
		return render(ctx)
	}
	c.mu.Lock()
	if c.known == nil {
		c.known = map[contextKey]*sharedContext{}
	}
	one := c.known[key]
	if one == nil {
		one = &sharedContext{}
		c.known[key] = one
	}
	c.mu.Unlock()
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.done {
		return one.members, one.err
	}
	members, err := render(ctx)
	if ctx.Err() == nil { // what one application had no time for another may have
		one.members, one.err, one.done = members, err, true
	}
	return members, err
}

// contextKeyOf returns the key of a pattern for an application.
func contextKeyOf(a *app.Application, pattern string) contextKey {
	r := a.Request()
	options := fmt.Sprintf("%d %q %q %q %q %q %+v", r.Helm.Version, r.Helm.KubeVersion, r.Helm.APIVersions,
		r.Kustomize.HelmKubeVersion, r.Kustomize.HelmAPIVersions, r.Kustomize.LoadRestrictor,
		a.Settings().Permissions())
	key := contextKey{pattern: pattern, options: options}
	if _, onDisk := files.OrDisk(r.Files).(files.Disk); !onDisk {
		key.files = r.Files
	}
	return key
}
