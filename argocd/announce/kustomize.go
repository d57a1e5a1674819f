package announce

import (
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// workload is the part of a workload that parameters can change.
type workload struct {
	scaled   string // its name, if kustomize sets its replicas
	replicas string
	images   []string
}

// workloads reads the rendered manifests, up to the first that cannot be read: the render reports that.
func (app App) workloads() []workload {
	if app.Rendered == nil {
		return nil
	}
	kinds := refs.NewTable(config.MaxLevel, nil)
	var out []workload
	for r := manifest.NewReader(app.Rendered()); ; {
		doc, err := r.Next()
		if err != nil || doc == nil {
			return out
		}
		for o := range doc.Objects() {
			out = append(out, workloadOf(o, kinds.Rows(o)))
		}
	}
}

// otherKinds is the row for kinds that are not in the table: many hold a pod template where a Deployment does.
var otherKinds = []*refs.Kind{{Template: []string{"spec", "template"}, PodSpec: []string{"spec"}}}

// workloadOf copies what it takes: the reader uses the memory of a document again.
func workloadOf(o manifest.Object, rows []*refs.Kind) workload {
	if len(rows) == 0 {
		rows = otherKinds
	}
	var w workload
	for _, row := range rows {
		spec := o.Node.At(row.PodSpecPath()...)
		for _, list := range []string{"initContainers", "containers"} {
			for c := range spec.Get(list).Items() {
				w.images = append(w.images, strings.Clone(c.Get("image").Text()))
			}
		}
	}
	if rows[0].Replicas {
		w.scaled, w.replicas = strings.Clone(o.Name), strings.Clone(o.Node.At("spec", "replicas").Text())
	}
	return w
}

// addImages lists the images in the tooltip of the option that changes them. They are no default: the UI would write
// all of them into the Application as soon as one is edited.
func addImages(workloads []workload, options []Parameter) []Parameter {
	images := map[string]bool{}
	for _, w := range workloads {
		for _, image := range w.images {
			images[image] = image != ""
		}
	}
	delete(images, "")
	if len(images) == 0 {
		return options
	}
	for i := range options {
		if options[i].Name == "images" {
			options[i].Tooltip += " Now: " + short(strings.Join(slices.Sorted(maps.Keys(images)), ", "))
		}
	}
	return options
}

// replicas announces the number of replicas of each workload that has one, as an entry of the option replicas.
func replicas(workloads []workload) []Parameter {
	counts := map[string]string{}
	for _, w := range workloads {
		if w.scaled != "" {
			counts[w.scaled] = w.replicas
		}
	}
	var out []Parameter
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		p := Parameter{
			Name: "replicas." + name, Title: "replicas of " + name, Tooltip: "Number of pods of the workload.",
			CollectionType: "string", ItemType: "number", String: counts[name],
		}
		if p.String == "" {
			p.String = "1"
		}
		out = append(out, p)
	}
	return out
}
