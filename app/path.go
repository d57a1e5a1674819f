package app

import (
	"time"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// Options are what a user sets for all applications of a run, in addition to the settings.
type Options struct {
	Kind           render.Kind
	Helm           render.HelmOptions
	Kustomize      render.KustomizeOptions
	Timeout        time.Duration
	RegistryConfig string // helm's file of credentials for registries; "" where the user has none
	Engines        render.Engines
}

// Place is where a path is looked for.
type Place struct {
	Files files.System  // nil is the disk
	Roots *config.Roots // of the repositories there

	Recursive bool // folders of plain manifests are read with those below
	AllFiles  bool // and all their files, whatever their names end with
}

// FromPath returns the application whose files are at path, with the options of a run and the settings that are in
// force there. It is rendered only, until WithStamping.
func FromPath(path string, at Place, s *config.Settings, o Options) *Application {
	helm, kustomize := o.Helm, o.Kustomize
	helm.KubeVersion, helm.APIVersions = string(s.KubeVersion.Value), config.Strings(s.APIVersions.Value)
	kustomize.PinnedKubeVersion = string(s.KubeVersion.Value)
	plain := render.PlainOptions{
		Recursive: s.Recursive.Value || at.Recursive,
		Include:   config.Strings(s.Include.Value),
		Exclude:   config.Strings(s.Exclude.Value),
	}
	if at.AllFiles {
		plain.Include = []string{"*"}
	}
	return complete(Spec{
		Name: path, Kind: o.Kind, Settings: s, Timeout: o.Timeout, Engines: o.Engines,
	}, render.Request{
		Path:      path,
		Files:     at.Files,
		Roots:     at.Roots,
		Namespace: string(s.Namespace.Value),
		Helm:      helm,
		Kustomize: kustomize,
		Plain:     plain,

		RegistryConfig: o.RegistryConfig,
	})
}
