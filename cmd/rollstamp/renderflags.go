package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/wiring"
)

// renderFlags are the flags of every command that renders.
type renderFlags struct {
	// resolved remembers settings, in a run that writes none of the files that they are in; nil remembers none.
	resolved *wiring.Resolved
	settingsFlags
	as        string
	timeout   time.Duration
	helm      render.HelmOptions
	kustomize render.KustomizeOptions
	adapters  map[config.AppKind]adapter
	noStamp   bool                   // they are rendered only
	asksAgain func(name string) bool // see plugin.Operator
}

// add declares the flags on c. Those of helm and kustomize have their names, short forms and meaning.
func (r *renderFlags) add(c *cobra.Command) {
	f, h, k := c.Flags(), &r.helm, &r.kustomize
	r.addSettings(c, config.Stamping, config.Rendering, config.Fetching, config.Caching)
	f.StringVar(&r.as, "as", "", "what PATH is, instead of what its files suggest: helm, kustomize, plain, or "+engineUsage())
	durationFlag(f, &r.timeout, "timeout", 0, "time that one application may take; 0 is no limit")

	f.StringVar(&h.ReleaseName, "release-name", "", `helm: name of the release (default "release-name")`)
	f.StringVar(&h.NameTemplate, "name-template", "", "helm: template of the name of the release")
	f.StringSliceVarP(&h.ValuesFiles, "values", "f", nil, "helm: file with values; - is standard input")
	f.StringArrayVar(&h.Set, "set", nil, "helm: set values (key1=val1,key2=val2)")
	f.StringArrayVar(&h.SetString, "set-string", nil, "helm: set values that are strings (key1=val1,key2=val2)")
	f.StringArrayVar(&h.SetFile, "set-file", nil, "helm: set values from files (key1=path1,key2=path2)")
	f.StringArrayVar(&h.SetJSON, "set-json", nil, "helm: set values in JSON (key1=jsonval1,key2=jsonval2)")
	f.StringArrayVar(&h.SetLiteral, "set-literal", nil, "helm: set a value that is taken as it is written")
	f.BoolVar(&h.IncludeCRDs, "include-crds", false, "helm: include CRDs in the output")
	f.BoolVar(&h.SkipCRDs, "skip-crds", false, "helm: leave CRDs out")
	f.BoolVar(&h.SkipTests, "skip-tests", false, "helm: leave tests out")
	f.BoolVar(&h.NoHooks, "no-hooks", false, "helm: leave hooks out")
	f.BoolVar(&h.SkipSchemaValidation, "skip-schema-validation", false,
		"helm: do not check values against the chart's schema")
	f.BoolVar(&h.IsUpgrade, "is-upgrade", false, "helm: set .Release.IsUpgrade instead of .Release.IsInstall")
	f.StringArrayVarP(&h.ShowOnly, "show-only", "s", nil, "helm: only what these templates render")
	f.BoolVar(&h.EnableDNS, "enable-dns", false, "helm: let templates look up host names")
	f.BoolVar(&h.DependencyUpdate, "dependency-update", false,
		"helm: build missing dependencies first, outside the chart's folder")

	addLoadRestrictor(c, &k.LoadRestrictor)
	f.BoolVar(&k.EnableHelm, "enable-helm", false, "kustomize: render charts")
	f.StringVar(&k.HelmKubeVersion, "helm-kube-version", "", "kustomize: Kubernetes version for charts")
	f.StringArrayVar(&k.HelmAPIVersions, "helm-api-versions", nil, "kustomize: Kubernetes API versions for charts")
	f.StringVar(&k.Reorder, "reorder", "", "kustomize: order of the output, legacy or none")
	f.BoolVar(&k.AsCurrentUser, "as-current-user", false,
		"kustomize: run functions in containers as the user who runs rollstamp")
	f.StringArrayVarP(&k.Env, "env", "e", nil, "kustomize: environment variables for functions")
	f.StringArrayVar(&k.Mount, "mount", nil, "kustomize: storage for functions")
	f.BoolVar(&k.Network, "network", false, "kustomize: network for functions that ask for it")

	r.adapters = adapters()
	declareAdapters(c, r.adapters)

	f.String("dry-run", "none", "helm: nothing is installed in any case")
	f.Lookup("dry-run").NoOptDefVal = "client"
	f.Bool("validate", false, "helm: nothing is asked of a cluster")
	withoutEffect(c, "dry-run", "nothing is installed in any case, and no cluster is asked")
	withoutEffect(c, "validate", "no cluster is asked; rollstamp check finds names and content that it would refuse")
	withoutEffect(c, "skip-crds", "CRDs are rendered with --include-crds only")
	withoutEffect(c, "enable-helm", "charts are rendered in any case, and fetched with --allow network")
	offer(c, "as", config.AppKind("").Choices()...)
	offer(c, "reorder", "legacy", "none")
}

// check finds what is wrong with the flags before any file is read.
func (r *renderFlags) check() error {
	if r.as != "" {
		if err := oneOf("as", r.as, config.AppKind("").Choices()...); err != nil {
			return err
		}
	}
	if r.kustomize.Reorder != "" {
		if err := oneOf("reorder", r.kustomize.Reorder, "legacy", "none"); err != nil {
			return err
		}
	}
	return checkAs(r.as, r.set)
}
