// Package provenance says of the files of a release how they were built: an in-toto statement with SLSA's predicate.
package provenance

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/release/dist"
	"github.com/rollstamp/rollstamp/release/programs"
	"github.com/rollstamp/rollstamp/release/source"
)

// BuildType is the address of what explains the parameters.
const BuildType = dist.Repository + "/blob/main/docs/release.md#provenance"

// imagePrefix begins the name of the image among the subjects.
const imagePrefix = "image:"

// Statement is https://in-toto.io/Statement/v1 with https://slsa.dev/provenance/v1.
type Statement struct {
	Type          string     `json:"_type"`
	Subject       []Resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     Predicate  `json:"predicate"`
}

// Resource is a file, an image or a source, by its digests.
type Resource struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest"`
}

// Predicate is how the subjects came to be.
type Predicate struct {
	BuildDefinition BuildDefinition `json:"buildDefinition"`
	RunDetails      RunDetails      `json:"runDetails"`
}

// BuildDefinition is what has to be the same for the result to be.
type BuildDefinition struct {
	BuildType            string            `json:"buildType"`
	ExternalParameters   map[string]any    `json:"externalParameters"`
	InternalParameters   map[string]string `json:"internalParameters"`
	ResolvedDependencies []Resource        `json:"resolvedDependencies"`
}

// RunDetails names who built. There are no times in it, so that a second build makes the same statement.
type RunDetails struct {
	Builder Builder `json:"builder"`
}

// Builder is who built, as a URI.
type Builder struct {
	ID string `json:"id"`
}

// New returns the statement about a release.
func New(tree source.Tree, r dist.Release, built []programs.Program, builder string) Statement {
	var names []string
	for _, p := range built {
		if !slices.Contains(names, p.Platform.String()) {
			names = append(names, p.Platform.String())
		}
	}
	s := Statement{
		Type: "https://in-toto.io/Statement/v1", PredicateType: "https://slsa.dev/provenance/v1",
		Predicate: Predicate{
			BuildDefinition: BuildDefinition{
				BuildType:          BuildType,
				ExternalParameters: map[string]any{"version": tree.Version, "platforms": names},
				InternalParameters: map[string]string{
					"go": built[0].Info.GoVersion, "sourceDateEpoch": strconv.FormatInt(tree.Date.Unix(), 10),
				},
				ResolvedDependencies: sources(tree),
			},
			RunDetails: RunDetails{Builder: Builder{ID: builder}},
		},
	}
	for _, a := range r.Artifacts {
		s.Subject = append(s.Subject, Resource{Name: a.Name, Digest: map[string]string{"sha256": a.SHA256}})
	}
	if digest, ok := strings.CutPrefix(r.ImageDigest, "sha256:"); ok { // a release of some platforms has none
		s.Subject = append(s.Subject, Resource{
			Name: imagePrefix + r.Version, Digest: map[string]string{"sha256": digest},
		})
	}
	return s
}

func sources(tree source.Tree) []Resource {
	if tree.Revision == "" || tree.Dirty {
		return []Resource{} // nobody can get what was built
	}
	return []Resource{{URI: "git+" + dist.Repository, Digest: map[string]string{"gitCommit": tree.Revision}}}
}

// Read returns the statement of a release.
func Read(path string) (Statement, error) {
	var s Statement
	text, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("read %s: %w", path, err)
	}
	return s, nil
}

// Builder is who built, as a URI.
func (s Statement) Builder() string { return s.Predicate.RunDetails.Builder.ID }

// Version is the version that was built.
func (s Statement) Version() string {
	version, _ := s.Predicate.BuildDefinition.ExternalParameters["version"].(string)
	return version
}

// Platforms are those that were built, such as linux/amd64.
func (s Statement) Platforms() []string {
	all, _ := s.Predicate.BuildDefinition.ExternalParameters["platforms"].([]any)
	var names []string
	for _, p := range all {
		name, _ := p.(string)
		names = append(names, name)
	}
	return names
}

// Go is the version of Go that built.
func (s Statement) Go() string { return s.Predicate.BuildDefinition.InternalParameters["go"] }

// Commit is the commit that was built, empty where a tree had changes.
func (s Statement) Commit() string {
	for _, d := range s.Predicate.BuildDefinition.ResolvedDependencies {
		return d.Digest["gitCommit"]
	}
	return ""
}

// Image is the digest of the image, sha256:..., or empty.
func (s Statement) Image() string {
	for _, subject := range s.Subject {
		if strings.HasPrefix(subject.Name, imagePrefix) {
			return "sha256:" + subject.Digest["sha256"]
		}
	}
	return ""
}

// Encode returns the statement as JSON.
func (s Statement) Encode() ([]byte, error) {
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}
