package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// settingsFlags are the flags that compete with the environment and the configuration file.
type settingsFlags struct {
	namespace, kubeVersion, failOn, hashKeyFile, hashDomain, secrets, onError, cacheDir string
	apiVersions, include, exclude, allow, sealingKeys                                   []string
	liveVolumes, recursive, enableExec, enableAlphaPlugins, openSOPS                    bool
	set                                                                                 *pflag.FlagSet
}

// stampFlags adds those that every command which stamps takes.
func (s *settingsFlags) stampFlags(f *pflag.FlagSet) {
	s.set = f
	f.StringVarP(&s.namespace, "namespace", "n", "", "namespace of the objects that name none")
	f.StringVar(&s.hashKeyFile, "hash-key-file", "", "file with the hash key, which keeps digests of Secrets from being guessed")
	f.StringVar(&s.secrets, "secrets", "", "where versions of external secrets come from: "+strings.Join(config.SecretPolicy("").Choices(), ", "))
	f.StringVar(&s.onError, "on-error", "", "what to do where a store does not answer: "+strings.Join(config.OnError("").Choices(), ", "))
	f.StringVar(&s.hashDomain, "hash-domain", "", "keeps digests apart from others that are made with the same hash key")
	f.BoolVar(&s.liveVolumes, "live-volumes", false, "no restart for what is read only through volumes that the kubelet updates in place")
	f.StringArrayVar(&s.sealingKeys, "sealing-key-file", nil, "file with private keys of the Sealed Secrets controller, which open SealedSecrets")
	f.BoolVar(&s.openSOPS, "open-sops", false, "open what is encrypted with SOPS, with the keys of SOPS_AGE_KEY, SOPS_AGE_KEY_FILE and the policy file")
	f.StringVar(&s.failOn, "fail-on", string(config.FailNever), "least severity of a finding that makes the exit code 1: "+strings.Join(config.FailOn("").Choices(), ", "))
	f.StringSliceVar(&s.allow, "allow", nil, "permissions that a rendered tree cannot give itself: "+strings.Join(config.Permission("").Choices(), ", "))
}

// offerSettings completes those of stampFlags that take one of a few words.
func offerSettings(c *cobra.Command) {
	offer(c, "fail-on", config.FailOn("").Choices()...)
	offer(c, "allow", config.Permission("").Choices()...)
	offer(c, "secrets", config.SecretPolicy("").Choices()...)
	offer(c, "on-error", config.OnError("").Choices()...)
}

// renderFlags adds those that shape a render.
func (s *settingsFlags) renderFlags(f *pflag.FlagSet) {
	f.StringVar(&s.kubeVersion, "kube-version", "", "Kubernetes version used for Capabilities.KubeVersion")
	f.StringSliceVarP(&s.apiVersions, "api-versions", "a", nil, "Kubernetes API versions used for Capabilities.APIVersions")
	f.BoolVar(&s.recursive, "recursive", false, "plain manifests: read the folders below, too")
	f.StringArrayVar(&s.include, "include", nil, "plain manifests: glob of the files to read, ** for any folders (default *.yaml, *.yml, *.json)")
	f.StringArrayVar(&s.exclude, "exclude", nil, "plain manifests: glob of files or folders to leave out")
	f.StringVar(&s.cacheDir, "cache-dir", "", "folder for fetched charts and bases")
	f.BoolVar(&s.enableExec, "enable-exec", false, "kustomize: run exec functions, as --allow exec-plugins")
	f.BoolVar(&s.enableAlphaPlugins, "enable-alpha-plugins", false, "kustomize: run plugins, as --allow exec-plugins")
}

func (s *settingsFlags) flags() config.Flags {
	out := config.Flags{
		Namespace:   given(s, "namespace", &s.namespace),
		KubeVersion: given(s, "kube-version", &s.kubeVersion),
		FailOn:      given(s, "fail-on", &s.failOn),
		LiveVolumes: given(s, "live-volumes", &s.liveVolumes),
		HashKeyFile: given(s, "hash-key-file", &s.hashKeyFile),
		HashDomain:  given(s, "hash-domain", &s.hashDomain),
		Secrets:     given(s, "secrets", &s.secrets),
		OnError:     given(s, "on-error", &s.onError),
		Recursive:   given(s, "recursive", &s.recursive),
		CacheDir:    given(s, "cache-dir", &s.cacheDir),
		OpenSOPS:    given(s, "open-sops", &s.openSOPS),
		SealingKeys: s.sealingKeys,
		APIVersions: s.apiVersions,
		Include:     s.include,
		Exclude:     s.exclude,
	}
	if len(s.allow) > 0 {
		out.Allow = append(out.Allow, config.Grant{Flag: "--allow", Permissions: strings.Join(s.allow, ",")})
	}
	if s.enableExec {
		out.Allow = append(out.Allow, config.Grant{Flag: "--enable-exec", Permissions: string(config.PermitExecPlugins)})
	}
	if s.enableAlphaPlugins {
		out.Allow = append(out.Allow, config.Grant{Flag: "--enable-alpha-plugins", Permissions: string(config.PermitExecPlugins)})
	}
	return out
}

// given returns the value of a flag, or nil where the user did not write it.
func given[T any](s *settingsFlags, name string, value *T) *T {
	if !s.set.Changed(name) {
		return nil
	}
	return value
}

// resolve returns what is in force for the application at path; "" is the working folder.
func (p *program) resolve(s *settingsFlags, path string) (*config.Settings, error) {
	return p.resolveAt(s, &p.roots, path)
}

// resolveAt is that of an application that roots find.
func (p *program) resolveAt(s *settingsFlags, roots *config.Roots, path string) (*config.Settings, error) {
	place, err := roots.Locate(path)
	if err != nil {
		return nil, err
	}
	return config.Resolve(config.Inputs{Place: place, Flags: s.flags(), Env: p.env})
}

// oneOf checks a flag that takes one of a few words.
func oneOf(flag, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	return diag.Usage(fmt.Errorf("--%s %q is not one of %s", flag, value, strings.Join(words, ", ")), "")
}

// offer completes a flag that takes one of a few words.
func offer(c *cobra.Command, flag string, words ...string) {
	err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag is not there: a fault of ours that every run shows
	}
}
