package fleet

import (
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// Member is what an application of a run brings into its cluster, and what its workloads need from others. It holds
// names, and nothing of a render. Of an application from the cache it holds few of them until somebody asks.
type Member struct {
	name        string
	destination app.Destination
	dependsOn   []string // names of those that are applied before
	settings    *config.Settings
	valuesRead  app.Objects   // objects that applications of the run are rendered with, as messages name them
	standIn     string        // what charts show for a namespace that nobody names; "" for none
	at          func() folder // where it lies, where it is called by its path
	mayNeed     bool          // else it has no needs
	mayRename   bool          // else nothing is renamed
	mayCopy     bool          // else tools copy nothing by what is in it

	load func() pipeline.Ties
	lost func() error // why load did not return what there is to know; nil where it always does
	once sync.Once
	tied tied
	err  error // what lost returned
}

// tied is what is to be known of a member where others may have to do with it.
type tied struct {
	provides  []objects.Provided
	needs     []Need
	workloads []string      // as messages name them, but for those whose names charts make up, too
	renamed   []plan.Rename // the objects whose names carry digests
}

// Need is a reference of a workload to a ConfigMap or Secret that its application does not render.
type Need struct {
	App                   string
	Workload              Object
	Kind, Namespace, Name string   // Namespace is "" where it is not known
	About                 string   // the same as messages name it
	Keys                  []string // nil: all
	Required              []string // the keys without which its pods do not start
	InContext             bool     // its content is known from the application's context, and in its digest
	Unstamped             bool     // a stamp would restart the workload for its changes, and none has it

	at folder // of the application
}

// Object is a workload, by its name.
type Object struct{ Kind, Namespace, Name string }

// String returns the object as messages name it.
func (o Object) String() string { return manifest.Describe(o.Kind, o.Namespace, o.Name) }

// MemberOf returns what there is to know of an application with a stamped result for the others of its run.
func MemberOf(a *app.Application, result *pipeline.Result) *Member {
	ties := pipeline.TiesOf(result)
	return memberOf(a, standIn(a, ties.Kind, ties.Stamped), func() pipeline.Ties { return ties })
}

// MemberWith is MemberOf for a result of which nothing is read that nobody asks for.
func MemberWith(a *app.Application, r *pipeline.Rendered) *Member {
	if r.IsAtHand() {
		ties := r.Ties()
		return memberOf(a, standIn(a, ties.Kind, ties.Stamped), func() pipeline.Ties { return ties })
	}
	s := r.Summary()
	m := memberOf(a, standIn(a, s.Kind, s.Stamped), r.Ties)
	m.lost = r.Err
	m.mayNeed, m.mayRename, m.mayCopy = s.Needs, s.Renames, s.Copies
	return m
}

func memberOf(a *app.Application, standIn string, ties func() pipeline.Ties) *Member {
	return &Member{name: a.Name(), destination: a.Destination(), dependsOn: a.DependsOn(), settings: a.Settings(),
		at: func() folder { return newFolder(a) }, standIn: standIn, valuesRead: a.ValuesRead(),
		mayNeed: true, mayRename: true, mayCopy: true, load: ties}
}

// ties returns what others may have to do with.
func (m *Member) ties() *tied {
	m.once.Do(func() {
		m.tied = m.tiedBy(m.load())
		if m.lost != nil {
			m.err = m.lost()
		}
		m.load, m.lost = nil, nil // which hold the result
	})
	return &m.tied
}

func (m *Member) tiedBy(ties pipeline.Ties) (t tied) {
	if !ties.Stamped {
		return t
	}
	t.provides, t.renamed = ties.Provided, ties.Renames
	isStandIn := func(p objects.Provided) bool { return p.Namespace == m.standIn }
	if m.standIn != "" && slices.ContainsFunc(t.provides, isStandIn) {
		t.provides = slices.Clone(t.provides)
		for i := range t.provides {
			t.provides[i].Namespace = m.known(t.provides[i].Namespace)
		}
	}
	for i := range ties.Workloads {
		w := &ties.Workloads[i]
		if m.isNamed(m.known(w.Namespace)) {
			t.workloads = append(t.workloads, manifest.Describe(w.Kind, w.Namespace, w.Name))
		}
		for k := range w.Elsewhere {
			t.needs = append(t.needs, m.needOf(w, &w.Elsewhere[k]))
		}
	}
	return t
}

// failure returns why what others know of the member is not all that there is to know; nil where it is.
func (m *Member) failure() error {
	if m == nil {
		return nil
	}
	return m.err
}

// provides returns the ConfigMaps and Secrets that the application renders, or has produced.
func (m *Member) provides() []objects.Provided { return m.ties().provides }

// originals returns what tools copy into other namespaces, or from them, by what the application renders.
func (m *Member) originals() (out []named) {
	if !m.mayCopy {
		return nil
	}
	for _, p := range m.provides() {
		if p.Of.Name != "" {
			out = append(out, named{p.Kind, p.Of.Name})
		}
	}
	return out
}

// needs returns what workloads of the application need of others.
func (m *Member) needs() []Need {
	if !m.mayNeed {
		return nil
	}
	return m.ties().needs
}

// renamed returns the objects whose names carry digests.
func (m *Member) renamed() []plan.Rename {
	if !m.mayRename {
		return nil
	}
	return m.ties().renamed
}

// standIn returns what a stamped render shows for a namespace that nobody names; "" for none.
func standIn(a *app.Application, kind render.Kind, isStamped bool) string {
	if isStamped && a.Request().Namespace == "" && kind != render.KindPlain {
		return render.DefaultNamespace
	}
	return ""
}

// needOf returns the need for what a workload refers to.
func (m *Member) needOf(w *pipeline.TiedWorkload, r *plan.Reference) Need {
	n := Need{
		App:      m.name,
		Workload: Object{w.Kind, w.Namespace, w.Name},
		Kind:     r.Kind, Namespace: m.known(r.Namespace), Name: r.Name,
		About: manifest.Describe(r.Kind, r.Namespace, r.Name),
		Keys:  r.Keys, Required: r.Required, InContext: r.Source == objects.Context, at: m.at(),
	}
	n.Unstamped = !n.InContext && w.Stamped && m.wouldStamp(r)
	return n
}

// wouldStamp reports whether a stamp would have what a reference is to, were it known: something else than the pull of
// an image reads it, and neither the settings nor volumes that are kept up to date make a restart needless.
func (m *Member) wouldStamp(r *plan.Reference) bool {
	atStart, inVolume := false, false
	for _, form := range r.Forms {
		switch refs.Form(form) {
		case refs.FormEnv, refs.FormEnvFrom:
			atStart = true
		case refs.FormVolume, refs.FormProjected:
			inVolume = true
		}
	}
	live := m.settings.LiveVolumes.Value
	return (atStart || inVolume && !live) && !m.settings.Ignores(r.Kind, r.Namespace, r.Name, nil)
}

// known returns a namespace, "" for what only stands in for one.
func (m *Member) known(namespace string) string {
	if namespace == m.standIn {
		return ""
	}
	return namespace
}

// IsStandIn reports whether a namespace only stands in for one that nobody names.
func (m *Member) IsStandIn(namespace string) bool { return namespace != "" && m.known(namespace) == "" }

// isNamed reports whether the names of objects in a namespace are those that they will have: a chart of which neither
// namespace nor release are known makes them up.
func (m *Member) isNamed(namespace string) bool { return namespace != "" || m.standIn == "" }

// overlaps reports whether two applications render an object of one name.
func (m *Member) overlaps(o *Member) bool {
	own := m.ties()
	workloads := make(map[string]bool, len(own.workloads))
	for _, w := range own.workloads {
		workloads[w] = true
	}
	if slices.ContainsFunc(o.ties().workloads, func(w string) bool { return workloads[w] }) {
		return true
	}
	provided := make(map[objects.Provided]bool, len(own.provides))
	for _, p := range own.provides {
		provided[p.WithoutKeys()] = m.isNamed(p.Namespace)
	}
	return slices.ContainsFunc(o.provides(), func(p objects.Provided) bool {
		return p.Name != "" && provided[p.WithoutKeys()]
	})
}
