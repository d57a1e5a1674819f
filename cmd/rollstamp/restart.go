package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/sources/lock"
)

type restartCommand struct {
	renderFlags
	reason, by, at string
	consuming      []string
	undo           bool
}

func newRestart(p *program) *cobra.Command {
	var r restartCommand
	c := &cobra.Command{
		Use:   "restart [PATH...] KIND/NAME...",
		Short: "Restart workloads by a commit, as kubectl rollout restart does without one",
		Long: `Write a line for each workload into the nearest rollstamp.lock upwards: the next render stamps it as
checksum.rollstamp.dev/restart, and the sync that applies it restarts the workload, once. The line says
when, who and why; a later restart takes its place.

KIND/NAME is a workload of an application at PATH (by default the working folder); one of several
namespaces is written as KIND/NAMESPACE/NAME. An argument that is an existing path is a PATH.`,
		Example: `  rollstamp restart Deployment/web --reason 'leaks memory'
  rollstamp restart apps/shop StatefulSet/shop/db --reason 'new certificates' --by alice
  rollstamp restart --all-consuming ConfigMap/settings --reason 'rolled back by hand' 'apps/*'
  rollstamp restart --undo Deployment/web`,
		RunE: func(c *cobra.Command, args []string) error { return r.run(c.Context(), p, args) },
	}
	r.add(c)
	f := c.Flags()
	f.StringVar(&r.reason, "reason", "", "why; it stands in the lock")
	f.StringVar(&r.by, "by", "", "who asks for it (default "+config.EnvAuthor+", else nobody is named)")
	f.StringVar(&r.at, "at", "", "when, in RFC 3339 (default "+config.EnvTime+", else now)")
	f.StringArrayVar(&r.consuming, "all-consuming", nil,
		"every stamped workload that reads this ConfigMap or Secret, as KIND/NAME; may be repeated")
	f.BoolVar(&r.undo, "undo", false, "bring back what the last commit has, instead of a line that is not committed")
	return c
}

func (r *restartCommand) run(ctx context.Context, p *program, args []string) error {
	picks, paths, err := splitDecided(args)
	if err != nil {
		return err
	}
	consumed, err := r.consumed()
	if err != nil {
		return err
	}
	asked, err := r.asked(p.env)
	if err != nil {
		return err
	}
	if len(picks)+len(consumed) == 0 {
		return diag.Usage(errors.New("restart what?"), "Name workloads as Deployment/web, or --all-consuming ConfigMap/settings.")
	}
	named := picks
	if len(consumed) > 0 {
		named = nil // who else reads it is not known while an application fails
	}
	all, failed, err := r.subjects(ctx, p, paths, nil, named)
	if err != nil {
		return err
	}
	return errors.Join(failed, r.decide(ctx, p, all, picks, consumed, asked))
}

// decide writes or takes back the restarts of what is meant.
func (r *restartCommand) decide(
	ctx context.Context, p *program, all []subject, picks, consumed []identity, asked askedRestart,
) error {
	meant, err := r.choose(all, picks, consumed)
	if err != nil {
		return err
	}
	if r.undo {
		return p.undoRestarts(ctx, all, meant)
	}
	_, err = p.decide(ctx, all, func(s *subject, u *lock.Update, names []lock.Application) {
		for k := range s.Workloads {
			if w := &s.Workloads[k]; meant[w] {
				id := policy.WorkloadID(w.Kind, w.Namespace, w.Name)
				text := asked.text(p, s, w, u, names)
				u.Decide(names[0], lock.Decision{Class: lock.Restart, Workload: id, Text: text})
			}
		}
	})
	return err
}

