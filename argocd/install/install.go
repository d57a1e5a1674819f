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
	Patch     Format = "patch"     // a strategic merge patch of the Deployment, and the ConfigMaps that it names
)

// Formats lists the formats.
func Formats() []string { return []string{string(Kustomize), string(Helm), string(Patch)} }

// Server is what answers on the plugin's socket.
type Server string

// The servers.
const (
	PerRender Server = ""      // Argo CD's own, which starts rollstamp for each render
	Resident  Server = "serve" // rollstamp argocd serve, one process that stays and remembers
)

// Options are what can be chosen.
type Options struct {
	Format Format
	Image  string // reference of rollstamp's image
	Name   string // of the plugin, as Applications write it
	Server Server
}

var (
	imageRef   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][-A-Za-z0-9._:/@]*$`) })
	pluginName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$`) })
)

// Text returns the YAML, with comments that say why. An Image or Name that cannot be one is an error of the user.
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
	var out strings.Builder
	fill(&out, "", pattern, o.parts())
	return []byte(strings.NewReplacer("(image)", o.Image, "(name)", o.Name).Replace(out.String())), nil
}

// parts are what stands for the lines in brackets; empty ones leave nothing.
func (o Options) parts() map[string]string {
	parts := map[string]string{
		"(head)": head[o.Format] + advice, "(spec)": spec, "(policy)": policy, "(sidecar)": sidecar, "(volumes)": volumes,
		"(tar)": tarAdvice, "(server)": perRender, "(limits)": "memory: 1Gi\n", "(server mounts)": perRenderMounts, "(plugin mount)": pluginMount,
		"(plugin generated)": pluginGenerated, "(plugin object)": pluginObject, "(plugin values)": pluginValues,
		"(plugin volume)": pluginVolume, "(chart's plugin volume)": chartPluginVolume,
	}
	if o.Format == Helm {
		parts["(plugin mount)"] = chartPluginMount
	}
	if o.Server == Resident {
		for _, name := range []string{"(server mounts)", "(plugin mount)", "(plugin generated)", "(plugin object)", "(plugin values)", "(plugin volume)", "(chart's plugin volume)"} {
			parts[name] = ""
		}
		parts["(server)"], parts["(limits)"] = resident, "memory: 2Gi\n"
	}
	return parts
}

// fill writes a pattern, with the parts in the place of the lines that name them, each indented as that line.
func fill(out *strings.Builder, indent, pattern string, parts map[string]string) {
	for line := range strings.Lines(pattern) {
		word := strings.TrimSpace(line)
		if part, ok := parts[word]; ok {
			fill(out, indent+line[:strings.Index(line, word)], part, parts)
			continue
		}
		if word != "" {
			out.WriteString(indent)
		}
		out.WriteString(line)
	}
}
