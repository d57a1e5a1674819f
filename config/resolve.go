package config

import (
	"encoding"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
)

// Flags are the flags of the command line that compete with the environment and the file; nil is a flag that was not given.
type Flags struct {
	Namespace   *string  // --namespace; empty is not given, as helm has it
	KubeVersion *string  // --kube-version; the same
	APIVersions []string // --api-versions
	FailOn      *string  // --fail-on
	LiveVolumes *bool    // --live-volumes
	HashKeyFile *string  // --hash-key-file
	HashDomain  *string  // --hash-domain
	Include     []string // --include
	Exclude     []string // --exclude
	Recursive   *bool    // --recursive
	CacheDir    *string  // --cache-dir
	SealingKeys []string // --sealing-key-file
	OpenSOPS    *bool    // --open-sops
	Secrets     *string  // --secrets
	OnError     *string  // --on-error
	Allow       []Grant
}

// Grant is a flag that grants permissions.
type Grant struct {
	Flag        string // "--allow"
	Permissions string // names with commas between them
}

// Inputs are what settings are resolved from.
type Inputs struct {
	Place Place // where the configuration file is looked for, and the policy file must not lie
	Flags Flags
	Env   Env // Environment(), but for tests
}

// Resolve finds the configuration file of a place and returns what is in force. Errors are *diag.Error with exit code 2 (of
// several mistakes, joined ones) and, for a file, with the line.
func Resolve(in Inputs) (*Settings, error) {
	file, err := Load(in.Place)
	if err != nil {
		return nil, err
	}
	r := &resolver{in: in, file: file}
	r.fromFile()
	r.fromFlags()
	r.hashKey()
	r.environment()
	r.permissions()
	return &r.s, errors.Join(r.errs...)
}

type resolver struct {
	in   Inputs
	file *File
	s    Settings
	errs []error
}

// fail records a mistake in what a source said.
func (r *resolver) fail(from Source, err error) {
	r.errs = append(r.errs, diag.Usage(fmt.Errorf("%s: %w", from, err), ""))
}

// given returns a field of the file, or its default.
func given[T any](f *File, field string, value, fallback T) Setting[T] {
	if p, ok := f.Where(field); ok {
		return Setting[T]{value, Source(p.String())}
	}
	return Setting[T]{fallback, Default}
}

// found reports which file is in force.
func found(f *File) Setting[string] {
	if f.path == "" {
		return Setting[string]{"", Default}
	}
	return Setting[string]{f.path, "nearest " + FileName}
}

func (r *resolver) fromFile() {
	f := r.file
	r.s = Settings{
		place:       r.in.Place,
		file:        f,
		File:        found(f),
		Policy:      Setting[string]{"", Default},
		Level:       given(f, "level", f.Level, MaxLevel),
		Namespace:   given(f, "namespace", f.Namespace, ""),
		KubeVersion: given(f, "kubeVersion", f.KubeVersion, ""),
		APIVersions: given(f, "apiVersions", f.APIVersions, nil),
		FailOn:      given(f, "failOn", f.FailOn, FailNever),
		Severities:  given(f, "severities", f.Severities, map[string]string{}),
		LiveVolumes: given(f, "liveVolumes", f.LiveVolumes, false),
		HashKeyRule: given(f, "hashKey", f.HashKey, KeyOptional),
		HashDomain:  given(f, "hashDomain", f.HashDomain, ""),
		Workloads:   given(f, "workloads", f.Workloads, nil),
		Ignore:      given(f, "ignore", f.Ignore, nil),
		Kinds:       given(f, "kinds", f.Kinds, nil),
		Producers:   given(f, "producers", f.Producers, nil),
		Secrets:     given(f, "secrets.policy", f.Secrets.Policy, PolicySpec),
		OnError:     given(f, "secrets.onError", f.Secrets.OnError, OnErrorFail),
		Refresh:     given(f, "secrets.refresh", f.Secrets.Refresh, RefreshAnnotate),

		Ask:          given(f, "secrets.ask", f.Secrets.Ask, nil),
		StoreAddress: given(f, "secrets.storeAddress", f.Secrets.StoreAddress, false),
		Context:      given(f, "context", f.Context, nil),
		Include:      given(f, "render.include", f.Render.Include, nil),
		Exclude:      given(f, "render.exclude", f.Render.Exclude, nil),
		Recursive:    given(f, "render.recursive", f.Render.Recursive, false),

		argoCD: given(f, "argocd", f.argoOptions(), nil),

		ForeignChecksums:   given(f, "render.foreignChecksums", f.Render.ForeignChecksums, ForeignKeep),
		ForeignAnnotations: given(f, "render.foreignAnnotations", f.Render.ForeignAnnotations, foreignAnnotations),
		Color:              Setting[bool]{true, Default},
	}
}

