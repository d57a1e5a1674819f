package wiring

import (
	"context"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/login"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/helm"
	"github.com/rollstamp/rollstamp/render/jsonnet"
	"github.com/rollstamp/rollstamp/render/kustomize"
	"github.com/rollstamp/rollstamp/render/plain"
	"github.com/rollstamp/rollstamp/sources/remote"
)

// Engines returns the renderers for applications with these settings. Charts inside kustomizations have the permissions
// of the application that names them. Where programs of others may run, they inherit what they need.
func (w *Wiring) Engines(s *config.Settings) render.Engines {
	if s.Permissions().ExecPlugins {
		s.HideFromPlugins()
	}
	charts := w.Charts(s)
	return render.Engines{
		render.KindHelm:      charts,
		render.KindKustomize: kustomize.Engine{Charts: charts, Way: s.Kustomize.Value},
		render.KindPlain:     plain.Engine{Jsonnet: jsonnet.Engine{}},
	}
}

// CheckFiles returns the errors of what the files of an application name and a render would not find, and of the values
// that a chart is given, as far as that shows without one and under these settings.
func (w *Wiring) CheckFiles(ctx context.Context, s *config.Settings, kind render.Kind, req render.Request) []error {
	switch kind {
	case render.KindKustomize:
		return kustomize.CheckFiles(ctx, req)
	case render.KindHelm:
		return diag.Unjoin(w.Charts(s).CheckValues(ctx, req))
	}
	return nil
}

// Charts returns the engine of charts alone.
func (w *Wiring) Charts(s *config.Settings) helm.Engine {
	var version config.HelmVersion
	if s.Helm.Source != config.Default {
		version = s.Helm.Value
	}
	return helm.Engine{
		Stdin: w.stdin, Allow: s.Permissions(), CacheDir: s.CacheDir.Value, RegistryConfig: w.RegistryConfig(),
		Logins: w.Logins(), Version: version, Only: w.helm, Helm4: w.helm4,
	}
}

// Logins is where the credentials come from that docker has. Its helpers are asked by another program.
func (w *Wiring) Logins() login.Source {
	asked := remote.Program{Path: w.storesProgram(), Release: config.Release(w.release), Children: w.children}
	return login.Source{Docker: config.DockerFile(w.env), Ask: asked.Credential, Cloud: asked.CloudLogin}
}

// RegistryConfig returns helm's file of credentials for registries; "" where the user has none.
func (w *Wiring) RegistryConfig() string { return w.registries() }
