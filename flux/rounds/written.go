package rounds

import (
	"cmp"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/values"
	"github.com/rollstamp/rollstamp/manifest/typed"
)

// written finds ConfigMaps and Secrets in the files that the user names, and what makes Secrets in a cluster, whether
// or not anything applies them.
type written struct {
	once sync.Once
	at   map[values.Ref]standing
}

// standing is where an object stands, or what makes it.
type standing struct {
	pos diag.Position
	by  string // the kind and name of what makes it in the cluster; "" for the object itself
	// several is set where there are others of the name: another cluster's, as it may be.
	several bool
}

// elsewhere returns the object of a kind and name that stands in another namespace only, and that namespace; "" where
// there is none. Of several it is the first by namespace.
func (w *written) elsewhere(ref values.Ref) (namespace string, at standing) {
	if _, isThere := w.at[ref]; isThere {
		return "", at
	}
	for other, is := range w.at {
		isFirst := namespace == "" || other.Namespace < namespace
		if other.Kind == ref.Kind && other.Name == ref.Name && other.Namespace != "" && is.by == "" && isFirst {
			namespace, at = other.Namespace, is
		}
	}
	return namespace, at
}

// find returns where an object stands; the zero value where it does not.
func (w *written) find(system files.System, paths []string, ref values.Ref) standing {
	w.once.Do(func() { w.read(system, paths) })
	if at, ok := w.at[ref]; ok {
		return at
	}
	return w.at[values.Ref{Kind: ref.Kind, Name: ref.Name}]
}

// read reads the files. What is wrong in one is reported where it is read for Flux's objects.
func (w *written) read(system files.System, paths []string) {
	w.at = map[values.Ref]standing{}
	for _, path := range paths {
		place, err := typed.Find(system, path)
		if path == "-" || err != nil {
			continue
		}
		for _, file := range place.Files {
			text, err := files.OrDisk(system).ReadFile(file)
			if err != nil {
				continue
			}
			all, _ := typed.ParseOnly(text, file, hasValues)
			for _, o := range all {
				w.add(o)
			}
		}
	}
}

// hasValues reports whether a kind is one that values are taken from, or makes one.
func hasValues(group, kind string) bool {
	switch group {
	case "":
		return isOfValues(group, kind)
	case "external-secrets.io":
		return kind == "ExternalSecret" || kind == "ClusterExternalSecret"
	case "bitnami.com":
		return kind == "SealedSecret"
	}
	return false
}

// add adds an object, but for one of a name that is there. What is there itself counts before what makes it.
func (w *written) add(o typed.Object) {
	ref := values.Ref{Kind: o.Kind, Namespace: textAt(o.Fields, "metadata", "namespace"),
		Name: textAt(o.Fields, "metadata", "name")}
	at := standing{pos: o.Pos}
	if o.Kind != "ConfigMap" && o.Kind != "Secret" {
		at.by = o.Kind + " " + ref.Name
		ref.Kind, ref.Name = "Secret", cmp.Or(textAt(o.Fields, "spec", "target", "name"),
			textAt(o.Fields, "spec", "externalSecretSpec", "target", "name"), textAt(o.Fields, "spec", "externalSecretName"),
			ref.Name)
	}
	have, known := w.at[ref]
	if at.several = known; known && (have.by == "" || at.by != "") {
		at, at.several = have, true
	}
	w.at[ref] = at
}

// textAt returns the text at a path of an object; "" where there is none.
func textAt(fields map[string]any, path ...string) string {
	for _, key := range path[:len(path)-1] {
		fields, _ = fields[key].(map[string]any)
	}
	text, _ := fields[path[len(path)-1]].(string)
	return text
}
