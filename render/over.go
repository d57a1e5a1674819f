package render

import (
	"cmp"
	"slices"
)

// Over returns options of a user added to those of a base: lists go on with the user's, which count where one of two is
// taken; a name of the release replaces a template of it; API versions are one list or the other.
func (o HelmOptions) Over(base HelmOptions) HelmOptions {
	if o.ReleaseName != "" || o.NameTemplate != "" {
		base.ReleaseName, base.NameTemplate = "", ""
	}
	return HelmOptions{
		ReleaseName:          cmp.Or(o.ReleaseName, base.ReleaseName),
		NameTemplate:         cmp.Or(o.NameTemplate, base.NameTemplate),
		ValuesFiles:          slices.Concat(base.ValuesFiles, o.ValuesFiles),
		Values:               slices.Concat(base.Values, o.Values),
		Set:                  slices.Concat(base.Set, o.Set),
		SetString:            slices.Concat(base.SetString, o.SetString),
		SetFile:              slices.Concat(base.SetFile, o.SetFile),
		SetJSON:              slices.Concat(base.SetJSON, o.SetJSON),
		SetLiteral:           slices.Concat(base.SetLiteral, o.SetLiteral),
		KubeVersion:          cmp.Or(o.KubeVersion, base.KubeVersion),
		APIVersions:          firstList(o.APIVersions, base.APIVersions),
		IncludeCRDs:          o.IncludeCRDs || base.IncludeCRDs,
		SkipCRDs:             o.SkipCRDs || base.SkipCRDs,
		SkipTests:            o.SkipTests || base.SkipTests,
		NoHooks:              o.NoHooks || base.NoHooks,
		SkipSchemaValidation: o.SkipSchemaValidation || base.SkipSchemaValidation,
		SkipSchemaBy:         cmp.Or(o.SkipSchemaBy, base.SkipSchemaBy),
		IsUpgrade:            o.IsUpgrade || base.IsUpgrade,
		ShowOnly:             slices.Concat(base.ShowOnly, o.ShowOnly),
		EnableDNS:            o.EnableDNS || base.EnableDNS,
		DependencyUpdate:     o.DependencyUpdate || base.DependencyUpdate,
		Version:              cmp.Or(o.Version, base.Version),
		DropNulls:            o.DropNulls || base.DropNulls,
		ExactEnds:            o.ExactEnds || base.ExactEnds,
	}
}

// Over is as that of HelmOptions. What is edited is the user's or the base's.
func (o KustomizeOptions) Over(base KustomizeOptions) KustomizeOptions {
	return KustomizeOptions{
		LoadRestrictor:    cmp.Or(o.LoadRestrictor, base.LoadRestrictor),
		EnableHelm:        o.EnableHelm || base.EnableHelm,
		HelmKubeVersion:   cmp.Or(o.HelmKubeVersion, base.HelmKubeVersion),
		PinnedKubeVersion: cmp.Or(o.PinnedKubeVersion, base.PinnedKubeVersion),
		HelmAPIVersions:   firstList(o.HelmAPIVersions, base.HelmAPIVersions),
		Reorder:           cmp.Or(o.Reorder, base.Reorder),
		AsCurrentUser:     o.AsCurrentUser || base.AsCurrentUser,
		EnableExec:        o.EnableExec || base.EnableExec,
		EnableAlphaPlugin: o.EnableAlphaPlugin || base.EnableAlphaPlugin,
		Env:               slices.Concat(base.Env, o.Env),
		Network:           o.Network || base.Network,
		Mount:             slices.Concat(base.Mount, o.Mount),
		TraceOf:           cmp.Or(o.TraceOf, base.TraceOf),
		Edits:             cmp.Or(o.Edits, base.Edits),
		Overlay:           cmp.Or(o.Overlay, base.Overlay),
	}
}

// firstList returns the first of two lists that holds anything.
func firstList(a, b []string) []string {
	if len(a) > 0 {
		return a
	}
	return b
}