// say sets what a source says where it says something.
func say[T any](s *Setting[T], value *T, from Source) {
	if value != nil {
		*s = Setting[T]{*value, from}
	}
}

// parse sets what a source says as text where it says something.
func parse[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](r *resolver, s *Setting[T], text *string, from Source) {
	if text == nil {
		return
	}
	var value T
	if err := P(&value).UnmarshalText([]byte(*text)); err != nil {
		r.fail(from, err)
		return
	}
	*s = Setting[T]{value, from}
}

// parseAll is parse for a list.
func parseAll[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](r *resolver, s *Setting[[]T], texts []string, from Source) {
	if texts == nil {
		return
	}
	values := make([]T, len(texts))
	for i, text := range texts {
		if err := P(&values[i]).UnmarshalText([]byte(text)); err != nil {
			r.fail(from, err)
			return
		}
	}
	*s = Setting[[]T]{values, from}
}

func (r *resolver) fromFlags() {
	f, s := r.in.Flags, &r.s
	if f.Namespace != nil && *f.Namespace != "" {
		s.Namespace = Setting[NonEmpty]{NonEmpty(*f.Namespace), "flag --namespace"}
	}
	if f.KubeVersion != nil && *f.KubeVersion != "" { // the engine reads it, by helm's rules
		s.KubeVersion = Setting[KubeVersion]{KubeVersion(*f.KubeVersion), "flag --kube-version"}
	}
	parseAll(r, &s.APIVersions, f.APIVersions, "flag --api-versions")
	parse(r, &s.FailOn, f.FailOn, "flag --fail-on")
	say(&s.LiveVolumes, f.LiveVolumes, "flag --live-volumes")
	parse(r, &s.Secrets, f.Secrets, "flag --secrets")
	parse(r, &s.OnError, f.OnError, "flag --on-error")
	parseAll(r, &s.Include, f.Include, "flag --include")
	parseAll(r, &s.Exclude, f.Exclude, "flag --exclude")
	say(&s.Recursive, f.Recursive, "flag --recursive")
}

// look returns a variable, or nil where it is not set.
func (r *resolver) look(name string) *string {
	if v, set := r.in.Env(name); set {
		return &v
	}
	return nil
}

// hashKey finds the hash key and its domain. What is given but says nothing is a mistake: going on without it would change
// every digest of a Secret.
func (r *resolver) hashKey() {
	const flagFile, envFile, envKey Source = "flag --hash-key-file", "env " + EnvHashKeyFile, "env " + EnvHashKey
	r.s.hashKey.Source = Default
	if text := r.look(EnvHashKey); text != nil {
		r.s.hashKey = Setting[*KeySource]{&KeySource{Text: redact.New([]byte(*text)), From: envKey}, envKey}
	}
	keyFile := func(name *string, from Source) {
		if name != nil && *name == "" {
			r.fail(from, errors.New("names no file"))
		} else if name != nil {
			r.s.hashKey = Setting[*KeySource]{&KeySource{File: *name, From: from}, from}
		}
	}
	keyFile(r.look(EnvHashKeyFile), envFile)
	keyFile(r.in.Flags.HashKeyFile, flagFile)
	parse(r, &r.s.HashDomain, r.look(EnvHashDomain), "env "+EnvHashDomain)
	parse(r, &r.s.HashDomain, r.in.Flags.HashDomain, "flag --hash-domain")
}

// environment reads what is of the machine, not of the application.
func (r *resolver) environment() {
	if v := r.look(EnvNoColor); v != nil && *v != "" {
		r.s.Color = Setting[bool]{false, "env " + EnvNoColor}
	}
	r.s.CacheDir.Source = Default
	if base, err := os.UserCacheDir(); err == nil {
		r.s.CacheDir.Value = filepath.Join(base, "rollstamp")
	}
	if v := r.look(EnvCacheDir); v != nil && *v != "" {
		r.s.CacheDir = Setting[string]{*v, "env " + EnvCacheDir}
	}
	if v := r.in.Flags.CacheDir; v != nil && *v != "" {
		r.s.CacheDir = Setting[string]{*v, "flag --cache-dir"}
	}
}
