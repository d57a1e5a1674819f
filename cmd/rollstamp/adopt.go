package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// noteOfPaths is said where the lines are of applications that were named by their paths.
const noteOfPaths = "note: these lines are about what this command renders. Where Argo CD or Flux renders a folder, " +
	"adopt with the files of its objects, which say release name, namespace, values and hash domain: --as argocd, " +
	"--as flux"

type adoptCommand struct {
	renderFlags
	from settingsBefore
	drop bool // lines that no longer hold
}

func newAdopt(p *program) *cobra.Command {
	var a adoptCommand
	c := &cobra.Command{
		Use:   "adopt [PATH...] [KIND/NAME...]",
		Short: "Begin to stamp, or change how digests are made, without a restart",
		Long: `Write the digests of today into the nearest rollstamp.lock upwards. A reference whose digest is the
adopted one gets no stamp, and no name a digest, so that nothing restarts on the day that rollstamp is
installed; its first change stamps it. Lines that no longer hold go with --prune.

Where stamps are there already, --from-... says how they were made until now: with another hash key, in
another hash domain, at another level, of ciphertext, beside checksums of other tools, or by another strategy.
Each application is then stamped in both ways, and what would restart for that alone keeps the stamp
that it has, until its content changes. With --from-level the lock holds all its applications at the
newest level afterwards: name all of them.

Lines are about what this command renders. Where Argo CD or Flux renders, name the files of its objects
with --as argocd or --as flux: they say release name, namespace and values, and the hash domain of Secrets.

An application is adopted once: one that has such lines is left alone, but for workloads that are named.
PATH is by default the working folder, and an argument that is an existing path is a PATH.`,
		Example: `  rollstamp adopt 'apps/*'
  rollstamp adopt --as argocd argocd/
  rollstamp adopt --as flux clusters/production
  rollstamp adopt --from-hash-key-file old.key --hash-key-file new.key 'apps/*'
  rollstamp adopt --from-foreign-checksums keep 'apps/*'
  rollstamp adopt --prune 'apps/*'`,
		RunE: func(c *cobra.Command, args []string) error { return a.run(c.Context(), p, args) },
	}
	a.add(c)
	a.from.add(c)
	c.Flags().BoolVar(&a.drop, "prune", false, "drop lines that no longer hold, instead of writing any")
	return c
}

func (a *adoptCommand) run(ctx context.Context, p *program, args []string) error {
	picks, paths, err := splitDecided(args)
	if err = errors.Join(err, a.check(), a.from.check()); err != nil {
		return err
	}
	if a.drop && (a.from.isGiven() || len(picks) > 0) {
		return diag.Usage(errors.New("--prune takes no workloads, and no --from-..."), "It drops the lines that do not hold.")
	}
	if a.from.raises() && len(picks) > 0 {
		return diag.Usage(fmt.Errorf("--%s takes no workloads: a lock has one level for all of them", fromLevel),
			"Name the applications that share the lock.")
	}
	all, failed, err := a.subjects(ctx, p, paths, &a.from, picks)
	if err != nil {
		return err
	}
	return errors.Join(failed, a.decide(ctx, p, all, picks))
}

// decide writes or drops the lines of what is meant.
func (a *adoptCommand) decide(ctx context.Context, p *program, all []subject, picks []identity) error {
	if err := refuseMerge(all, picks, a.drop); err != nil {
		return err
	}
	if err := errors.Join(findEach("adopt", picks, all), a.impossible(ctx, all, picks)); err != nil {
		return err
	}
	proven, err := provenKeys(all)
	if err == nil && !a.from.isGiven() {
		err = refuseWithoutKey("adopt", all, func(_ *subject, line aboutLine) bool {
			meant := func(one identity) bool { return one.isWorkload(line.of.workload) }
			return line.Class == lock.Adopted && slices.ContainsFunc(picks, meant)
		})
	}
	if err != nil {
		return err
	}
	committed, err := committedLocks(all)
	if err != nil {
		return err
	}
	ofPaths := false
	changed, err := p.decide(ctx, all, func(s *subject, u *lock.Update, names []lock.Application) {
		if a.drop {
			u.ForgetGone(lock.Adopted, s.Settings().Place().Files)
			s.forgetGoneRestarts(u, names[0])
			a.prune(p, s, u, names, proven)
			return
		}
		if a.from.raises() {
			u.Raise()
		}
		byPath := s.adoptedIn(s.lines(committed[u.Path()], names[1:]...))
		wrote := a.adopt(p, s, picks, u, names, byPath)
		ofPaths = ofPaths || wrote && s.Origin() == app.Origin{}
	})
	if err == nil {
		a.say(p, all, ofPaths, changed)
	}
	return err
}

// say says what the lines mean that were written, and why there are none.
func (a *adoptCommand) say(p *program, all []subject, ofPaths, changed bool) {
	if a.drop {
		p.noteOthers(all, lock.Adopted)
	} else if changed {
		p.warnUnkeyed(all)
	}
	switch {
	case ofPaths:
		fmt.Fprintln(p.err, noteOfPaths)
	case changed:
	case a.drop:
		fmt.Fprintln(p.err, "every adopted line still holds, or may: none is dropped")
	default:
		fmt.Fprintln(p.err, "nothing is adopted: no digest here lacks a line, or its application is adopted already; "+
			"name workloads to adopt them once more")
	}
}

