// Package argocd translates what Argo CD says of an application into a render: the options of an Application, and the
// variables of a plugin's call.
package argocd

import (
	"fmt"
	"os"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// Source holds the options of an Application's source. Its JSON is that of spec.source; other fields are ignored.
type Source struct {
	Helm      *Helm      `json:"helm,omitempty"`
	Kustomize *Kustomize `json:"kustomize,omitempty"`
	Directory *Directory `json:"directory,omitempty"`
}

// The options of each kind of source.
type (
	Helm      = config.ArgoHelm
	Kustomize = config.ArgoKustomize
	Directory = config.ArgoDirectory
)

// Build is the context of a source: the application, its destination, and where its files are.
type Build struct {
	AppName        string // may be NAMESPACE_NAME, which is how Argo CD names applications outside of its own namespace
	Namespace      string // of the destination
	Project        string
	Revision       string
	RepoURL        string
	Path           string // of the application in the repository, as the Application writes it
	TargetRevision string
	KubeVersion    string // of the destination; "" if it is not known
	APIVersions    []string
	HelmVersion    config.HelmVersion // that the operator wants; 0 where the application may say it
	Env            map[string]string  // further variables that $NAME in fields expands to
	Dir            string             // the application's folder; absolute, without links
	Root           string             // the repository that it is in; absolute, without links
	Files          files.System       // the file system of both; nil is the disk
	// the folder that a values path beginning with $NAME/ leads to, by NAME; absolute, without links
	Refs   map[string]string
	Native bool // the options are an Application's own, which no plugin renders
}

// Name returns the application's name without the namespace that it may begin with.
func (b Build) Name() string {
	if _, name, ok := strings.Cut(b.AppName, "_"); ok {
		return name
	}
	return b.AppName
}

// Declared returns the Application as lines of locks name it: by the name that the plugin gets, which is without a
// namespace for one that lies in that of Argo CD, whatever that is called.
func (b Build) Declared() lock.Declared {
	if b.AppName == "" {
		return lock.Declared{}
	}
	return lock.Declared{Engine: lock.ArgoCD, Name: strings.Replace(b.AppName, "_", "/", 1)}
}

func orZero[T any](options *T) *T {
	if options == nil {
		return new(T)
	}
	return options
}

// expand replaces $NAME and ${NAME} by variables, as Argo CD does: $$ is a dollar, and an unknown name is empty.
func (b Build) expand(text string) string {
	if !strings.Contains(text, "$") {
		return text
	}
	return os.Expand(text, func(name string) string {
		if name == "$" {
			return "$"
		}
		value, _ := b.variable(name)
		return value
	})
}

// variable returns one of the variables that fields can name.
func (b Build) variable(name string) (string, bool) {
	switch name {
	case "ARGOCD_APP_NAME":
		return b.AppName, true
	case "ARGOCD_APP_NAMESPACE":
		return b.Namespace, true
	case "ARGOCD_APP_PROJECT_NAME":
		return b.Project, true
	case "ARGOCD_APP_REVISION":
		return b.Revision, true
	case "ARGOCD_APP_REVISION_SHORT":
		return short(b.Revision, 7), true
	case "ARGOCD_APP_REVISION_SHORT_8":
		return short(b.Revision, 8), true
	case "ARGOCD_APP_SOURCE_REPO_URL":
		return b.RepoURL, true
	case "ARGOCD_APP_SOURCE_PATH":
		return b.Path, true
	case "ARGOCD_APP_SOURCE_TARGET_REVISION":
		return b.TargetRevision, true
	}
	value, ok := b.Env[name]
	return value, ok
}

func short(revision string, length int) string {
	if len(revision) > length {
		return revision[:length]
	}
	return revision
}

// usage returns an error in an option.
func usage(option string, hint, format string, args ...any) error {
	return diag.Usage(fmt.Errorf("%s: %w", option, fmt.Errorf(format, args...)), hint)
}

// domainPrefix begins the hash domains of Argo CD's projects.
const domainPrefix = "argocd:"

// Domain returns the hash domain of a project's applications, so that no tenant of a shared renderer can compare
// digests with those of another project. Within is the domain that the application sets itself, in a file of its
// repository: it can only narrow the domain. The result is "argocd:PROJECT" or "argocd:PROJECT/WITHIN", which other
// renders of the same application set with --hash-domain.
func Domain(project, within string) string {
	if within == "" {
		return domainPrefix + project
	}
	return domainPrefix + project + "/" + within
}
