// Package install writes what installs rollstamp beside Argo CD's repo-server: a kustomize component, values for the
// argo-cd chart, or manifests to apply.
package install

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// Format is what is printed.
type Format string

// The formats.
const (
	Kustomize Format = "kustomize" // a kustomization.yaml of kind Component, complete in one file
	Helm      Format = "helm"      // values for the chart argo-cd of argoproj/argo-helm
	Patch     Format = "patch"     // a strategic merge patch of the Deployment, and the ConfigMaps that it names
	Operator  Format = "operator"  // a merge patch of the resource ArgoCD of Argo CD's operator, and the ConfigMaps
)

// Formats lists the formats.
func Formats() []string {
	return []string{string(Kustomize), string(Helm), string(Patch), string(Operator)}
}

// User is the user that the sidecar runs as, which has to be that of the repo-server.
type User string

// The users.
const (
	Fixed User = ""    // 999, as in Argo CD's own manifests
	Any   User = "any" // the one that the cluster chooses, as OpenShift does, or else the image's
)

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
	User   User // Operator always has Any
	// HelmVersion of the Argo CD that it is for; 0 leaves it to the configuration of repositories.
	HelmVersion config.HelmVersion
}

var (
	imageRef = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([A-Za-z0-9][-A-Za-z0-9.]*(:[0-9]+)?/)?[a-z0-9][-a-z0-9._]*(/[a-z0-9][-a-z0-9._]*)*` +
			`(:[A-Za-z0-9_][-A-Za-z0-9._]{0,127})?(@(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}))?$`)
	})
	pluginName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$`)
	})
)

// Text returns the YAML, with comments that explain it. An Image or Name that is malformed is a usage error.
func (o Options) Text() ([]byte, error) {
	switch {
	case o.Image == "":
		return nil, diag.Usage(errors.New("no image is given"),
			"Name the image of rollstamp in your registry with --image REF; docs/release.md says how to get it there.")
	case !imageRef().MatchString(o.Image):
		return nil, diag.Usage(fmt.Errorf("--image %q is no reference of an image", o.Image),
			"Write it as REGISTRY/NAME:VERSION, or with a whole digest as REGISTRY/NAME@sha256:...")
	case !isPinned(o.Image):
		return nil, diag.Usage(fmt.Errorf("--image %q has neither a version nor a digest", o.Image),
			"Without one, two pods can render differently: write "+o.Image+":VERSION or "+o.Image+"@DIGEST.")
	case !pluginName().MatchString(o.Name):
		return nil, diag.Usage(fmt.Errorf("--name %q is no name of a plugin", o.Name),
			"Take up to 40 lower case letters, digits and -.")
	}
	if !slices.Contains(Formats(), string(o.Format)) {
		return nil, diag.Usage(fmt.Errorf("--format %q is not one of %s", o.Format, strings.Join(Formats(), ", ")),
			"Take helm for values of the chart argo-cd, operator for Argo CD's operator, patch for kubectl, and else kustomize.")
	}
	return render(o)
}

// isPinned reports whether the reference of an image names its version or digest.
func isPinned(image string) bool {
	return strings.ContainsAny(image[strings.LastIndexByte(image, '/')+1:], ":@")
}

// Findings returns what is likely wrong with what was chosen.
func (o Options) Findings() []diag.Finding {
	name := o.Image[strings.LastIndexByte(o.Image, '/')+1:]
	if !strings.HasSuffix(name, ":latest") {
		return nil
	}
	f := diag.New(diag.SidecarImage, "",
		"--image "+o.Image+": the tag latest moves, so that two pods can have different ones")
	return []diag.Finding{f}
}

// Resident reports whether one process stays and answers, for the templates.
func (o Options) Resident() bool { return o.Server == Resident }

// AnyUser reports whether no user is fixed, for the templates.
func (o Options) AnyUser() bool { return o.User == Any || o.Format == Operator }

// templates are a file for each format, named after it, and their parts.
//
//go:embed templates/*.yaml.tmpl
var templates embed.FS

func render(o Options) ([]byte, error) {
	all := template.New("")
	all.Funcs(template.FuncMap{
		"indent": indent,
		"include": func(part string, data any) (string, error) {
			var out strings.Builder
			err := all.ExecuteTemplate(&out, part+".yaml.tmpl", data)
			return strings.TrimSuffix(out.String(), "\n"), err
		},
	})
	if _, err := all.ParseFS(templates, "templates/*.yaml.tmpl"); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err := all.ExecuteTemplate(&out, string(o.Format)+".yaml.tmpl", o)
	return out.Bytes(), err
}

// indent moves the lines of a text that are not empty to the right.
func indent(columns int, text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			out.WriteString(strings.Repeat(" ", columns))
		}
		out.WriteString(line)
	}
	return out.String()
}
