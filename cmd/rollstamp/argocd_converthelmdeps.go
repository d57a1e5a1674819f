package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// errDependencies is what helm says of a chart without its dependencies.
var errDependencies = errors.New("dependencies of the chart are not in its folder charts")

// buildDependencies does for a copied chart what a repo-server does where helm misses dependencies: helm dependency
// build, with a home of its own that knows their repositories.
func (h *helmProgram) buildDependencies(ctx context.Context, c *copied, req render.Request, chart string) error {
	isolated := *h
	isolated.env = []string{"HELM_REPOSITORY_CONFIG=" + filepath.Join(c.dir, "repositories.yaml"),
		"HELM_REPOSITORY_CACHE=" + filepath.Join(c.dir, "cache"), "HELM_CACHE_HOME=" + filepath.Join(c.dir, "home")}
	repositories, err := repositoriesOf(chart)
	if err != nil {
		return err
	}
	for i, address := range repositories {
		folder, isLocal := strings.CutPrefix(address, "file://")
		switch {
		case address == "":
			continue // it lies in charts
		case isLocal && filepath.IsAbs(folder):
			return fmt.Errorf("dependency %s: it leads out of the repository", address)
		case isLocal:
			to := filepath.Join(chart, filepath.FromSlash(folder))
			if err := c.beside(filepath.Join(req.Path, filepath.FromSlash(folder)), to); err != nil {
				return fmt.Errorf("copy dependency %s: %w", address, files.Cause(err))
			}
			continue
		case !req.Allow.Network:
			return fmt.Errorf("dependencies from %s: the network is not allowed", redact.URL(address))
		case strings.HasPrefix(address, "oci://"):
			continue
		}
		if _, err := isolated.run(ctx, "repo", "add", fmt.Sprintf("r%d", i), address); err != nil {
			return fmt.Errorf("repo add %s: %w", redact.URL(address), err)
		}
	}
	if _, err := isolated.run(ctx, "dependency", "build", chart); err != nil {
		return fmt.Errorf("dependency build: %w", err)
	}
	return nil
}

// beside copies a folder, if it is not there yet.
func (c *copied) beside(from, to string) error {
	if !strings.HasPrefix(to, c.dir+string(filepath.Separator)) {
		return errors.New("it leads out of the repository")
	}
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return c.tree(from, to)
}

// repositoriesOf returns the repositories of a chart's dependencies, each once, with those of charts of version 1.
func repositoriesOf(chart string) (out []string, err error) {
	seen := map[string]bool{}
	for _, name := range []string{"Chart.yaml", "requirements.yaml"} {
		text, err := os.ReadFile(filepath.Join(chart, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var list struct {
			Dependencies []struct {
				Repository string `json:"repository"`
			} `json:"dependencies"`
		}
		if err := yaml.Unmarshal(text, &list); err != nil {
			return nil, fmt.Errorf("%s is not well-formed", name)
		}
		for _, d := range list.Dependencies {
			if !seen[d.Repository] {
				seen[d.Repository] = true
				out = append(out, d.Repository)
			}
		}
	}
	return out, nil
}
