package rounds

import (
	"fmt"
	"sync"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline/retained"
	"github.com/rollstamp/rollstamp/render"
)

// Source is the source of the applications that Applications and ApplicationSets describe, and in further rounds of
// those that are found in what these render. Its names are NAMESPACE/NAME, and NAMESPACE/NAME/source-N where an
// Application has several sources. What fails has a name, too: asking for its application returns the error, so that
// the others go on.
type Source struct {
	world    *World
	create   NewApplication
	objects  []*appset.Objects
	progress fleet.Progress

	before   []before // other states of the files
	finding  sync.Mutex
	complete bool // all are found
	names    []string
	found    map[string]*member
	// of each Application, by its name
	sources map[string][]*member
	sets    map[string]*appset.Set // by their names, as errors write them
	memory  retained.Memory        // of the renders
	// Applications whose files the render of another reads, by their names
	asWritten map[string]pending
}

// before is another state of the files of a source.
type before struct {
	*Source
	same func(a *app.Application, read []string) bool
}

// member is one application of a source, or why there is none.
type member struct {
	app     *app.Application
	of      *apps.Application // nil where what failed is not an Application
	several bool              // it is one of several sources of the Application
	err     error

	found found // with what was found in its render
}

// found is a source of an Application, rendered so that the Applications in it are known.
type found struct {
	app    *app.Application
	output *render.Output // nil where no Application can be in it
	read   []string       // the files that its render read
	part   apps.Part
	err    error

	unchanged bool // since another state of the files
}

// pending is an Application that is to be rendered.
type pending struct {
	*apps.Application
	name   string
	parent string // the application in whose render it was found; "" for none

	sources []found // once they are rendered
}

// add adds a member under a name that no other has.
func (s *Source) add(name string, m *member) {
	unique := name
	for i := 2; s.found[unique] != nil; i++ {
		unique = fmt.Sprintf("%s (%d)", name, i)
	}
	s.names, s.found[unique] = append(s.names, unique), m
	if m.app != nil {
		m.app = m.app.WithName(unique)
	}
}
