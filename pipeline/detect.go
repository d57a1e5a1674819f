package pipeline

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// markers are the files by which a folder is recognized; the first match counts.
var markers = [...]struct {
	name string
	kind render.Kind
}{
	{"Chart.yaml", render.KindHelm},
	{"kustomization.yaml", render.KindKustomize},
	{"kustomization.yml", render.KindKustomize},
	{"Kustomization", render.KindKustomize},
}

// Detect returns what lies at path in system (nil is the disk), and why it thinks so. A file is plain manifests, unless
// it is a packed chart.
func Detect(system files.System, path string) (kind render.Kind, why string, err error) {
	system = files.OrDisk(system)
	info, err := system.Stat(path)
	if err != nil {
		return "", "", absent(path, err)
	}
	if !info.IsDir() {
		if strings.HasSuffix(path, ".tgz") || strings.HasSuffix(path, ".tar.gz") {
			return render.KindHelm, "a packed chart", nil
		}
		if err := notItsFolder(system, path); err != nil {
			return "", "", err
		}
		return render.KindPlain, "a single file", nil
	}
	for _, m := range markers {
		if found, err := system.Stat(filepath.Join(path, m.name)); err == nil && !found.IsDir() {
			return m.kind, "it holds " + m.name, nil
		}
	}
	return render.KindPlain, "neither a chart nor a kustomization", nil
}

// notItsFolder returns the error for a file that describes the folder in which it lies, which is what somebody means
// who names it. Flux's own objects may have such a name.
func notItsFolder(system files.System, path string) error {
	for _, m := range markers {
		if filepath.Base(path) != m.name {
			continue
		}
		if text, err := system.ReadFile(path); err == nil && bytes.Contains(text, []byte("fluxcd.io")) {
			return nil
		}
		what := map[render.Kind]string{render.KindHelm: "a chart", render.KindKustomize: "a kustomization"}[m.kind]
		return diag.Input(diag.Position{File: path}, fmt.Errorf("render: the file is a part of %s", what),
			"Name its folder: "+diag.Quote(filepath.Dir(path))+". To print the file as it is: --as plain.")
	}
	return nil
}

func absent(path string, err error) error {
	err = files.Cause(err)
	if strings.Contains(path, "://") {
		return diag.Usage(fmt.Errorf("render %s: not a path on this machine", path),
			"Set what it is with --as helm or --as kustomize.")
	}
	return diag.Input(diag.Position{File: path}, fmt.Errorf("read: %w", err), "")
}
