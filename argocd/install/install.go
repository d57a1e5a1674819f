// Package install prints what puts rollstamp beside Argo CD's repo-server: a kustomize component, values for the argo-cd chart, or
// manifests to apply.
package install

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
)

// Format is what is printed.
type Format string

// The formats.
const (
	Kustomize Format = "kustomize" // a kustomization.yaml of kind Component, complete in one file
	Helm      Format = "helm"      // values for the chart argo-cd of argoproj/argo-helm
	Patch     Format = "patch"     // ConfigMaps and a part of the Deployment, for kubectl apply --server-side
)

// Formats lists the formats.
func Formats() []string { return []string{string(Kustomize), string(Helm), string(Patch)} }

// Options are what can be chosen.
type Options struct {
	Format Format
	Image  string // reference of rollstamp's image
	Name   string // of the plugin, as Applications write it
}

var (
	imageRef   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][-A-Za-z0-9._:/@]*$`) })
	pluginName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$`) })
)

// Text gives the YAML, with comments that say why. An Image or Name that cannot be one is an error of the user.
func (o Options) Text() ([]byte, error) {
	switch {
	case o.Image == "":
		return nil, diag.Usage(errors.New("no image is given"), "Name the image that was built from the Dockerfile with --image REF.")
	case !imageRef().MatchString(o.Image):
		return nil, diag.Usage(fmt.Errorf("--image %q is no reference of an image", o.Image), "")
	case !pluginName().MatchString(o.Name):
		return nil, diag.Usage(fmt.Errorf("--name %q is no name of a plugin", o.Name), "Take up to 40 lower case letters, digits and -.")
	}
	pattern := map[Format]string{Kustomize: component, Helm: values, Patch: manifests}[o.Format]
	if pattern == "" {
		return nil, diag.Usage(fmt.Errorf("--format %q is not one of %s", o.Format, strings.Join(Formats(), ", ")), "")
	}
	return []byte(fill(pattern, o)), nil
}

// fill puts the parts into a pattern, each indented as the place that it takes, and then the names.
func fill(pattern string, o Options) string {
	parts := map[string]string{
		"(head)": head[o.Format] + advice, "(spec)": spec, "(policy)": policy,
		"(sidecar)": sidecar[o.Format == Helm], "(volumes)": volumes, "(more volumes)": pluginVolume,
	}
	var out strings.Builder
	for line := range strings.Lines(pattern) {
		word := strings.TrimSpace(line)
		part, ok := parts[word]
		if !ok {
			out.WriteString(line)
			continue
		}
		indent := line[:strings.Index(line, word)]
		for inner := range strings.Lines(part) {
			if strings.TrimSpace(inner) != "" {
				out.WriteString(indent)
			}
			out.WriteString(inner)
		}
	}
	return strings.NewReplacer("(image)", o.Image, "(name)", o.Name).Replace(out.String())
}
