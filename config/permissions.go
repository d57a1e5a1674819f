// Package config says what is in force for a run, where it was said, and who may allow it.
package config

import (
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/internal/network"
)

// Permissions are what a run may do beyond reading the application's own files. They come only from flags, the
// environment or the operator's policy file; a configuration file in the rendered tree can narrow, never widen them.
//
// What flags, environment and policy file allow adds up. A policy file is no upper bound for the other two: whoever
// starts the process owns its flags and environment, and could as well start it without the policy.
type Permissions struct {
	Network     bool          // fetch charts, bases and values over the network
	Hosts       network.Hosts // that the network is allowed for
	ExecPlugins bool          // run kustomize exec plugins and functions
	OutsideRoot bool          // read files outside the application's root through .. or symbolic links
	Stores      bool          // ask stores for the versions of secrets
	StoreValues bool          // read a value where its store has no versions, for a keyed digest of it
	MovingRefs  bool          // read other repositories at what a branch or range of versions means now
	CopySecrets bool          // copy values of Secrets that are not in the manifests in plain into fields
}

// Permission names one of them, as flags, environment and files spell it.
type Permission string

// The permissions.
const (
	PermitNetwork     Permission = "network"
	PermitExecPlugins Permission = "exec-plugins"
	PermitOutsideRoot Permission = "outside-root"
	PermitStores      Permission = "stores"
	PermitStoreValues Permission = "store-values"
	PermitCopySecrets Permission = "copy-secrets"
	PermitMovingRefs  Permission = "moving-refs"
)

// Choices lists the values.
func (Permission) Choices() []string {
	return []string{
		string(PermitNetwork), string(PermitExecPlugins), string(PermitOutsideRoot),
		string(PermitStores), string(PermitStoreValues), string(PermitCopySecrets),
		string(PermitMovingRefs),
	}
}

// UnmarshalText takes one of Choices.
func (p *Permission) UnmarshalText(b []byte) error { return choose(p, string(b)) }

// Grant is a permission as an operator writes it: its name or, for the network, that and a host (network=*.corp), or,
// for exec plugins, that and a variable that they inherit (exec-plugins=CLUSTER, exec-plugins=OUR_*).
type Grant struct {
	Permission Permission
	Host       network.Hosts // "" where it is for all
	Variable   string        // "" where none is named
}

// Choices lists what can be granted, without hosts.
func (Grant) Choices() []string { return Permission("").Choices() }

// UnmarshalText takes one of Choices, network=HOST, or exec-plugins=VARIABLE.
func (g *Grant) UnmarshalText(b []byte) (err error) {
	name, of, found := strings.Cut(string(b), "=")
	if err := g.Permission.UnmarshalText([]byte(name)); err != nil || !found {
		return err
	}
	switch g.Permission {
	case PermitNetwork:
		g.Host, err = network.ParseHost(of)
	case PermitExecPlugins:
		if g.Variable = of; strings.Trim(strings.TrimSuffix(of, "*"), variableLetters) != "" || of == "" || of == "*" {
			err = fmt.Errorf("%q is no variable: name one, or the beginning of several with * behind it", of)
		}
	default:
		err = fmt.Errorf("%s takes no host or variable; network and exec-plugins do", name)
	}
	return err
}

const variableLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

// parseGrants reads grants with commas between them.
func parseGrants(s string) ([]Grant, error) {
	var out []Grant
	for word := range strings.SplitSeq(s, ",") {
		var g Grant
		if err := g.UnmarshalText([]byte(strings.TrimSpace(word))); err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}
