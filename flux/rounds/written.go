package rounds

import (
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/values"
	"github.com/rollstamp/rollstamp/manifest/typed"
)

// written finds ConfigMaps and Secrets in the files that the user names, whether or not anything applies them.
type written struct {
	once sync.Once
	at   map[values.Ref]diag.Position
}

// find returns where an object stands; the zero value where it does not.
func (w *written) find(system files.System, paths []string, ref values.Ref) diag.Position {
	w.once.Do(func() { w.read(system, paths) })
	if pos, ok := w.at[ref]; ok {
		return pos
	}
	return w.at[values.Ref{Kind: ref.Kind, Name: ref.Name}]
}

// read reads the files. What is wrong in one is reported where it is read for Flux's objects.
func (w *written) read(system files.System, paths []string) {
	w.at = map[values.Ref]diag.Position{}
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

// hasValues reports whether a kind is one that values are taken from.
func hasValues(group, kind string) bool {
	return group == "" && (kind == "ConfigMap" || kind == "Secret")
}

// add adds an object, but for one of a name that is there.
func (w *written) add(o typed.Object) {
	meta, _ := o.Fields["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	namespace, _ := meta["namespace"].(string)
	ref := values.Ref{Kind: o.Kind, Namespace: namespace, Name: name}
	if _, have := w.at[ref]; !have {
		w.at[ref] = o.Pos
	}
}
