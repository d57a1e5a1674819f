package lint

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// isFilledIn reports whether an ApplicationSet fills in a text, or Argo CD a variable in it, before the plugin gets it.
func isFilledIn(text string) bool {
	return strings.Contains(text, "{{") || strings.Contains(strings.ReplaceAll(text, "$$", ""), "$")
}

// option is an option that a source sets.
type option struct {
	name string
	at   *yaml.Node
}

// kinds finds options of which the plugin refuses some whatever the source is: it is of one kind.
func (c *checker) kinds(s *yaml.Node, options []option) {
	have := []render.Kind{render.KindHelm, render.KindKustomize, render.KindPlain}
	because := ""
	if has(s, "chart") && get(s, "chart").Value != "" {
		have, because = have[:1], "the source is a chart"
	}
	for _, o := range options {
		kinds := argocd.KindsOf(o.name)
		if kinds == nil {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(have), func(k render.Kind) bool { return !slices.Contains(kinds, k) })
		switch {
		case len(left) == 0:
			c.report(diag.SourceParameter, o.at, "%s is an option of %s, and %s: the plugin refuses one of another kind",
				o.name, argocd.KindName(kinds[0]), because)
		case len(left) < len(have):
			have, because = left, o.name+" is one of "+argocd.KindName(left[0])
		}
	}
	if slices.Contains(have, render.KindHelm) {
		c.helmVersion(get(s, "plugin", "parameters"), len(have) == 1)
	}
}

// release matches a whole version, which may be one of kustomize.
var release = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^v?\d+\.\d+\.\d+`) })

// helmVersion checks the version that the parameters name of what is a chart, or may be one.
func (c *checker) helmVersion(parameters *yaml.Node, isChart bool) {
	for _, p := range items(parameters) {
		n := get(p, "string")
		if get(p, "name").Value != "version" || n.Value == "" || isFilledIn(n.Value) {
			continue
		}
		_, err := config.ParseHelmVersion(n.Value)
		switch {
		case err == nil:
		case isChart:
			c.report(diag.SourceParameter, n, "version: %v", err)
		case !release().MatchString(n.Value):
			f := c.report(diag.SourceParameter, n, "version: %v; a chart is refused with it", err)
			f.Severity, f.Hint = diag.Warning, "Take it out where this is a kustomization, for which no version is used."
		}
	}
}

// folders are the parameters with paths of files: each item of a list, or each value of a map.
var folders = []string{"valueFiles", "fileParameters"}

// valueFile checks a path of values as far as that can be seen without the files.
func (c *checker) valueFile(s, n *yaml.Node) {
	text := n.Value
	if text == "" || isFilledIn(text) || isFilledIn(get(s, "path").Value) {
		return
	}
	if u, err := url.Parse(text); err == nil && u.Scheme != "" {
		if u.Scheme != "http" && u.Scheme != "https" {
			c.report(diag.SourceParameter, n, "%s: the URL scheme '%s' is not allowed", text, u.Scheme)
		}
		return
	}
	from := get(s, "path").Value
	if path.IsAbs(text) {
		from = ""
	}
	if at := path.Join(from, strings.TrimLeft(text, "/")); at == ".." || strings.HasPrefix(at, "../") || at == "." {
		c.report(diag.SourceParameter, n, "%s leads out of the repository: the plugin reads nothing there", text)
	}
}

// valueFiles checks the paths of a parameter.
func (c *checker) valueFiles(s, p *yaml.Node) {
	if !slices.Contains(folders, get(p, "name").Value) {
		return
	}
	all := items(get(p, "array"))
	for i, n := range get(p, "map").Content {
		if i%2 == 1 {
			all = append(all, resolve(n))
		}
	}
	for _, n := range all {
		c.valueFile(s, n)
	}
}
