package config

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/network"
)

// Settings are what is in force for an application: flag before environment before file before default. Those of many
// differ in their place alone, and have the rest in common. Settings without values are made by New.
type Settings struct {
	*InForce
	place Place
}

// New returns settings in which nothing is set.
func New() *Settings { return &Settings{InForce: &InForce{}} }

// Clone returns a copy whose values may be set without changing those of others.
func (s *Settings) Clone() *Settings {
	values := *s.InForce
	return &Settings{&values, s.place}
}

// InForce is settings without the place that they are in force at.
type InForce struct {
	File        Setting[string]      // the configuration file; "" where there is none
	Policy      Setting[string]      // the operator's policy file; "" where there is none
	Level       Setting[Level]       // level of coverage
	Namespace   Setting[NonEmpty]    // "" where not given
	KubeVersion Setting[KubeVersion] // "" where not given
	APIVersions Setting[[]NonEmpty]
	Helm        Setting[HelmVersion]
	Kustomize   Setting[KustomizeEngine]
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
	SecretRules Setting[[]SecretRule]
	NotLocked   Setting[NotLocked]
	OnError     Setting[OnError]
	Sealed      Setting[SealedRule]
	Refresh     Setting[RefreshWay]

	Ask          Setting[[]AskedKind]
	StoreAddress Setting[bool] // whether a store's address is part of the digest input for its values

	Apps      Setting[[]AppRule]
	Context   Setting[[]NonEmpty] // absolute paths
	Include   Setting[[]Glob]
	Exclude   Setting[[]Glob]
	Recursive Setting[bool]

	ForeignChecksums   Setting[Foreign]
	FluxWrite          Setting[FluxWrite]
	ForeignAnnotations Setting[[]Glob]
	Compat             Compat
	Strategy           Setting[Strategy]
	Combined           Setting[bool]             // one annotation for all references of a pod template
	AllContainers      Setting[bool]             // the strategy env writes into every container
	AnnotationPrefix   Setting[AnnotationPrefix] // domain of the keys of stamps; "" is ours
	Suffix             Suffix
	Reload             Setting[Reload]
	Order              Setting[[]Match]
	Waves              Setting[Waves]
	Protect            Protect
	Bindings           Setting[[]BindingRule]
	Replicate          Setting[[]ReplicateRule]

	Network     Setting[bool]
	Hosts       Setting[[]NonEmpty] // that the network is allowed for; all where there is none
	ExecPlugins Setting[bool]

	OutsideRoot Setting[bool]
	Stores      Setting[bool]
	StoreValues Setting[bool]
	CopySecrets Setting[bool]
	MovingRefs  Setting[bool]
	CacheDir    Setting[string] // folder for fetched charts and bases; "" where the user has none
	RenderCache Setting[string] // folder for renders; "" for none
	Color       Setting[bool]   // whether colour is welcome where a terminal can show it

	PluginVariables Setting[[]NonEmpty] // that exec plugins inherit beyond those of every program

	hashKey     Setting[*KeySource] // nil where not given; see HashKey
	sealingKeys Setting[[]NonEmpty] // see SealingKeys
	storeRules  Setting[[]StoreRule]
	argoCD      Setting[ArgoCD]
	decryptSOPS Setting[bool]
	sopsRule    Setting[SOPSRule]
	sops        *SOPS // see SOPS; nil where documents of SOPS are not decrypted

	extends Setting[string]       // of a file
	denied  Setting[[]Permission] // by a file
	allowed Setting[[]Grant]      // by the policy file

	where map[string]diag.Position // of each field that a file sets
}

// Where reports where the configuration file, or one that it extends, sets a field ("producers[0].content[1]"), and
// whether one does.
func (s *Settings) Where(field string) (diag.Position, bool) {
	p, ok := s.where[field]
	return p, ok
}

// Permissions returns what the run may do.
func (s *Settings) Permissions() Permissions {
	return Permissions{
		Network: s.Network.Value, ExecPlugins: s.ExecPlugins.Value, OutsideRoot: s.OutsideRoot.Value,
		Stores: s.Stores.Value, StoreValues: s.StoreValues.Value, CopySecrets: s.CopySecrets.Value,
		MovingRefs: s.MovingRefs.Value,
		Hosts:      network.Hosts(strings.Join(Strings(s.Hosts.Value), ",")),
	}
}

