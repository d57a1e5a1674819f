package patches

import (
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// Affixes are what a kustomization puts around the names of its objects, after it has applied its patches.
type Affixes struct{ Prefix, Suffix string }

// AffixesIn returns those of the kustomization in a folder; the zero value where there is none.
func AffixesIn(system files.System, dir string) (a Affixes) {
	for _, name := range render.KustomizationFiles {
		text, err := files.OrDisk(system).ReadFile(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		d, err := manifest.Parse(text)
		if err != nil {
			return a // what renders it has reported that
		}
		return Affixes{d.Root().Get("namePrefix").StringValue(), d.Root().Get("nameSuffix").StringValue()}
	}
	return a
}

// Without returns the name that an object had before.
func (a Affixes) Without(name string) string {
	inner, ok := strings.CutPrefix(name, a.Prefix)
	if !ok {
		return name
	}
	if inner, ok = strings.CutSuffix(inner, a.Suffix); !ok || inner == "" {
		return name
	}
	return inner
}
