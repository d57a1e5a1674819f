package helm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

const fileScheme = "file://"

// missingDependencies returns what Chart.yaml lists and charts/ lacks, by name, as helm template checks it.
func missingDependencies(c *chart.Chart) []*chart.Dependency {
	var missing []*chart.Dependency
	for _, dep := range c.Metadata.Dependencies {
		if !slices.ContainsFunc(c.Dependencies(), func(sub *chart.Chart) bool { return sub.Name() == dep.Name }) {
			missing = append(missing, dep)
		}
	}
	return missing
}

// addMissing adds the missing dependencies in memory: those of the same repository as helm dependency build would
// package them, others from the network where that is allowed.
func (s *source) addMissing(ctx context.Context, c *chart.Chart) error {
	missing := missingDependencies(c)
	if len(missing) == 0 {
		return nil
	}
	if err := s.refuseNetwork(missing); err != nil {
		return err
	}
	locked, err := s.lockedVersions(c)
	if err != nil {
		return err
	}
	done := map[wanted]bool{}
	for _, dep := range missing {
		w := wanted{name: dep.Name, repository: dep.Repository, version: cmp.Or(locked[dep], dep.Version)}
		if done[w] {
			continue // the same chart under several names
		}
		done[w] = true
		sub, err := s.dependency(ctx, w)
		if err != nil {
			return err
		}
		if sub.Name() != w.name {
			return s.failDependency(w, fmt.Errorf("the chart found there is called %s", sub.Name()), "")
		}
		c.AddDependency(sub)
	}
	return nil
}

func (s *source) dependency(ctx context.Context, w wanted) (*chart.Chart, error) {
	switch {
	case w.repository == "":
		return nil, s.refuseMissing("Put the chart into charts/, or set its repository.", w.name)
	case strings.HasPrefix(w.repository, fileScheme):
		return s.local(w)
	}
	return s.remote(ctx, w)
}

// refuseNetwork returns the error of all missing dependencies that only the network has, where it is not allowed.
func (s *source) refuseNetwork(missing []*chart.Dependency) error {
	if s.req.Allow.Network {
		return nil
	}
	var names []string
	for _, dep := range missing {
		isRemote := dep.Repository != "" && !strings.HasPrefix(dep.Repository, fileScheme)
		if isRemote && !slices.Contains(names, dep.Name) {
			names = append(names, dep.Name)
		}
	}
	if names == nil {
		return nil
	}
	return s.refuseMissing("Run helm dependency build, or allow the network with --allow network.", names...)
}

// local reads a dependency from a folder next to the chart. Its own dependencies must lie in its charts/, as for helm.
func (s *source) local(w wanted) (*chart.Chart, error) {
	dir := strings.TrimPrefix(w.repository, fileScheme)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.req.Path, dir)
	}
	real, err := files.RealPath(s.req.Files, dir)
	if err != nil {
		return nil, s.failDependency(w, fmt.Errorf("find folder %s: %w", dir, files.Cause(err)), "")
	}
	own, err := files.RealPath(s.req.Files, s.req.Path)
	if err != nil {
		return nil, err
	}
	if !s.req.Allow.OutsideRoot && !files.Within(s.repositoryRoot(own), real) {
		return nil, s.failDependency(w, errors.New("its folder lies outside of the chart's repository"),
			"Allow it with --allow outside-root, or run helm dependency build.")
	}
	sub, err := s.folder(dir)
	if err != nil {
		return nil, err
	}
	fits, err := satisfies(w.version, sub.Metadata.Version)
	if err == nil && !fits {
		err = fmt.Errorf("its version %s does not satisfy %q", sub.Metadata.Version, w.version)
	}
	if err != nil {
		return nil, s.failDependency(w, err,
			"Correct the version in Chart.yaml, or run helm dependency update where Chart.lock is old.")
	}
	return sub, nil
}

// repositoryRoot returns the repository that dir lies in, or the folder above dir where there is none: a dependency
// next to the chart is usual.
func (s *source) repositoryRoot(dir string) string {
	if root, ok := s.req.Roots.Repository(dir); ok {
		return root
	}
	return filepath.Dir(dir)
}

// lockedVersions returns the versions that Chart.lock pins, after holding its digest against Chart.yaml. It is empty
// where there is no lock file, or the dependencies are to be updated.
func (s *source) lockedVersions(c *chart.Chart) (map[*chart.Dependency]string, error) {
	if c.Lock == nil || s.req.Helm.DependencyUpdate {
		return nil, nil
	}
	var sums []string
	for _, hashed := range []any{
		[2][]*chart.Dependency{c.Metadata.Dependencies, c.Lock.Dependencies},
		map[string][]*chart.Dependency{"dependencies": c.Metadata.Dependencies}, // Helm 2's, for charts of its time
	} {
		data, err := json.Marshal(hashed)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		sums = append(sums, "sha256:"+hex.EncodeToString(sum[:]))
	}
	if c.Metadata.APIVersion != chart.APIVersionV1 {
		sums = sums[:1]
	}
	if !slices.Contains(sums, c.Lock.Digest) {
		return nil, diag.Input(diag.Position{File: filepath.Join(s.req.Path, "Chart.lock")},
			errors.New("lock file is out of step with the dependencies in Chart.yaml"), "Run helm dependency update.")
	}
	locked := map[*chart.Dependency]string{}
	for i, dep := range c.Metadata.Dependencies {
		// Helm writes the lock in Chart.yaml's order; the digest holds the two together.
		if i < len(c.Lock.Dependencies) && c.Lock.Dependencies[i] != nil && c.Lock.Dependencies[i].Name == dep.Name {
			locked[dep] = c.Lock.Dependencies[i].Version
		}
	}
	return locked, nil
}

// missingDependencies reports dependencies that are switched on and yet not there, which helm leaves out of
// subcharts without a word.
func (r *release) missingDependencies(charts []*chart.Chart) []diag.Finding {
	var found []diag.Finding
	for _, c := range charts {
		for _, dep := range missingDependencies(c) {
			found = append(found, diag.New(diag.Skipped, "",
				fmt.Sprintf("chart %s lists a dependency %s that its charts/ lacks; helm leaves it out", c.ChartPath(), dep.Name)).
				At(r.position(c.ChartFullPath()+"/Chart.yaml", 0)))
		}
	}
	return found
}
