// Package locking updates locks: it renders applications, asks once for all that they fetch, and writes the answers
// into the locks that are in force for them.
package locking

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// Options are what is asked for, and of which stores.
type Options struct {
	Timeout time.Duration                      // for all questions together; 0 means as long as it takes
	Stores  func(*App) sources.VersionResolver // answers for an application and all that may ask alike
	Only    []string                           // keys to move, as the lock, explain or the manifest has them; nil: all
	Rekey   bool                               // takes digests of another hash key than the lock's
	Missing bool                               // asks only for what the lock does not have
	Prune   bool                               // drops what no application uses, though others may use it
	// Covers reports whether the applications are all that may read a lock in a folder; nil: that is not known. From
	// a lock in the folder of one of them what they do not use is dropped then, unless only some keys are asked for.
	Covers func(folder string) bool
}

// Result is what the locks of applications become. Nothing of it has been written.
type Result struct {
	Locks    lock.Updates // each once, without those that failed as a whole
	Apps     []Locked     // those that did not fail, in the order in which they were passed
	Errs     []error      // of the applications, by their indexes; nil for those that did not fail
	LockErr  error        // of locks that cannot be written, with all that their applications read
	Findings []diag.Finding
}

// Update returns the locks of applications, with what the stores answer now. One that is nil, because it could not be
// rendered, or that fails leaves its own lines as they are, and does not stop the others; nothing is dropped from
// a lock then. The error is about the options.
func Update(ctx context.Context, apps []*App, how Options) (*Result, error) {
	result := &Result{Errs: make([]error, len(apps))}
	var members []*member
	whole := true
	for i, a := range apps {
		if a == nil {
			whole = false
			continue
		}
		m := &member{App: a, index: i}
		if m.err = OnDisk(a.Application); m.err == nil {
			m.lock, m.err = result.Locks.At(a.Settings().Place())
		}
		members = append(members, m)
	}
	var err error
	if result.Findings, err = ask(ctx, members, how); err != nil && whole {
		return nil, err
	}
	for _, m := range members {
		whole = whole && m.err == nil
	}
	failed := map[*lock.Update]bool{}
	result.Locks = slices.DeleteFunc(result.Locks, func(u *lock.Update) bool {
		if err := lockError(ctx, members, u, how.Rekey); err != nil {
			failed[u], result.LockErr = true, errors.Join(result.LockErr, err)
			return true
		}
		if whole && how.drops(u) {
			u.Prune()
		}
		return false
	})
	for _, m := range members {
		if result.Errs[m.index] = m.err; m.err == nil && !failed[m.lock] {
			result.Apps = append(result.Apps, Locked{m.Application, m.Was, m.WasErr, m.lock.Old(), m.lock.New()})
		}
	}
	return result, nil
}

// drops reports whether a lock loses what no application uses, if none has failed.
func (o Options) drops(u *lock.Update) bool {
	if o.Prune || len(o.Only) > 0 || o.Missing {
		return o.Prune && len(o.Only) == 0
	}
	return u.Own() && o.Covers != nil && o.Covers(filepath.Dir(u.Path()))
}

// OnDisk refuses an application of a revision or a fetched repository, or one whose folder was copied together: no lock
// can be written there.
func OnDisk(a *app.Application) error {
	if place := a.Settings().Place(); files.IsOnDisk(place.Files, place.Dir) {
		return nil
	}
	return diag.Usage(fmt.Errorf("lock %s: its files are not on this machine's disk", a.Name()),
		"Do it in a checkout of its repository. What an ArtifactGenerator copies together has its lock where its "+
			"kustomization.yaml comes from.")
}

// lockError returns why a lock cannot be written, with the object that is concerned where one is.
func lockError(ctx context.Context, members []*member, u *lock.Update, rekey bool) error {
	err := u.Err()
	other := u.OtherKey()
	if rekey || other == nil {
		return err
	}
	var f *sources.Failure
	for _, m := range members {
		concerned := m.lock == u && errors.As(other, &f) &&
			slices.ContainsFunc(m.refs, func(ref sources.Ref) bool { return ref.ID() == f.Ref.ID() })
		if concerned {
			other = locate(ctx, m, other)
			break
		}
	}
	return errors.Join(err, other)
}

