package helm

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// newest picks the highest version that satisfies a range, or the one that is written exactly as the range.
func newest[T any](constraint string, versions map[string]T) (string, error) {
	if _, ok := versions[constraint]; ok {
		return constraint, nil
	}
	c, err := semver.NewConstraint(constraint)
	if err != nil {
		return "", fmt.Errorf("parse version range %q: %w", constraint, err)
	}
	var best *semver.Version
	for v := range versions {
		parsed, err := semver.NewVersion(v)
		if err != nil || !c.Check(parsed) {
			continue
		}
		if best == nil || parsed.GreaterThan(best) || parsed.Equal(best) && parsed.Original() > best.Original() {
			best = parsed
		}
	}
	if best == nil {
		return "", fmt.Errorf("no version of %d satisfies %q", len(versions), constraint)
	}
	return best.Original(), nil
}

func satisfies(constraint, version string) (bool, error) {
	c, err := semver.NewConstraint(constraint)
	if err != nil {
		return false, fmt.Errorf("parse version range %q: %w", constraint, err)
	}
	v, err := semver.NewVersion(version)
	if err != nil {
		return false, fmt.Errorf("parse version %q: %w", version, err)
	}
	return c.Check(v), nil
}

// tagOf returns a version as a tag. A tag cannot hold the "+" of a version's metadata; helm writes "_".
func tagOf(version string) string { return strings.ReplaceAll(version, "+", "_") }

func versionOfTag(tag string) string { return strings.ReplaceAll(tag, "_", "+") }
