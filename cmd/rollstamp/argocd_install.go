package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/install"
)

// noteVersion says what is done for a version of Argo CD that nothing is known of here.
func (p *program) noteVersion(v argocd.Version) {
	if doubt := v.Doubt(); doubt != "" {
		fmt.Fprintf(p.err, "note: %s\n", doubt)
	}
}

func newArgocdInstall(p *program) *cobra.Command {
	var o install.Options
	var format, version string
	var resident, openshift bool
	c := &cobra.Command{
		Use:   "install --image REF",
		Short: "Print what adds rollstamp to Argo CD's repo-server",
		Long: `Print what adds rollstamp to Argo CD's repo-server as a plugin: its container, which runs as user 999
with a read-only file system and a /tmp of its own, its volumes, the plugin's file and the operator's
policy file. Nothing is installed; comments in the output say what to do with it, and why.

--format kustomize is a component in one file, helm are values for the chart argo-cd, patch is for
kubectl patch and kubectl apply, and operator the same for the resource ArgoCD of Argo CD's operator.
With --openshift no user is fixed. With --serve, one process stays and remembers what it rendered,
instead of one being started for each render; the plugin has no file then.`,
		Example: `  mkdir -p rollstamp
  rollstamp argocd install --image registry.example/rollstamp:1.0.0 > rollstamp/kustomization.yaml
  rollstamp argocd install --image registry.example/rollstamp:1.0.0 --format helm > rollstamp.yaml`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			o.Format = install.Format(format)
			if resident {
				o.Server = install.Resident
			}
			if openshift {
				o.User = install.Any
			}
			if version != "" {
				v, err := argocd.ParseVersion(version, "argocd-version")
				if err != nil {
					return err
				}
				o.HelmVersion = v.Helm()
				p.noteVersion(v)
			}
			text, err := o.Text()
			if err != nil {
				return err
			}
			p.warn(o.Findings())
			return p.emit(bytes.NewReader(text))
		},
	}
	c.Flags().StringVar(&o.Image, "image", "", "rollstamp's image, with a version or digest")
	c.Flags().StringVar(&o.Name, "name", pluginDefault, "name of the plugin, as Applications write it")
	c.Flags().StringVar(&format, "format", install.Formats()[0], "kustomize, helm, patch or operator")
	c.Flags().StringVar(&version, "argocd-version", "",
		"version of Argo CD, as v3.5.0: charts are rendered with the Helm that it has")
	c.Flags().BoolVar(&openshift, "openshift", false,
		"leave the container's user to the cluster, which gives all containers of a pod the same")
	c.Flags().BoolVar(&resident, "serve", false,
		"let rollstamp argocd serve answer, one process that stays, instead of Argo CD's plugin server and a "+
			"process for each render")
	offer(c, "format", install.Formats()...)
	return c
}
