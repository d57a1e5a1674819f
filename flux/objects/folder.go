package objects

import (
	"fmt"
	"path/filepath"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/typed"
	"github.com/rollstamp/rollstamp/render"
)

// The fields of a kustomization with files: of manifests, and of something else that may look like them.
var (
	manifestFields = []string{"resources", "bases"}
	otherFields    = []string{
		"patchesStrategicMerge", "generators", "transformers", "validators", "configurations", "crds",
	}
	otherItemFields = []string{"patches", "patchesJson6902", "replacements"} // in the path of each item
)

// notManifests returns those of the files that kustomizations among them name as something else than manifests, such
// as patches, and that none of them names as manifests.
func notManifests(system files.System, all []string) map[string]bool {
	manifests, others := map[string]bool{}, map[string]bool{}
	for _, file := range all {
		if !render.IsKustomizationFile(file) {
			continue
		}
		text, err := files.OrDisk(system).ReadFile(file)
		if err != nil {
			continue
		}
		d, err := manifest.Parse(text)
		if err != nil {
			continue // a build of it fails
		}
		add := func(to map[string]bool, name string) {
			if name != "" {
				to[filepath.Join(filepath.Dir(file), filepath.FromSlash(name))] = true
			}
		}
		for _, field := range manifestFields {
			for item := range d.Root().Get(field).Items() {
				add(manifests, item.StringValue())
			}
		}
		for _, field := range otherFields {
			for item := range d.Root().Get(field).Items() {
				add(others, item.StringValue())
			}
		}
		for _, field := range otherItemFields {
			for item := range d.Root().Get(field).Items() {
				add(others, item.Get("path").StringValue())
			}
		}
	}
	for file := range manifests {
		delete(others, file)
	}
	return others
}

// withoutPatches returns the files of a folder that may hold objects which are applied. Of a single file that the
// kustomization beside it names as a patch, it returns an error.
func withoutPatches(system files.System, place typed.Place) (out []string, err error) {
	if place.Folder {
		left := notManifests(system, place.Files)
		for _, file := range place.Files {
			if !left[filepath.Clean(file)] {
				out = append(out, file)
			}
		}
		return out, nil
	}
	for _, file := range place.Files {
		dir := filepath.Dir(file)
		for _, name := range render.KustomizationFiles {
			if !notManifests(system, []string{filepath.Join(dir, name)})[filepath.Clean(file)] {
				continue
			}
			err := fmt.Errorf("read: %s names it as a patch, which is no object by itself", filepath.Join(dir, name))
			return nil, diag.Input(diag.Position{File: file}, err, "Name the folder: "+dir+".")
		}
	}
	return place.Files, nil
}