// Within returns a copy of the settings that permits nothing that may does not.
func (s *Settings) Within(may Permissions) *Settings {
	out := s.Clone()
	out.Network.Value = s.Network.Value && may.Network
	out.ExecPlugins.Value = s.ExecPlugins.Value && may.ExecPlugins
	out.OutsideRoot.Value = s.OutsideRoot.Value && may.OutsideRoot
	out.Stores.Value = s.Stores.Value && may.Stores
	out.StoreValues.Value = s.StoreValues.Value && may.StoreValues
	out.CopySecrets.Value = s.CopySecrets.Value && may.CopySecrets
	out.MovingRefs.Value = s.MovingRefs.Value && may.MovingRefs
	return out
}

// At returns the settings for an application at another place, where the same configuration is in force.
func (s *Settings) At(place Place) *Settings { return &Settings{s.InForce, place} }

// WithNamespace returns a copy of the settings with another namespace.
func (s *Settings) WithNamespace(name string, from Source) *Settings {
	out := s.Clone()
	out.Namespace = Setting[NonEmpty]{NonEmpty(name), from}
	return out
}

// WithHashDomain returns a copy of the settings with another hash domain.
func (s *Settings) WithHashDomain(domain string, from Source) *Settings {
	out := s.Clone()
	out.HashDomain = Setting[NonEmpty]{NonEmpty(domain), from}
	return out
}

// WithAnnotationPrefix returns a copy of the settings with another domain for stamps. The error is about the domain.
func (s *Settings) WithAnnotationPrefix(domain string, from Source) (*Settings, error) {
	out := s.Clone()
	out.AnnotationPrefix.Source = from
	if err := out.AnnotationPrefix.Value.UnmarshalText([]byte(domain)); err != nil {
		return nil, diag.Usage(fmt.Errorf("%s: %w", from, err), "")
	}
	return out, nil
}

// WithLevel returns a copy of the settings with another level of coverage.
func (s *Settings) WithLevel(level Level, from Source) *Settings {
	out := s.Clone()
	out.Level = Setting[Level]{level, from}
	return out
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

// Severity returns findings with the severities that the settings say, and drops those that are off.
func (s *Settings) Severity(found []diag.Finding) []diag.Finding {
	return Regrade(found, s.Severities.Value)
}

// StoreRules returns what the operator says of stores, in the order of the policy file.
func (s *Settings) StoreRules() []StoreRule { return s.storeRules.Value }

// HashKey reports where the hash key is, or returns nil where none is given, which is an error if one is required.
// The finding is about a key file that others can read. Whoever stamps calls this; who does not stamp needs no key.
func (s *Settings) HashKey() (*KeySource, []diag.Finding, error) {
	key := s.hashKey.Value
	if key == nil && s.HashKeyRule.Value == KeyRequired {
		err := fmt.Errorf("%s: hashKey: required, but no hash key is given", s.HashKeyRule.Source)
		return nil, nil, diag.Usage(err, "Pass one with --hash-key-file or "+EnvHashKeyFile+".")
	}
	if key == nil || key.File == "" {
		return key, nil, nil
	}
	if worldReadable(key.File) {
		f := diag.New(diag.HashKeyReadable, "", "every user of this machine can read the hash key file")
		return key, []diag.Finding{f.At(diag.Position{File: key.File})}, nil
	}
	return key, nil, nil // what else is wrong with the file its reader reports
}

// ArgoCD returns the options of an application that Argo CD renders through us.
func (s *Settings) ArgoCD() ArgoCD { return s.argoCD.Value }

// SealingKeys returns the files with private keys that decrypt SealedSecrets; none where these are not decrypted.
func (s *Settings) SealingKeys() []string {
	if s.Sealed.Value == SealedCiphertext {
		return nil
	}
	return Strings(s.sealingKeys.Value)
}

// CountsSealed reports whether the ciphertext of a SealedSecret counts in a run that does not decrypt it. That is
// nearly always so: hardly anybody has the key of a cluster.
func (s *Settings) CountsSealed() bool { return s.Sealed.Value != SealedValues }

// SOPS reports how documents of SOPS are decrypted; nil where they are not.
func (s *Settings) SOPS() *SOPS { return s.sops }

// CountsCiphertext reports whether somebody says that documents of SOPS are not decrypted, so that their ciphertext is
// what counts: --open-sops=false.
func (s *Settings) CountsCiphertext() bool {
	return !s.decryptSOPS.Value && s.decryptSOPS.Source != Default
}

// KeyFindings returns a finding for each key file that others can read.
func (s *Settings) KeyFindings() []diag.Finding {
	var out []diag.Finding
	names := s.SealingKeys()
	if s.sops != nil {
		names = append(names, Strings(s.sops.AgeKeyFiles)...)
	}
	for _, name := range names {
		if worldReadable(name) {
			f := diag.New(diag.DecrypterReadable, "", "every user of this machine can read a key that decrypts secrets")
			out = append(out, f.At(diag.Position{File: name}))
		}
	}
	return out
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
