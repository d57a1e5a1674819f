package argocd

import (
	"path"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// Env are the variables that Argo CD sets for one call of a plugin: config.PluginEnvironment, or those of a request.
// Others are ignored.
type Env map[string]string

// Call is one call of a plugin: an application and its options.
type Call struct {
	Build
	Source     Source      // with options of at most Kind
	Kind       render.Kind // the kind of the application's folder
	AllowEmpty bool        // the application may have no objects
	Config     string      // the configuration file that was read; "" if there is none

	remotes  []remote   // sources in other repositories; see Fetch
	followed []Followed // which commits the moving ones of them were at
	atHand   AtHand     // nil where none is known to be on this machine
}

// Request returns the request for the engine. The caller adds permissions, cache and credentials.
func (c *Call) Request() (render.Request, []diag.Finding, error) {
	_, req, found, err := c.Build.Request(c.Source)
	return req, slices.Concat(followedFindings(c.followed), found), err
}

func clean(p string) string { return strings.Trim(path.Clean("/"+p), "/") }

// IsPlugin reports whether the name of a plugin is another one, possibly followed by a version.
func IsPlugin(name, own string) bool { return name == own || strings.HasPrefix(name, own+"-v") }
