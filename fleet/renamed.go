package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// RefuseRenames adds an error to each application of a run whose objects get names with digests, although another
// application names them and keeps the old name. The applications, their renders and errors are by their numbers; a
// render that is nil is made once more, where names get digests, to look for what names them.
func (n *Neighbours) RefuseRenames(
	ctx context.Context, apps []*app.Application, renders []*render.Output, errs []error,
) {
	if len(n.members) < 2 || !slices.ContainsFunc(n.members, (*Member).renames) {
		return
	}
	wanted := map[named][]renamed{}
	for i, m := range n.members {
		for k := 0; m != nil && k < len(m.renamed()); k++ {
			name := named{m.renamed()[k].Kind, m.renamed()[k].Name}
			wanted[name] = append(wanted[name], renamed{i, k})
		}
	}
	found := make([][]naming, len(apps))
	failed := Each(ctx, len(apps), func(ctx context.Context, i int) (err error) {
		if n.members[i] != nil && errs[i] == nil {
			found[i], err = namesIn(ctx, apps[i], renders[i], wanted)
		}
		return err
	}, nil)
	readers := n.readersOf(wanted, found)
	for i, m := range n.members {
		errs[i] = cmp.Or(errs[i], failed[i])
		var refused []error
		for k := 0; m != nil && k < len(m.renamed()); k++ {
			if all := readers[renamed{i, k}]; len(all) > 0 {
				refused = append(refused, renameError(&m.renamed()[k], all))
			}
		}
		if len(refused) > 0 && errs[i] == nil {
			errs[i] = pipeline.NewTrace(ctx, apps[i], renders[i]).Error(errors.Join(refused...))
		}
	}
}

// renamed is an object of a member that gets another name: the numbers of both.
type renamed struct{ member, object int }

// renames reports whether the names of objects of a member carry digests.
func (m *Member) renames() bool { return m != nil && len(m.renamed()) > 0 }

// naming is an object that names another one.
type naming struct {
	named
	namespace string
	by        string // as messages name it
}

// namesIn returns the objects of an application, but for workloads, that name what is wanted.
func namesIn(
	ctx context.Context, a *app.Application, out *render.Output, wanted map[named][]renamed,
) (found []naming, err error) {
	if out == nil {
		result, err := pipeline.Run(ctx, a.WithoutStamping())
		if err != nil {
			return nil, err
		}
		out = result.Output
	}
	err = eachName(a, out, func(o manifest.Object, kind, namespace, name string) {
		if id := (named{kind, name}); wanted[id] != nil {
			id.name = strings.Clone(name)
			found = append(found, naming{id, strings.Clone(namespace), o.String()})
		}
	})
	return found, err
}

// readersOf returns what names the objects that get other names, and belongs to other applications. Found are the
// objects of each application that name them, but for workloads.
func (n *Neighbours) readersOf(wanted map[named][]renamed, found [][]naming) map[renamed][]string {
	readers := map[renamed][]string{}
	add := func(member int, of named, namespace, by string) {
		for _, id := range wanted[of] {
			if id.member != member && n.mayMean(id, member, namespace) {
				readers[id] = append(readers[id], by+" of "+n.members[member].name)
			}
		}
	}
	for of := range wanted {
		for _, one := range n.needs[of] {
			add(one.member, of, one.Namespace, one.Workload.String())
		}
	}
	for i, all := range found {
		for _, one := range all {
			add(i, one.named, n.members[i].known(one.namespace), one.by)
		}
	}
	return readers
}

// mayMean reports whether a name in a namespace of a member means an object that another one renames.
func (n *Neighbours) mayMean(id renamed, member int, namespace string) bool {
	m := n.members[id.member]
	r := &m.renamed()[id.object]
	provided := objects.Provided{Kind: r.Kind, Namespace: m.known(r.Namespace), Name: r.Name}
	return mayReach(provided, namespace) && n.like(member, id.member) == app.SameCluster
}

// shownReaders is how many an error lists.
const shownReaders = 20

func renameError(r *plan.Rename, readers []string) error {
	slices.Sort(readers)
	readers = slices.Compact(readers)
	if rest := len(readers) - shownReaders; rest > 0 {
		readers = append(readers[:shownReaders:shownReaders], fmt.Sprint(rest, " more"))
	}
	return &diag.Error{Exit: diag.ExitInput, Object: manifest.Describe(r.Kind, r.Namespace, r.Name), Pos: r.Position,
		Err: fmt.Errorf("rename it to %s: it is named by what other applications render, and these keep the name: %s",
			r.Written, strings.Join(readers, ", ")),
		Hint: "Set strategy: annotation for the workloads that read it, so that it keeps its name, or render it together " +
			"with what names it, as one application."}
}
