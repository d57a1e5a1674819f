package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/sources/lock"
)

type approveCommand struct {
	renderFlags
	next int
	all  bool
	drop bool // lines without effect
}

func newApprove(p *program) *cobra.Command {
	var a approveCommand
	c := &cobra.Command{
		Use:   "approve [PATH...] KIND/NAME...",
		Short: "Let a change restart workloads that wait for it, by a commit",
		Long: `Write the digests of today of workloads under reload: manual into the nearest rollstamp.lock upwards:
the next render stamps them, and the sync that applies it restarts these workloads. Until then their
stamps stay as they were approved, and without a line they have none; explain lists what waits.

KIND/NAME is a workload that waits, or a ConfigMap or Secret, for all that wait for it. --next takes the
first workloads by order: of the configuration, then by application and name. PATH is by default the
working folder, and an argument that is an existing path is a PATH.`,
		Example: `  rollstamp approve Deployment/web
  rollstamp approve ConfigMap/settings 'apps/*'
  rollstamp approve --next 10 'apps/*'
  rollstamp approve --all`,
		RunE: func(c *cobra.Command, args []string) error { return a.run(c.Context(), p, args) },
	}
	a.add(c)
	f := c.Flags()
	f.IntVar(&a.next, "next", 0, "the first so many workloads that wait")
	f.BoolVar(&a.all, "all", false, "all that wait")
	f.BoolVar(&a.drop, "prune", false, "drop lines without effect, instead of writing any")
	return c
}

func (a *approveCommand) run(ctx context.Context, p *program, args []string) error {
	picks, paths, err := splitDecided(args)
	if err = errors.Join(err, a.check(), a.validate(picks)); err != nil {
		return err
	}
	all, failed, err := a.subjects(ctx, p, paths, nil, picks)
	if err != nil {
		return err
	}
	return errors.Join(failed, a.decide(ctx, p, all, picks))
}

// decide writes or drops the lines of what is meant.
func (a *approveCommand) decide(ctx context.Context, p *program, all []subject, picks []identity) error {
	if err := refuseMerge(all, picks, a.drop); err != nil {
		return err
	}
	meant, err := a.choose(all, picks)
	if err != nil {
		return err
	}
	err = refuseWithoutKey("approve", all, func(s *subject, line aboutLine) bool {
		return line.Class == lock.Approved && meant[waiting{s.Name(), line.of}]
	})
	if err != nil {
		return err
	}
	changed, err := p.decide(ctx, all, func(s *subject, u *lock.Update, names []lock.Application) {
		if a.drop {
			u.ForgetGone(lock.Approved, s.Settings().Place().Files)
			s.forgetGoneRestarts(u, names[0])
			s.forgetUnused(u, names[0], lock.Approved, manualOf(s.Plan))
			return
		}
		now := stampDigestsOf(s.Plan)
		for _, of := range now.order {
			if meant[waiting{s.Name(), of}] {
				text := policy.Held{Digests: now.all[of]}.Approved()
				u.Decide(names[0], lock.Decision{Class: lock.Approved, Workload: of.workload, Object: of.object, Text: text})
			}
		}
	})
	switch {
	case err == nil && a.drop:
		p.noteOthers(all, lock.Approved)
	case err == nil && changed:
		p.warnUnkeyed(all)
	}
	switch {
	case err != nil || changed:
	case a.drop:
		fmt.Fprintln(p.err, "every approved line has an effect: none is dropped")
	default:
		fmt.Fprintln(p.err, "nothing waits for approval")
	}
	return err
}

// validate finds flags that do not go together.
func (a *approveCommand) validate(picks []identity) error {
	const ways = "Name workloads or what they read, or pass one of --next N, --all and --prune."
	if a.set.Changed("next") && a.next < 1 {
		return diag.Usage(fmt.Errorf("--next %d: not a number of workloads", a.next),
			"It is at least 1; --all approves all that wait.")
	}
	var given []string
	for _, one := range picks {
		given = append(given, one.String())
	}
	if len(given) > 1 {
		given = given[:1] // of several workloads one stands for all
	}
	for _, name := range []string{"next", "all", "prune"} {
		if f := a.set.Lookup(name); f.Changed && f.Value.String() != "false" {
			given = append(given, "--"+name)
		}
	}
	switch len(given) {
	case 0:
		return diag.Usage(errors.New("approve what?"), ways)
	case 1:
		return nil
	}
	return diag.Usage(fmt.Errorf("approve %s: each says on its own what is approved", strings.Join(given, ", ")), ways)
}

// waiting is what waits for approval.
type waiting struct {
	application string
	consumed
}

// ranked is a workload that waits, with its place in the order.
type ranked struct {
	waiting
	rank int
}

// waitingOf returns what waits in applications, in the order in which --next takes it.
func waitingOf(all []subject) (out []ranked) {
	for i := range all {
		s := &all[i]
		for k := range s.Holds {
			if h := &s.Holds[k]; h.Held == plan.Waiting {
				rank := s.Workloads[s.Places[h.Place].Workload].Rank
				out = append(out, ranked{waiting{s.Name(), consumedBy(s.Plan, h)}, rank})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b ranked) int {
		return cmp.Or(a.rank-b.rank, cmp.Compare(a.application, b.application), cmp.Compare(a.workload, b.workload),
			cmp.Compare(a.object, b.object))
	})
	return out
}

// choose returns what is approved. Each argument has to mean something that waits.
func (a *approveCommand) choose(all []subject, picks []identity) (map[waiting]bool, error) {
	meant, found, taken := map[waiting]bool{}, map[identity]bool{}, map[waiting]bool{}
	for _, w := range waitingOf(all) {
		of := waiting{w.application, consumed{workload: w.workload}}
		if len(taken) < a.next {
			taken[of] = true
		}
		if taken[of] || a.all {
			meant[w.waiting] = true
		}
		for _, one := range picks {
			if one.isWorkload(w.workload) || one.isObject(w.consumed) {
				meant[w.waiting], found[one] = true, true
			}
		}
	}
	for _, one := range picks {
		if !found[one] {
			at, hint := hintInConflict(one, all)
			return nil, diag.Input(at, fmt.Errorf("approve %s: nothing waits by that name", one),
				cmp.Or(hint, hintAtApplication("approve", one, all),
					"rollstamp explain lists what waits; only workloads under reload: manual do."))
		}
	}
	return meant, nil
}

// isObject reports whether the argument names the object that a workload reads.
func (id identity) isObject(of consumed) bool {
	kind, name, _ := strings.Cut(of.object, "/")
	_, namespace, _ := policy.SplitWorkloadID(of.workload)
	if other, rest, two := strings.Cut(name, "/"); two {
		namespace, name = other, rest
	}
	return id.is(kind, namespace, name)
}

// manualOf returns what workloads under reload: manual read.
func manualOf(p *plan.Plan) map[consumed]bool {
	out := map[consumed]bool{}
	take := func(w plan.Wanted) {
		if place := p.Places[w.Place]; place.Workload >= 0 && place.Manual {
			out[consumedBy(p, &plan.Hold{Wanted: w})] = true
		}
	}
	for _, w := range p.Stamps {
		if w.Reason == plan.Digest {
			take(w)
		}
	}
	for _, h := range p.Holds {
		if h.Reason == plan.Digest {
			take(h.Wanted)
		}
	}
	return out
}
