package stock

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// fluxVersion is the version of Flux's own command line.
const fluxVersion = "v2.9.5"

// BuildFlux returns the path of Flux's command line: what FLUX names, or a build in the user's cache. The published
// module lacks the folder that its main package embeds, so it is built from a copy with an empty file there.
func BuildFlux() (string, error) {
	if path := os.Getenv("FLUX"); path != "" {
		return path, nil
	}
	dir, err := cacheDir("flux-" + fluxVersion + "-" + runtime.Version() + "-" + runtime.GOARCH)
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "flux"+exeSuffix())
	if isBuilt(bin) {
		return bin, nil
	}
	source, err := os.MkdirTemp("", "rollstamp-flux-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(source)
	if err := copyFlux(source); err != nil {
		return "", fmt.Errorf("copy flux %s: %w", fluxVersion, err)
	}
	part := bin + ".part"
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -X main.VERSION="+fluxVersion[1:], "-o", part,
		"./cmd/flux")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build flux %s: %w\n%s", fluxVersion, err, out)
	}
	return bin, os.Rename(part, bin)
}

// copyFlux downloads the module and writes it to a folder, with the file that it lacks.
func copyFlux(dir string) error {
	cmd := exec.Command("go", "mod", "download", "-json", "github.com/fluxcd/flux2/v2@"+fluxVersion)
	cmd.Dir = os.TempDir() // whatever module the caller is in has no say
	out, err := cmd.Output()
	var found struct{ Dir, Error string }
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	if err == nil && found.Error != "" {
		err = errors.New(found.Error)
	}
	if err != nil {
		return err
	}
	manifests := filepath.Join(dir, "cmd", "flux", "manifests")
	return errors.Join(os.CopyFS(dir, os.DirFS(found.Dir)), os.MkdirAll(manifests, 0o755),
		os.WriteFile(filepath.Join(manifests, "none.yaml"), nil, 0o644))
}
