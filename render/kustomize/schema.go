package kustomize

import (
	"sync"

	"sigs.k8s.io/kustomize/kyaml/openapi"
)

// schema guards the OpenAPI schema of kyaml, of which each process has one, whoever builds. It is the only state of
// this package that outlives a build, because what it guards is.
var schema schemaLock

// schemaLock lets builds with the built-in schema run side by side, and a build with a schema of its own alone.
//
// kyaml reads its built-in schema when a build first needs it, which takes milliseconds and which most builds never
// do; and it is not safe to do so while another build runs. So the first build of a process runs alone and as lazily
// as the kustomize command does; a second one has the schema read first, and from then on all run side by side.
type schemaLock struct {
	mu    sync.RWMutex
	state schemaState // guarded by mu
}

type schemaState int

const (
	schemaUntouched schemaState = iota // no build yet
	schemaLazy                         // perhaps read, perhaps not
	schemaRead                         // read; builds no longer change it
)

// enter waits until a build may run and returns the function that leaves. own reports that the build brings a schema
// of its own.
func (l *schemaLock) enter(own bool) (leave func()) {
	if own {
		l.mu.Lock()
		openapi.ResetOpenAPI() // a fresh process has read nothing either, and kyaml adds to what it has
		l.state = schemaLazy
		return func() {
			openapi.ResetOpenAPI()
			l.mu.Unlock()
		}
	}
	for {
		l.mu.RLock()
		if l.state == schemaRead {
			return l.mu.RUnlock
		}
		l.mu.RUnlock()
		l.mu.Lock()
		if l.state == schemaUntouched {
			l.state = schemaLazy
			return l.mu.Unlock
		}
		if l.state == schemaLazy {
			openapi.Schema()
			l.state = schemaRead
		}
		l.mu.Unlock()
	}
}