// ask asks for what all applications need, once for those that ask alike, and puts it into the new locks.
func ask(ctx context.Context, all []*member, how Options) (found []diag.Finding, err error) {
	wanted := selection{only: how.Only, missing: how.Missing, hit: map[string]bool{}}
	asking := ctx // ctx itself goes on: what a failure is about is found out after the time is over
	if how.Timeout > 0 {
		var cancel context.CancelFunc
		asking, cancel = context.WithTimeout(ctx, how.Timeout)
		defer cancel()
	}
	sound := slices.DeleteFunc(slices.Clone(all), func(m *member) bool { return m.err != nil })
	for _, group := range alike(sound) {
		refs := wanted.of(group)
		if len(refs) == 0 {
			continue
		}
		answers, more, err := how.Stores(group[0].App).Resolve(asking, refs)
		found = append(found, more...)
		record(ctx, group, refs, answers, err)
	}
	for _, m := range sound {
		for _, ref := range m.refs {
			m.lock.Use(ref)
		}
		for _, f := range m.Followed() {
			m.lock.SetCommit(f.Name, f.Commit)
			for _, key := range how.Only {
				wanted.hit[key] = wanted.hit[key] || key == f.Name
			}
		}
	}
	for _, key := range how.Only {
		if wanted.hit[key] {
			continue
		}
		err = diag.Usage(fmt.Errorf("--update %q: no workload reads such a key", key),
			"See the keys in the lock, or with rollstamp explain.")
	}
	return found, err
}

// alike groups applications that may be asked for by one call: the same permissions, the same key, and no store
// that is another one to one of them.
func alike(all []*member) [][]*member {
	type group struct {
		id      string
		stores  map[string]string
		members []*member
	}
	var groups []*group
	for _, a := range all {
		s := a.Settings()
		id, stores := fmt.Sprintf("%v %v %v", s.Permissions(), s.Stores.Source, s.HashDomain.Value), a.stores()
		if s.OnError.Value == config.OnErrorLastKnown {
			id += " " + a.lock.Path() // which answers where the stores do not
		}
		i := slices.IndexFunc(groups, func(g *group) bool {
			for name, store := range stores {
				if other, known := g.stores[name]; known && other != store {
					return false
				}
			}
			return g.id == id
		})
		if i < 0 {
			i = len(groups)
			groups = append(groups, &group{id: id, stores: map[string]string{}})
		}
		maps.Copy(groups[i].stores, stores)
		groups[i].members = append(groups[i].members, a)
	}
	out := make([][]*member, len(groups))
	for i, g := range groups {
		out[i] = g.members
	}
	return out
}

// selection is what the user wants to be asked for.
type selection struct {
	only    []string
	missing bool            // only what the lock does not have
	hit     map[string]bool // those of only that fit something
}

// of returns what a group of applications is to be asked for, each once.
func (s selection) of(group []*member) (refs []sources.Ref) {
	seen := map[string]bool{}
	for _, m := range group {
		for _, ref := range m.refs {
			if s.has(ref) && !seen[ref.ID()] && !(s.missing && m.isLocked(ref)) {
				seen[ref.ID()] = true
				refs = append(refs, ref)
			}
		}
	}
	return refs
}

// isLocked reports whether the lock has a reference.
func (m *member) isLocked(ref sources.Ref) bool {
	_, _, ok := m.lock.Old().Get(ref)
	return ok
}

// has reports whether a reference is to be asked for.
func (s selection) has(ref sources.Ref) bool {
	if len(s.only) == 0 {
		return true
	}
	wanted := false
	for _, key := range s.only {
		if key == ref.ID() || key == lock.Whole(ref) || key == ref.Place() || key == ref.Key && ref.Key != "" {
			s.hit[key], wanted = true, true
		}
	}
	return wanted
}

// record writes answers into the locks of the applications that asked. An application that lacks one fails, with what
// the error says of it, and none of its answers counts that no other application has, too.
func record(ctx context.Context, group []*member, refs []sources.Ref, answers []sources.Answer, err error) {
	answered, asked := map[string]sources.Answer{}, map[string]bool{}
	for i, ref := range refs {
		asked[ref.ID()] = true
		if i < len(answers) && answers[i] != (sources.Answer{}) {
			answered[ref.ID()] = answers[i]
		}
	}
	all := err != nil && len(answered) == len(refs) // the error is about no single reference
	lacks := func(ref sources.Ref) bool { return asked[ref.ID()] && answered[ref.ID()] == (sources.Answer{}) }
	for _, m := range group {
		if all || err != nil && slices.ContainsFunc(m.refs, lacks) {
			m.err = locate(ctx, m, withOwnRef(m, asked, err))
			continue
		}
		m.set(answered)
	}
}

// set writes the answers for an application into its lock.
func (m *member) set(answered map[string]sources.Answer) {
	for _, ref := range m.refs {
		answer, ok := answered[ref.ID()]
		if !ok {
			continue
		}
		if answer.Digest != "" {
			answer.Key = hashing.StoreKeyID(m.Stamping().Key)
		}
		m.lock.Set(ref, answer)
	}
}