// impossible returns the error about stamps of before that no line can hold, or none.
func (a *adoptCommand) impossible(ctx context.Context, all []subject, picks []identity) (err error) {
	for i := range all {
		own := all[i].namesThatChange(picks)
		if a.from.set.Changed(fromWay) {
			own = errors.Join(own, all[i].stampsThatGo(picks))
		}
		if a.from.set.Changed(fromKey) || a.from.set.Changed(fromDomain) {
			own = errors.Join(own, all[i].combined(picks))
		}
		if own != nil {
			err = errors.Join(err, pipeline.NewTrace(ctx, all[i].Application, nil).Error(own))
		}
	}
	if err == nil && a.from.raises() {
		err = checkRaised(all)
	}
	if err == nil && a.from.set.Changed(fromWay) {
		err = sameAsBefore(all)
	}
	return err
}

// adopt writes the lines of an application, and reports whether it has any to write. What was adopted by its path and
// has changed since is stamped: it is left alone but where its workload is named.
func (a *adoptCommand) adopt(
	p *program, s *subject, picks []identity, u *lock.Update, names []lock.Application, byPath map[consumed]bool,
) (wrote bool) {
	approved, changed := map[consumed]bool{}, 0
	for _, line := range s.lines(u.New(), names...) {
		approved[line.of] = line.Class == lock.Approved
	}
	already := s.adoptedIn(s.lines(u.New(), names[0]))
	if len(already) > 0 && len(picks) == 0 && s.before == nil {
		p.noteAdopted(s, already)
		return false
	}
	for of, held := range adoptedLines(s) {
		named := func(one identity) bool { return one.isWorkload(of.workload) }
		if len(picks) > 0 && !slices.ContainsFunc(picks, named) || s.before == nil && approved[of] {
			continue
		}
		if held, is := byPath[of]; is && !held && len(picks) == 0 && s.before == nil {
			changed++
			continue
		}
		u.Decide(names[0], lock.Decision{Class: lock.Adopted, Workload: of.workload, Object: of.object, Text: held.Adopted()})
		wrote = true
	}
	if changed > 0 {
		fmt.Fprintf(p.err, "note: %s: %s by its path and changed since: stamped, and not adopted but where the workload is named\n",
			s.Name(), diag.Count(changed, "digest")+" adopted")
	}
	return wrote
}

// adoptedLines yields the lines by which nothing restarts: those of all digests where nothing was stamped until now,
// else of those that are written otherwise than before.
func adoptedLines(s *subject) iter.Seq2[consumed, policy.Held] {
	now, before, foreign := s.digests(), digestsOf(s.before), droppedForeign(s.Plan)
	for id := range droppedForeign(s.before) {
		delete(foreign, id)
	}
	losing, renamed := map[string]bool{}, s.renamed()
	for id := range foreign {
		losing[id[0]] = true
	}
	return func(yield func(consumed, policy.Held) bool) {
		for _, of := range now.order {
			held, old := policy.Held{Foreign: losing[of.workload]}, before.all[of]
			way, ways := before.ways[of].now, now.ways[of]
			isStamped := slices.ContainsFunc(old, func(d policy.Digest) bool { return d.Stamp != "" })
			if isStamped && way != ways.asked {
				held.Way = way
			}
			isRenamed := now.stamped[of] && renamed[of.object]
			same := s.before != nil && !held.Foreign && !isRenamed && (way == ways.now || !isStamped)
			for i, d := range now.all[of] {
				stamp := ""
				if len(old) > 0 {
					stamp = old[min(i, len(old)-1)].Stamp
				}
				same = same && stamp == d.Stamp
				held.Digests = append(held.Digests, policy.Digest{Value: d.Value, Stamp: stamp})
			}
			isNew := !now.stamped[of] && !isStamped // its variable is not there yet
			if !same && !isNew && !yield(of, held) {
				return
			}
		}
	}
}

// prune drops the adopted lines that no digest is held by. It keeps those that were made with a hash key where the run
// has none, or one that no line was made with, as far as is known: whether they hold is not known then.
func (a *adoptCommand) prune(
	p *program, s *subject, u *lock.Update, names []lock.Application, proven map[keyOrigin]bool,
) {
	used, now, keyed, others := map[consumed]bool{}, digestsOf(s.Plan), 0, 0
	for i := range s.Holds {
		used[consumedBy(s.Plan, &s.Holds[i])] = true
	}
	for _, line := range s.lines(u.New(), names[0]) {
		of := line.of
		switch {
		case line.Class != lock.Adopted || used[of] || len(now.all[of]) == 0 || !policy.IsKeyed(line.Decision):
		case policy.LacksKey(line.Decision, now.all[of]):
			used[of] = true
			keyed++
		case !proven[s.keyOrigin()]:
			used[of] = true
			others++
		}
	}
	if keyed > 0 {
		fmt.Fprintf(p.err, "%s: this run has no hash key, so %s made with one stay: pass the key, or delete them by hand\n",
			s.Name(), diag.Count(keyed, "adopted line"))
	}
	if others > 0 {
		fmt.Fprintf(p.err, "%s: no line holds a digest that is made with the hash key of this run, so %s made with a key "+
			"stay: pass the key that they were made with, or delete them by hand\n",
			s.Name(), diag.Count(others, "adopted line"))
	}
	s.forgetUnused(u, names[0], lock.Adopted, used)
}