// choose returns the workloads that are meant. One that gets no stamps cannot be restarted, and each object has to mean
// one.
func (r *restartCommand) choose(all []subject, picks, consumed []identity) (map[*plan.Workload]bool, error) {
	meant, found := map[*plan.Workload]bool{}, map[identity]bool{}
	for i := range all {
		for k := range all[i].Workloads {
			w := &all[i].Workloads[k]
			for _, one := range picks {
				if one.is(w.Kind, w.Namespace, w.Name) {
					meant[w], found[one] = true, true
				}
			}
			for _, one := range consumed {
				if w.Stamped && one.isReadBy(w) {
					meant[w], found[one] = true, true
				}
			}
			if meant[w] && !w.Stamped && !r.undo {
				return nil, unstampedRestart(w)
			}
		}
	}
	for _, one := range picks {
		if !found[one] {
			return nil, meansNone("restart", one, all)
		}
	}
	for _, one := range consumed {
		if !found[one] {
			return nil, readByNone(one, all)
		}
	}
	return meant, nil
}

// readByNone is the error about an object that no stamped workload reads.
func readByNone(one identity, all []subject) error {
	hint := "rollstamp explain lists what workloads read."
	if !anyWorkload(all, func(*plan.Workload) bool { return true }) {
		hint = fmt.Sprintf("Nothing that was rendered has a workload. Name the application, too, as in: "+
			"rollstamp restart 'apps/*' --all-consuming %s", one)
	}
	if anyWorkload(all, func(w *plan.Workload) bool { return one.is(w.Kind, w.Namespace, w.Name) }) {
		hint = fmt.Sprintf("It is a workload itself: rollstamp restart %s", one)
	}
	err := fmt.Errorf("restart --all-consuming %s: no workload that is stamped reads it", one)
	return diag.Input(diag.Position{}, err, hint)
}

// consumed returns the objects whose consumers are meant.
func (r *restartCommand) consumed() (out []identity, err error) {
	for _, text := range r.consuming {
		id, ok := parseIdentity(text)
		if !ok {
			return nil, diag.Usage(fmt.Errorf("--all-consuming %s: not KIND/NAME", text), "Write it as ConfigMap/settings.")
		}
		out = append(out, id)
	}
	return out, nil
}

// askedRestart is what the lines of restarts say.
type askedRestart struct {
	when    time.Time
	isGiven bool   // somebody said when, so that the command can be repeated
	rest    string // who and why
}

// asked returns what the lines say.
func (r *restartCommand) asked(env config.Env) (a askedRestart, err error) {
	if r.undo {
		return a, nil
	}
	if strings.TrimSpace(r.reason) == "" {
		return a, diag.Usage(errors.New("a restart needs a reason"), "Pass it with --reason.")
	}
	at, _ := env(config.EnvTime)
	author, _ := env(config.EnvAuthor)
	at, author = cmp.Or(r.at, at), strings.Join(strings.Fields(cmp.Or(r.by, author, "-")), "_")
	a = askedRestart{time.Now().UTC().Truncate(time.Second), at != "",
		strings.Join(append([]string{author}, strings.Fields(r.reason)...), " ")}
	if a.isGiven {
		if a.when, err = time.Parse(time.RFC3339, at); err != nil {
			return a, diag.Usage(fmt.Errorf("when %q is: not as RFC 3339 writes a time", at), "Such as 2026-05-01T10:00:00Z.")
		}
	}
	return a, nil
}

// text returns the line of a workload. Its stamp is the time, so that two restarts of one second would be one: the
// second one gets the next second, unless somebody said when it is.
func (a askedRestart) text(p *program, s *subject, w *plan.Workload, u *lock.Update, names []lock.Application) string {
	has := map[string]bool{}
	for _, name := range names {
		for _, d := range s.restarts(w, u.Old(), name) {
			when, _, _ := strings.Cut(d.Text, " ")
			has[when] = true
		}
	}
	stamp := func() string { return a.when.UTC().Format(time.RFC3339) }
	for !a.isGiven && has[stamp()] {
		a.when = a.when.Add(time.Second)
	}
	if has[stamp()] {
		fmt.Fprintf(p.err, "note: %s/%s: %s has a restart of %s already, and this one is the same: say another time\n",
			w.Kind, w.Name, fromHere(u.Path()), stamp())
	}
	return stamp() + " " + a.rest
}

// unstampedRestart is the error about a workload that a stamp does not restart.
func unstampedRestart(w *plan.Workload) error {
	return diag.Input(w.Position, fmt.Errorf("restart %s/%s: it gets no stamps", w.Kind, w.Name),
		"rollstamp explain -v says why.")
}
