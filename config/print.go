package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/redact"
)

// schemaVersion is that of the JSON that Settings prints as.
const schemaVersion = 1

// Row is one setting as it is printed. A hash key is masked.
type Row struct {
	Name   string // as the configuration file spells it, with dots; hash-key and allow.* are in no file
	Value  any
	Source Source
}

// Rows lists every setting, in the order in which they are printed.
func (s *Settings) Rows() []Row {
	return []Row{
		rowOf("file", s.File),
		rowOf("policy", s.Policy),
		rowOf("level", s.Level),
		rowOf("namespace", s.Namespace),
		rowOf("kubeVersion", s.KubeVersion),
		listRow("apiVersions", s.APIVersions),
		rowOf("failOn", s.FailOn),
		rowOf("severities", s.Severities),
		rowOf("liveVolumes", s.LiveVolumes),
		rowOf("hashKey", s.HashKeyRule),
		{"hash-key", s.hashKey.Value.shown(), s.hashKey.Source},
		rowOf("hashDomain", s.HashDomain),
		listRow("workloads", s.Workloads),
		listRow("ignore", s.Ignore),
		listRow("kinds", s.Kinds),
		listRow("producers", s.Producers),
		rowOf("secrets.policy", s.Secrets),
		rowOf("secrets.onError", s.OnError),
		rowOf("secrets.refresh", s.Refresh),
		rowOf("secrets.storeAddress", s.StoreAddress),
		listRow("secrets.ask", s.Ask),
		listRow("context", s.Context),
		listRow("render.include", s.Include),
		listRow("render.exclude", s.Exclude),
		rowOf("render.recursive", s.Recursive),
		rowOf("render.foreignChecksums", s.ForeignChecksums),
		listRow("render.foreignAnnotations", s.ForeignAnnotations),
		listRow("argocd", s.argoCD),
		rowOf("allow."+string(PermitNetwork), s.Network),
		rowOf("allow."+string(PermitExecPlugins), s.ExecPlugins),
		rowOf("allow."+string(PermitOutsideRoot), s.OutsideRoot),
		rowOf("allow."+string(PermitStores), s.Stores),
		rowOf("allow."+string(PermitStoreValues), s.StoreValues),
		listRow("stores", Setting[[]StoreRule]{shownStores(s.storeRules.Value), s.storeRules.Source}),
		listRow("sealingKeyFiles", s.sealingKeys),
		{"sops", s.sops.Value.shown(), s.sops.Source},
		rowOf("cacheDir", s.CacheDir),
		rowOf("color", s.Color),
	}
}

func rowOf[T any](name string, s Setting[T]) Row { return Row{name, s.Value, s.Source} }

// listRow shows no items as an empty list, not as null.
func listRow[T any](name string, s Setting[[]T]) Row {
	if s.Value == nil {
		s.Value = []T{}
	}
	return Row{name, s.Value, s.Source}
}

// shown reports where the hash key is, never what it is.
func (k *KeySource) shown() string {
	switch {
	case k == nil:
		return ""
	case k.File != "":
		return k.File
	}
	return redact.Mask
}

// shown reports how documents are opened, without keys.
func (s *SOPS) shown() any {
	if s == nil {
		return nil
	}
	return struct {
		SOPSRule `yaml:",inline"`
		AgeKey   string `yaml:"ageKey,omitempty" json:"ageKey,omitempty"`
	}{s.SOPSRule, map[bool]string{true: redact.Mask}[s.AgeKey != nil]}
}

// MarshalJSON returns {"schema": 1, "settings": {NAME: {"value": ..., "source": ...}}}.
func (s *Settings) MarshalJSON() ([]byte, error) {
	all := map[string]Setting[any]{}
	for _, r := range s.Rows() {
		all[r.Name] = Setting[any]{r.Value, r.Source}
	}
	return json.Marshal(struct {
		Schema   int                     `json:"schema"`
		Settings map[string]Setting[any] `json:"settings"`
	}{schemaVersion, all})
}

// WriteText writes every setting as a line of YAML, or more for a list, with its source as a comment.
func (s *Settings) WriteText(w io.Writer) error {
	var out bytes.Buffer
	for _, r := range s.Rows() {
		text, err := yaml.Marshal(map[string]any{r.Name: r.Value})
		if err != nil {
			return fmt.Errorf("print setting %s: %w", r.Name, err)
		}
		first, rest, _ := bytes.Cut(text, []byte("\n"))
		fmt.Fprintf(&out, "%s  # %s\n%s", first, r.Source, rest)
	}
	_, err := w.Write(out.Bytes())
	return err
}
