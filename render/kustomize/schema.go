package kustomize

import (
	"sync"

	"sigs.k8s.io/kustomize/kyaml/openapi"
)

// schema guards the OpenAPI schema of kyaml, of which each process has one, whoever builds. It is the only state of
// this package that outlives a build, because what it guards is.
var schema schemaLock

// schemaUse is what a build has to do with the schema.
type schemaUse int

const (
	schemaUnused  schemaUse = iota // at most which kinds have no namespace, which kyaml knows of built-in ones without it
	schemaBuiltIn                  // it may read the built-in schema
	schemaOwn                      // it brings a schema of its own
)

// ofLibrary returns what a build by kustomize's library has to do with the schema.
func (p *plan) ofLibrary() schemaUse {
	if p.ownSchema {
		return schemaOwn
	}
	return schemaBuiltIn
}

// ofNative returns what a build in the native way has to do with the schema: only a patch that is merged reads it, to
// know by which key the items of a list are told apart.
func (p *plan) ofNative() schemaUse {
	for _, k := range p.read {
		if len(k.kust.Patches)+len(k.kust.PatchesStrategicMerge)+len(k.kust.PatchesJson6902) > 0 {
			return p.ofLibrary()
		}
	}
	if p.ownSchema {
		return schemaOwn
	}
	return schemaUnused
}

// schemaLock lets builds with the built-in schema run side by side, and a build with a schema of its own alone.
//
// kyaml reads its built-in schema when a build first needs it, which takes milliseconds and which most builds never
// do; and it is not safe to do so while another build runs. So the first build of a process that may need it runs alone
// and as lazily as the kustomize command does; a second one has the schema read first, and from then on all run side by
// side. Builds that do not need it run beside one another before that, too.
type schemaLock struct {
	mu    sync.RWMutex
	state schemaState // guarded by mu
}

type schemaState int

const (
	schemaUntouched schemaState = iota // no build yet that may need it
	schemaLazy                         // perhaps read, perhaps not
	schemaRead                         // read; builds no longer change it
)

// enter waits until a build may run and returns the function that leaves.
func (l *schemaLock) enter(use schemaUse) (leave func()) {
	switch use {
	case schemaUnused:
		l.mu.RLock()
		return l.mu.RUnlock
	case schemaOwn:
		l.mu.Lock()
		openapi.ResetOpenAPI() // a fresh process has read nothing either, and kyaml adds to what it has
		l.state = schemaLazy
		return func() {
			openapi.ResetOpenAPI()
			l.mu.Unlock()
		}
	default:
		return l.enterBuiltIn()
	}
}

// enterBuiltIn is enter for a build that may read the built-in schema.
func (l *schemaLock) enterBuiltIn() (leave func()) {
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
