package diff

import (
	"cmp"
	"sync"

	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// edgesOf lists who reads what on the new side.
func edgesOf(old, in *inventory, configs *configs, restarts *restarts, n neighbours) []Edge {
	var out []Edge
	around := sync.OnceValue(func() map[id]string { return aroundOf(n.after.apps[n.names[n.index]]) })
	for _, o := range in.all {
		if o.workload == nil {
			continue
		}
		for i := range o.workload.References {
			r := &o.workload.References[i]
			e := Edge{Config: Name{App: n.appOf(r), Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}, Workload: o.Name,
				Keys: r.Keys}
			config := in.find(r.Kind, r.Namespace, r.Name)
			if config != nil {
				e.Config = config.Name
			}
			if d := configs.byNow[config]; d != nil {
				e.Changed = len(d.keys) > 0
				_, e.Restarts = restarts.causes[o][d.causeName()]
			} else if (old.find(r.Kind, r.Namespace, r.Name) == nil) != (config == nil) {
				e.Changed = true
				_, e.Restarts = restarts.causes[o][r.Kind+" "+r.Name]
			} else if _, is := restarts.causes[o][r.Kind+" "+r.Name]; is && r.Source == objects.Context {
				e.Changed, e.Restarts = true, true
				if e.Config.App == o.App { // a part of a run knows of others what is in the context
					e.Config.App = cmp.Or(n.named(appAround(around(), r)), o.App)
				}
			}
			out = append(out, e)
			if _, is := restarts.causes[o][r.Kind+" "+r.Name]; is {
				out = append(out, n.copied(in, o, r, around)...)
			}
		}
	}
	return out
}

// copied returns the edges to a workload that restarts from what its application or another one renders, where a tool
// copies that into what the workload refers to.
func (n neighbours) copied(in *inventory, o *object, r *plan.Reference, around func() map[id]string) (out []Edge) {
	edge := func(from Name) Edge {
		return Edge{Config: from, Workload: o.Name, Keys: r.Keys, Changed: true, Restarts: true}
	}
	for _, from := range in.copiedFor(r, in.find(r.Kind, r.Namespace, r.Name)) {
		out = append(out, edge(from.Name))
	}
	for _, p := range r.Producers {
		if !p.Copied || !isConfigKind(p.Kind) || in.find(p.Kind, p.Namespace, p.Name) != nil {
			continue
		}
		by := n.named(appAround(around(), &plan.Reference{Kind: p.Kind, Namespace: p.Namespace, Name: p.Name}))
		if by == "" {
			from, ok := n.now.Original(n.index, p.Kind, objects.Original{Namespace: p.Namespace, Name: p.Name})
			if !ok || from.Doubtful != "" {
				continue
			}
			by = from.App
		}
		out = append(out, edge(Name{App: by, Kind: p.Kind, Namespace: p.Namespace, Name: p.Name}))
	}
	return out
}
