package kustomize

import (
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// options turns a request into krusty's words, with the defaults of kustomize build, which are not those of the
// library.
func options(req render.Request) (krusty.Options, error) {
	k := req.Kustomize
	opts := krusty.Options{
		Reorder:          krusty.ReorderOptionUnspecified,
		LoadRestrictions: types.LoadRestrictionsRootOnly,
		PluginConfig:     types.DisabledPluginConfig(),
	}
	switch k.LoadRestrictor {
	case "", types.LoadRestrictionsRootOnly.String():
	case types.LoadRestrictionsNone.String():
		opts.LoadRestrictions = types.LoadRestrictionsNone
	default:
		return opts, illegal("--load-restrictor", k.LoadRestrictor, types.LoadRestrictionsRootOnly.String(),
			types.LoadRestrictionsNone.String())
	}
	switch r := krusty.ReorderOption(k.Reorder); r {
	case "":
	case krusty.ReorderOptionLegacy, krusty.ReorderOptionNone:
		opts.Reorder = r
	default:
		return opts, illegal("--reorder", k.Reorder, string(krusty.ReorderOptionLegacy), string(krusty.ReorderOptionNone))
	}
	if k.EnableAlphaPlugin && req.Allow.ExecPlugins && k.Overlay == nil {
		opts.PluginConfig = plugins(req)
	}
	return opts, nil
}

// plugins is the configuration that lets kustomize run other programs: the operator allows it, and the user asks for
// it.
func plugins(req render.Request) *types.PluginConfig {
	k := req.Kustomize
	c := types.EnabledPluginConfig(types.BploUseStaticallyLinked)
	c.FnpLoadingOptions = types.FnPluginLoadingOptions{
		EnableExec:    k.EnableExec,
		Network:       k.Network && req.Allow.Network && req.Allow.Hosts == "", // a container cannot be kept to some
		NetworkName:   "bridge",
		Mounts:        k.Mount,
		Env:           k.Env,
		AsCurrentUser: k.AsCurrentUser,
	}
	// Charts never reach kustomize; should one do so all the same, no helm binary is run for it.
	c.HelmConfig = types.HelmConfig{}
	return c
}

func illegal(flag, value string, legal ...string) error {
	return diag.Usage(fmt.Errorf("illegal flag value %s %s", flag, value), "Use "+strings.Join(legal, " or ")+".")
}
