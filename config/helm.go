package config

import (
	"fmt"
	"strconv"
	"strings"
)

// HelmVersion is the major version of the Helm that renders charts.
type HelmVersion int

// The versions. Helm3, the default, is a part of this program, and Helm4 a program of its own.
const (
	Helm3 HelmVersion = 3
	Helm4 HelmVersion = 4
)

func (v *HelmVersion) check() error {
	if *v != Helm3 && *v != Helm4 {
		return fmt.Errorf("%d is not 3 or 4", *v)
	}
	return nil
}

// ParseHelmVersion reads 3 or 4, or a version that begins with it: v4.3.1.
func ParseHelmVersion(text string) (HelmVersion, error) {
	parts := strings.Split(strings.TrimPrefix(text, "v"), ".")
	var v HelmVersion
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 16)
		if i == 0 {
			v = HelmVersion(n)
		}
		if err != nil || v.check() != nil || len(parts) > 3 {
			return 0, fmt.Errorf("%q is not a version of Helm: 3 or 4", text)
		}
	}
	return v, nil
}

// WithHelm returns a copy of the settings with another version of Helm.
func (s *Settings) WithHelm(version HelmVersion, from Source) *Settings {
	out := s.Clone()
	out.Helm = Setting[HelmVersion]{version, from}
	return out
}

// helmRows are the settings about Helm itself.
var helmRows = []Row{
	{Name: "helm", In: InFile, About: "The Helm that renders charts."},
	{
		Name: "helm.version", In: InFile,
		Env:  []Var{{Name: EnvHelmVersion, Meaning: "Major version of Helm, as --helm-version."}},
		Flag: "helm-version", On: Fetching, Group: GroupRender,
		Usage:   "major version of the Helm that renders charts, 3 or 4",
		Example: "4",
		About: "The major version of the Helm that renders charts, and those of kustomizations and HelmReleases: that of the " +
			"engine that applies them. 4 takes the program rollstamp-helm4.",
		field: custom(func(s *Settings) *Setting[HelmVersion] { return &s.Helm }, Helm3, parseHelmVersion),
	},
}

func parseHelmVersion(texts []string, _ Source) (HelmVersion, error) {
	return ParseHelmVersion(texts[0])
}
