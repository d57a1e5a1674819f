package config

import (
	"path"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// Source reports who said a value: "flag --namespace", "env ROLLSTAMP_HASH_DOMAIN", "/repo/.rollstamp.yaml:3" or
// "default".
type Source string

// Default is the source of what nobody said.
const Default Source = "default"

// ByOperator reports whether a flag or the environment said it: neither comes from the rendered tree.
func (s Source) ByOperator() bool {
	return strings.HasPrefix(string(s), "flag ") || strings.HasPrefix(string(s), "env ")
}

// Setting is a value with its source.
type Setting[T any] struct {
	Value  T      `json:"value"`
	Source Source `json:"source"`
}

// Settings are what is in force: flag before environment before file before default.
type Settings struct {
	File        Setting[string]      // the configuration file; "" where there is none
	Policy      Setting[string]      // the operator's policy file; "" where there is none
	Level       Setting[Level]       // level of coverage
	Namespace   Setting[NonEmpty]    // "" where not given
	KubeVersion Setting[KubeVersion] // "" where not given
	APIVersions Setting[[]NonEmpty]
	FailOn      Setting[FailOn]
	Severities  Setting[map[string]string] // by the code of a finding
	LiveVolumes Setting[bool]
	HashKeyRule Setting[KeyRule]
	HashDomain  Setting[NonEmpty] // "" where not given
	Workloads   Setting[[]WorkloadRule]
	Ignore      Setting[[]ContentMatch]
	Kinds       Setting[[]KindRule]
	Producers   Setting[[]ProducerRule]
	Secrets     Setting[SecretPolicy]
	OnError     Setting[OnError]
	Refresh     Setting[RefreshWay]

	Ask          Setting[[]AskedKind]
	StoreAddress Setting[bool] // whether a store's address is part of what stands for its values

	Context   Setting[[]NonEmpty] // absolute paths
	Include   Setting[[]Glob]
	Exclude   Setting[[]Glob]
	Recursive Setting[bool]

	ForeignChecksums   Setting[Foreign]
	ForeignAnnotations Setting[[]Glob]

	Network     Setting[bool]
	ExecPlugins Setting[bool]
	OutsideRoot Setting[bool]
	Stores      Setting[bool]
	StoreValues Setting[bool]
	CacheDir    Setting[string] // folder for fetched charts and bases; "" where the user has none
	Color       Setting[bool]   // whether colour is welcome where a terminal can show it

	hashKey     Setting[*KeySource] // nil where not given; see HashKey
	sealingKeys Setting[[]NonEmpty] // see SealingKeys
	storeRules  Setting[[]StoreRule]
	argoCD      Setting[ArgoCD]
	openSOPS    Setting[bool]
	sopsRule    Setting[SOPSRule]
	sops        *SOPS // see SOPS; nil where documents of SOPS are not opened

	extends Setting[string]       // of a file
	denied  Setting[[]Permission] // by a file
	allowed Setting[[]Permission] // by the policy file

	place Place
	file  *File
}

// Where reports where the configuration file, or one that it extends, gives a field ("producers[0].content[1]"), and
// whether one does.
func (s *Settings) Where(field string) (diag.Position, bool) {
	if s.file == nil {
		return diag.Position{}, false
	}
	return s.file.Where(field)
}

// Permissions returns what the run may do.
func (s *Settings) Permissions() Permissions {
	return Permissions{
		Network: s.Network.Value, ExecPlugins: s.ExecPlugins.Value, OutsideRoot: s.OutsideRoot.Value,
		Stores: s.Stores.Value, StoreValues: s.StoreValues.Value,
	}
}

// WithNamespace returns a copy of the settings with another namespace.
func (s *Settings) WithNamespace(name string, from Source) *Settings {
	out := *s
	out.Namespace = Setting[NonEmpty]{NonEmpty(name), from}
	return &out
}

// WithHashDomain returns a copy of the settings with another hash domain.
func (s *Settings) WithHashDomain(domain string, from Source) *Settings {
	out := *s
	out.HashDomain = Setting[NonEmpty]{NonEmpty(domain), from}
	return &out
}

// WithLevel returns a copy of the settings with another level of coverage.
func (s *Settings) WithLevel(level Level, from Source) *Settings {
	out := *s
	out.Level = Setting[Level]{level, from}
	return &out
}

// Workload returns the first rule that fits a workload, or nil. Namespace is "" where it is not known.
func (s *Settings) Workload(kind, namespace, name string, labels map[string]string) *WorkloadRule {
	for i := range s.Workloads.Value {
		if w := &s.Workloads.Value[i]; w.Match.Matches(kind, namespace, name, labels) {
			return w
		}
	}
	return nil
}

// Ignores reports whether a ConfigMap or Secret restarts nothing. Namespace is "" where it is not known.
func (s *Settings) Ignores(kind, namespace, name string, labels map[string]string) bool {
	for _, m := range s.Ignore.Value {
		if m.Matches(kind, namespace, name, labels) {
			return true
		}
	}
	return false
}

// Foreign reports whether an annotation of a pod template is a hash that a chart writes itself, and is to go.
func (s *Settings) Foreign(annotation string) bool {
	if s.ForeignChecksums.Value != ForeignDrop && s.ForeignChecksums.Value != ForeignReplace {
		return false
	}
	return slices.ContainsFunc(s.ForeignAnnotations.Value, func(g Glob) bool {
		fits, _ := path.Match(string(g), annotation) // patterns are checked where they are read
		return fits
	})
}

// Strings returns a list of values as plain strings, for callers whose own types know nothing of ours.
func Strings[T ~string](values []T) []string {
	if values == nil {
		return nil
	}
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// Place returns where the input lies.
func (s *Settings) Place() Place { return s.place }
