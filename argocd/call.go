package argocd

import (
	"errors"
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
	// Written: its options are written in an Application, so that what is wrong with them is wrong with the input, and
	// not with the environment that it reaches the plugin by.
	Written bool
	Config  string // the configuration file that was read; "" if there is none

	remotes  []remote   // sources in other repositories; see Fetch
	followed []Followed // which commits the moving ones of them were at
	atHand   AtHand     // nil where none is known to be on this machine
}

// Request returns the request for the engine. The caller adds permissions, cache and credentials.
func (c *Call) Request() (render.Request, []diag.Finding, error) {
	_, req, found, err := c.Build.Request(c.Source)
	return req, slices.Concat(followedFindings(c.followed), found), c.asWritten(err)
}

// asWritten returns an error about the options of a call with the exit code of where they are written. What a file of
// settings says has its place there, and keeps its own.
func (c *Call) asWritten(err error) error {
	if err == nil || !c.Written {
		return err
	}
	return diag.MapErrors(err, AsInput)
}

// AsInput returns an error about the options of an Application, for which a command line or environment would be
// refused, as one of the input that they are written in.
func AsInput(err error) error {
	var known *diag.Error
	if !errors.As(err, &known) || known.Exit != diag.ExitUsage || known.Pos.File != "" {
		return err
	}
	return &diag.Error{Exit: diag.ExitInput, Object: known.Object, Err: known.Err, Hint: known.Hint}
}

func clean(p string) string { return strings.Trim(path.Clean("/"+p), "/") }

// IsPlugin reports whether the name of a plugin is another one, possibly followed by a version.
func IsPlugin(name, own string) bool { return name == own || strings.HasPrefix(name, own+"-v") }
