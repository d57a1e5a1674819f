package main

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/render/helm"
)

// parts are the modules whose version changes what is rendered.
var parts = [...]struct{ name, module string }{
	{"helm", "helm.sh/helm/v3"},
	{"kustomize", "sigs.k8s.io/kustomize/api"},
}

// release is the version of a build that cannot see version control; the linker sets it: -X main.release=v1.2.3.
var release string

func newVersion(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version, and those of what renders",
		Long:    "Print the versions of rollstamp, Go, the libraries that render, and Kubernetes as charts see it.",
		Example: "  rollstamp version",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return p.emit(versions()) },
	}
}

func versions() *bytes.Buffer {
	var out bytes.Buffer
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	fmt.Fprintf(&out, "rollstamp %s\n", config.Release(release))
	fmt.Fprintf(&out, "go %s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, part := range parts {
		for _, dep := range info.Deps {
			if dep.Path == part.module {
				fmt.Fprintf(&out, "%s %s\n", part.name, orUnknown(dep.Version))
			}
		}
	}
	fmt.Fprintf(&out, "kubernetes %s\n", helm.DefaultKubeVersion)
	return &out
}

func orUnknown(version string) string {
	if version == "" {
		return "(unknown)"
	}
	return version
}
