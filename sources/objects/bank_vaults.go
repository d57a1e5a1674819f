package objects

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// bankVaults is a place that the webhook of Bank-Vaults replaces with a value: all of a value, or a part of it in
// "${...}".
var bankVaults = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:>>)?(?:vault|bao):([^#]+)#([^#]+)(?:#([^#]+))?$`)
})

var bankVaultsInside = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{(?:>>)?((?:vault|bao):[^}]+)\}`)
})

// isBankVaults reports whether the webhook of Bank-Vaults replaces a value that a ConfigMap or Secret holds with
// another one.
func isBankVaults(value []byte) bool {
	rest := bytes.TrimPrefix(value, []byte(">>"))
	if !bytes.HasPrefix(rest, []byte("vault:")) && !bytes.HasPrefix(rest, []byte("bao:")) {
		return false
	}
	path, _, _ := bytes.Cut(value, []byte("#"))
	return bankVaults().Match(value) && !bytes.ContainsAny(path, " \t\n") // or it is prose
}

// The annotations of a pod that say what Vault's agent fetches for it, and where from.
const (
	agentInject = "vault.hashicorp.com/agent-inject"
	agentSecret = "vault.hashicorp.com/agent-inject-secret-"
	agentServer = "vault.hashicorp.com/service"
)

var bankVaultsServers = []string{
	"secrets-webhook.security.bank-vaults.io/vault-addr", "vault.security.banzaicloud.io/vault-addr",
}

// InPod returns the places in Vault that a pod template names itself: in environment variables, for the webhook of
// Bank-Vaults, and in annotations, for Vault's agent. Each is there once, sorted by its ID; the key is the ID's place.
func InPod(template manifest.Node) []RemoteRef {
	annotations := template.At("metadata", "annotations")
	found := map[string]sources.Ref{}
	add := func(server, path, property, version string) {
		s := sources.Store{Kind: sources.Vault, Name: "default", Provider: "vault",
			Fields: map[string]string{"version": "v2"}}
		if server != "" {
			s.Fields["server"] = server
		}
		mount, rest, _ := strings.Cut(strings.Trim(path, "/"), "/")
		r := sources.Ref{Store: s, Key: mount + "/" + strings.TrimPrefix(rest, "data/"), Property: property, Version: version}
		found[r.Place()] = r
	}
	server := ""
	for _, name := range bankVaultsServers {
		if written := annotations.Get(name).StringValue(); written != "" && server == "" {
			server = written
		}
	}
	for _, list := range []string{"initContainers", "containers"} {
		for c := range template.At("spec", list).Items() {
			for env := range c.Get("env").Items() {
				v := env.Get("value").StringValue()
				if !strings.Contains(v, "vault:") && !strings.Contains(v, "bao:") {
					continue
				}
				texts := []string{v}
				for _, m := range bankVaultsInside().FindAllStringSubmatch(v, -1) {
					texts = append(texts, m[1])
				}
				for _, t := range texts {
					if m := bankVaults().FindStringSubmatch(t); m != nil {
						add(server, m[1], m[2], m[3])
					}
				}
			}
		}
	}
	if strings.EqualFold(annotations.Get(agentInject).StringValue(), "true") {
		for f := annotations.Fields(); f.Next(); {
			if strings.HasPrefix(f.Key.Text(), agentSecret) && f.Value.StringValue() != "" {
				add(annotations.Get(agentServer).StringValue(), f.Value.StringValue(), "", "")
			}
		}
	}
	out := make([]RemoteRef, 0, len(found))
	for place, r := range found {
		out = append(out, RemoteRef{Key: place, Ref: r})
	}
	slices.SortFunc(out, func(a, b RemoteRef) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// Pair returns the stand-in of a place that a pod names itself.
func (a RemoteRef) Pair() Pair {
	class, v := canonical.ClassSpec, canonical.Value{Shape: canonical.Map}
	v = v.With("key", canonical.String(a.Ref.Key)).With("property", canonical.String(a.Ref.Property))
	switch pinned, ok := sources.PinnedVersion(a.Ref); {
	case ok:
		class, v = canonical.ClassVersion, v.With("version", canonical.String(pinned))
	case a.Answer.Version != "" && a.Answer.Version != sources.Lease:
		class, v = canonical.ClassVersion, v.With("version", canonical.String(a.Answer.Version))
	case a.Answer.Digest != "":
		class, v = canonical.ClassValue, v.With("value", canonical.String(a.Answer.Digest))
	}
	return Pair{Key: a.Key, Value: redact.New(canonical.StandIn(nil, class, v)), StandIn: true}
}
