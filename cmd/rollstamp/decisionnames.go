package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// hintShared is what to do about two applications of one name.
const hintShared = "Give each a name or a folder of its own."

// refuseShared returns the error of two applications with workloads that have one name in the lines of a lock.
func refuseShared(all []subject, locks *lock.Updates) error {
	first := map[string]*subject{}
	for i := range all {
		s := &all[i]
		u, err := locks.At(s.Settings().Place())
		if err != nil {
			return err
		}
		if len(s.Workloads) == 0 {
			continue
		}
		name := pipeline.Applications(s.Application, u.Path(), u.Old())[0]
		key := u.Path() + " " + string(name)
		other := first[key]
		if first[key] = s; other == nil || !isAnother(other.Application, s.Application) {
			continue
		}
		err = fmt.Errorf("%s (%s) and %s (%s) are both %s in lines of %s", other.Name(), describedAt(other.Application),
			s.Name(), describedAt(s.Application), name, fromHere(u.Path()))
		return diag.Input(describedAt(s.Application), err, hintShared)
	}
	return nil
}

// noteNamespace says that Argo CD may live elsewhere than where it does by default, as none of the Applications of a
// run lies there: the plugin then looks for other names than those of the lines.
func (p *program) noteNamespace(all []subject) {
	elsewhere := ""
	for i := range all {
		d := all[i].Identity().Declared
		namespace, _, with := strings.Cut(d.Name, "/")
		switch {
		case d.Engine != lock.ArgoCD:
		case !with:
			return
		default:
			elsewhere = namespace
		}
	}
	if elsewhere != "" {
		fmt.Fprintf(p.err, "note: no Application here lies in the namespace argocd: where Argo CD itself lives in another one, "+
			"such as %s, pass --argocd-namespace, or its plugin does not find these lines\n", elsewhere)
	}
}

// noteOthers says which lines of a class stay that are about applications which the run does not have.
func (p *program) noteOthers(all []subject, class lock.Class) {
	var locks lock.Updates
	known := map[*lock.Update]map[lock.Application]bool{}
	for i := range all {
		u, err := locks.At(all[i].Settings().Place())
		if err != nil {
			return // it has been reported
		}
		if known[u] == nil {
			known[u] = map[lock.Application]bool{}
		}
		for _, name := range pipeline.Applications(all[i].Application, u.Path(), u.Old()) {
			known[u][name] = true
		}
	}
	for _, u := range locks {
		n, first := 0, lock.Application("")
		for _, name := range u.New().Applications() {
			is := func(d lock.Decision) bool { return d.Class == class }
			if known[u][name] || !slices.ContainsFunc(u.New().Decisions(name), is) {
				continue
			}
			if n++; n == 1 {
				first = name
			}
		}
		if n > 0 {
			fmt.Fprintf(p.err, "note: %s: lines of %s stay that this run does not have, such as %s: they may be of another run\n",
				fromHere(u.Path()), diag.Count(n, "application"), first)
		}
	}
}

// warnUnkeyed says, once, that digests of Secrets are without a hash key, where lines may hold them.
func (p *program) warnUnkeyed(all []subject) {
	for i := range all {
		of := all[i].Plan.Findings
		if k := slices.IndexFunc(of, func(f diag.Finding) bool { return f.Code == diag.UnkeyedSecret }); k >= 0 {
			p.warn(of[k : k+1])
			return
		}
	}
}
