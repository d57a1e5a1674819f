// Package locking updates locks: it renders applications, asks once for all that they fetch, and writes the answers
// into the locks that are in force for them.
package locking

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rollstamp/rollstamp/diag"
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
	Prune   bool                               // drops what no application uses from locks that may serve others, too
}

// Result is what the locks of applications become. Nothing of it has been written.
type Result struct {
	Locks lock.Updates // each once
	Apps  []Locked     // in the order in which they were passed
}

// member is an application with the update of its lock, which others may share.
type member struct {
	*App
	lock *lock.Update
}

// Update returns the locks of applications, with what the stores answer now.
func Update(ctx context.Context, apps []*App, how Options) (*Result, error) {
	var all lock.Updates
	members := make([]member, len(apps))
	for i, a := range apps {
		update, err := all.At(a.Settings().Place())
		if err != nil {
			return nil, err
		}
		members[i] = member{a, update}
	}
	if err := ask(ctx, members, how); err != nil {
		return nil, err
	}
	for _, u := range all {
		if err := u.OtherKey(); err != nil && !how.Rekey {
			return nil, locateError(ctx, members, err)
		}
		if len(how.Only) == 0 && (u.Own() || how.Prune) {
			u.Prune()
		}
	}
	locked := make([]Locked, len(members))
	for i, m := range members {
		locked[i] = Locked{m.Application, m.lock.Old(), m.lock.New()}
	}
	return &Result{all, locked}, nil
}

// ask asks for what all applications need, once for those that ask alike, and puts it into the new locks.
func ask(ctx context.Context, apps []member, how Options) error {
	wanted := selection{only: how.Only, hit: map[string]bool{}}
	asking := ctx // ctx itself goes on: what a failure is about is found out after the time is over
	if how.Timeout > 0 {
		var cancel context.CancelFunc
		asking, cancel = context.WithTimeout(ctx, how.Timeout)
		defer cancel()
	}
	for _, group := range alike(apps) {
		var refs []sources.Ref
		seen := map[string]bool{}
		for _, a := range group {
			for _, ref := range a.refs {
				if wanted.has(ref) && !seen[ref.ID()] {
					seen[ref.ID()] = true
					refs = append(refs, ref)
				}
			}
		}
		if len(refs) == 0 {
			continue
		}
		answers, _, err := how.Stores(group[0].App).Resolve(asking, refs)
		if err != nil {
			return locateError(ctx, group, err)
		}
		if err := record(group, refs, answers); err != nil {
			return err
		}
	}
	for _, a := range apps {
		for _, ref := range a.refs {
			a.lock.Use(ref)
		}
	}
	for _, key := range how.Only {
		if !wanted.hit[key] {
			return diag.Usage(fmt.Errorf("--update %q: no workload reads such a key", key),
				"See the keys in the lock, or with rollstamp explain.")
		}
	}
	return nil
}

// alike groups applications that may be asked for by one call: the same permissions, the same key, and no store
// that is another one to one of them.
func alike(apps []member) [][]member {
	type group struct {
		id     string
		stores map[string]string
		apps   []member
	}
	var groups []*group
	for _, a := range apps {
		s := a.Settings()
		id, stores := fmt.Sprintf("%v %v %v", s.Permissions(), s.Stores.Source, s.HashDomain.Value), a.stores()
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
		groups[i].apps = append(groups[i].apps, a)
	}
	out := make([][]member, len(groups))
	for i, g := range groups {
		out[i] = g.apps
	}
	return out
}

// selection is what the user wants to be asked for.
type selection struct {
	only []string
	hit  map[string]bool // those of only that fit something
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

// record writes answers into the locks of the applications that asked.
func record(group []member, refs []sources.Ref, answers []sources.Answer) error {
	answered := map[string]sources.Answer{}
	for i, ref := range refs {
		answered[ref.ID()] = answers[i]
	}
	for _, a := range group {
		for _, ref := range a.refs {
			answer, ok := answered[ref.ID()]
			if !ok {
				continue
			}
			if answer.Digest != "" {
				answer.Key = hashing.StoreKeyID(a.Stamping().Key)
			}
			if err := a.lock.Set(ref, answer); err != nil {
				return err
			}
		}
	}
	return nil
}
