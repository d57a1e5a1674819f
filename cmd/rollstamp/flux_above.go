package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/flux/rounds"
	"github.com/rollstamp/rollstamp/inventory"
)

// fluxScope is what a run of flux stamp renders, and what of it is stamped. Where paths are a part of what a cluster
// has, all of that is rendered: what applies a part sets namespaces, variables and patches in it, and has its sources.
type fluxScope struct {
	source app.Described
	paths  []string // that are read
	only   []string // those of them whose objects are stamped; none is all
	above  string   // the folder that leads to these
}

// scope returns what is rendered for paths: from the folder of the repository that leads to these, where they do not
// begin with a Kustomization that nothing leads to.
func (f *fluxStampCommand) scope(ctx context.Context, p *program, paths []string) (fluxScope, error) {
	paths, err := inventory.Expand(p.wiring.Disk().Files, paths)
	if err != nil {
		return fluxScope{}, err
	}
	s := fluxScope{paths: paths}
	if s.source, err = f.stateOf(ctx, p, s, nil, anyObject); err != nil {
		return s, err
	}
	var above []string
	if source, ok := s.source.(*rounds.Source); ok {
		for _, k := range source.Above(ctx) {
			if dir := filepath.Dir(files.FromHere(k.Pos.File)); !slices.Contains(above, dir) {
				above = append(above, dir)
			}
		}
	}
	shown := strings.Join(paths, " ")
	switch len(above) {
	case 0:
		return s, nil
	case 1:
		p.say("%s is applied by what lies in %s: that is rendered, and what lies in the first is stamped", shown, above[0])
		s.paths, s.only, s.above = append(above, paths...), paths, above[0]
		s.source, err = f.stateOf(ctx, p, s, nil, anyObject)
		return s, err
	}
	err = fmt.Errorf("%s is applied by what lies in each of %s: one run is for one cluster",
		shown, strings.Join(above, ", "))
	return s, diag.Usage(err, "Run rollstamp flux stamp "+strings.Join(above, ", then rollstamp flux stamp ")+".")
}

// anyObject takes each object.
func anyObject(string) bool { return true }

// takes reports whether an application is one of those that are meant.
func (s fluxScope) takes(name string) bool {
	source, ok := s.source.(*rounds.Source)
	return s.only == nil || !ok || source.IsIn(name, s.only)
}

// stamps reports whether an application is stamped: it is meant, and what Git says of its object has an effect.
func (s fluxScope) stamps(a *app.Application) bool {
	source, ok := s.source.(*rounds.Source)
	inPlace := a.Settings().FluxWrite.Value == config.WriteInPlace && a.Origin().Applier == app.KustomizeController
	return s.takes(a.Name()) && (inPlace || !ok || !source.IsLeft(a.Name()))
}

// errors returns what of the errors of all applications is reported: those of what is stamped, and of what applies it.
func (s fluxScope) errors(p *program, names []string, errs []error) (reported error) {
	source, ok := s.source.(*rounds.Source)
	if s.only == nil || !ok {
		return fleet.Join(names, errs)
	}
	out, others, found := slices.Clone(errs), 0, false
	for i, name := range names {
		takes := s.takes(name)
		found = found || takes
		if out[i] != nil && !takes && !source.IsAround(name, s.only) {
			out[i] = nil
			others++
		}
	}
	if others > 0 {
		p.say("%d others fail, which are not stamped here: rollstamp flux stamp %s --check reports them", others, s.above)
	}
	if reported = fleet.Join(names, out); reported == nil && !found {
		err := fmt.Errorf("find applications in %s: what lies in %s does not apply it", strings.Join(s.only, " "), s.above)
		reported = &app.NoneError{Err: diag.Input(diag.Position{}, err,
			"Its file has to be listed in the kustomization that is to apply it.")}
	}
	return reported
}
