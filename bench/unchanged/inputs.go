package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// input is one application: a folder, and the flags to render it with.
type input struct {
	path string
	args []string
}

// find returns what can be rendered below the roots, a list with commas.
func find(roots string, only *regexp.Regexp) ([]input, error) {
	var out []input
	for root := range strings.SplitSeq(roots, ",") {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
				return fs.SkipDir
			case !d.IsDir():
				return nil
			}
			kept := only.MatchString(path)
			found, whole := inputsAt(path)
			if kept {
				out = append(out, found...)
			}
			if whole {
				return fs.SkipDir // a chart's folders are no applications
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// inputsAt returns the inputs that a folder is, and whether what lies below it belongs to it.
func inputsAt(dir string) (out []input, whole bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, true
	}
	manifests := false
	for _, e := range entries {
		switch name := e.Name(); {
		case name == "Chart.yaml":
			return chartInputs(dir), true
		case name == "kustomization.yaml", name == "kustomization.yml", name == "Kustomization":
			return []input{{dir, []string{"--load-restrictor", "LoadRestrictionsNone"}}}, false
		case strings.HasSuffix(name, ".yaml"), strings.HasSuffix(name, ".yml"), strings.HasSuffix(name, ".json"):
			manifests = manifests || e.Type().IsRegular()
		}
	}
	if manifests {
		out = []input{{path: dir}}
	}
	return out, false
}

// chartInputs returns a chart with its own values, and with some of the values that lie beside it for tests.
func chartInputs(dir string) []input {
	flags := []string{"--release-name", "rel", "-n", "ns", "--kube-version", "1.34.0"}
	out := []input{{dir, flags}}
	values, _ := filepath.Glob(filepath.Join(dir, "ci", "*values.yaml")) // the pattern is not malformed
	for _, file := range values[:min(len(values), 3)] {
		out = append(out, input{dir, append(slices.Clip(flags), "-f", file)})
	}
	return out
}
