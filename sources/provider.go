package sources

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"sync"
)

// Provider is what is known of a kind of store without its client's library: the folder of each store has it as
// provider.json, so that the program that asks nobody knows it, too.
type Provider struct {
	// Name is what the configuration calls it, and a store's manifest below spec.provider. In a manifest of AWS the
	// service counts, too.
	Name string `json:"name"`
	// Aliases are further names in manifests.
	Aliases []string `json:"aliases"`
	// Pinned is the form of a version in a manifest that names one content for ever. Anything else moves, such as the
	// stages of AWS, the aliases of Google Cloud, or "latest". "" is of a store whose versions choose nothing, or nothing
	// that stays. Where it is not there, it is that of any store of which nothing is known.
	Pinned *string `json:"pinned"`
	// MetadataMoves says that the version changes with the metadata, too, or that values are read.
	MetadataMoves bool `json:"metadataMoves"`
	// Address is the field of a store's manifest that says where credentials would be sent; "" where none are sent. Those
	// of AWS and Google Cloud stand in no manifest: an operator sets them for a private endpoint.
	Address string `json:"address"`
	// Environment is the variable with the address of the one store that needs no rule of the operator's.
	Environment string `json:"environment"`
	// AddressParts are fields that become a part of the address of a cloud, which needs no other. Nothing may lead out
	// of it.
	AddressParts []string `json:"addressParts"`
	// FurtherAddresses are fields that say where the store itself sends our credentials on to, with the addresses that
	// need no listing.
	FurtherAddresses map[string][]string `json:"furtherAddresses"`
	// Kubeconfig says that the operator's kubeconfig may have the address.
	Kubeconfig bool `json:"kubeconfig"`
	// OperatorsFields says that where the operator sets the address, no field of the manifest counts: our token goes
	// there, and the manifest is not to say with what.
	OperatorsFields bool `json:"operatorsFields"`
	// Local says that the values lie on this machine: no manifest can say where, only the operator.
	Local bool `json:"local"`
	// Placeholders says that argocd-vault-plugin has it as a backend whose paths name a key, and nothing of where the
	// store is.
	Placeholders bool `json:"placeholders"`
}

//go:embed stores/*/provider.json
var providerFiles embed.FS

// Providers returns what is known of all stores that can be asked, sorted by their folders.
var Providers = sync.OnceValue(func() (all []Provider) {
	names, err := fs.Glob(providerFiles, "stores/*/provider.json")
	for _, name := range names {
		var read []Provider
		if read, err = readProviders(name); err != nil {
			break
		}
		all = append(all, read...)
	}
	if err != nil {
		panic(err) // a fault of ours that every run shows which asks for a store
	}
	return all
})

func readProviders(name string) (all []Provider, err error) {
	text, err := providerFiles.ReadFile(name)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return all, nil
}

// ProviderOf returns what is known of a provider by its name, or nil.
func ProviderOf(name string) *Provider {
	all := Providers()
	at := slices.IndexFunc(all, func(p Provider) bool { return p.Name == name || slices.Contains(p.Aliases, name) })
	if at < 0 {
		return nil
	}
	return &all[at]
}

// pinnedForms are the forms of fixed versions, by the names of providers. That of "" is for stores which are not in the
// input, or cannot be asked; nil is none.
var pinnedForms = sync.OnceValue(func() map[string]*regexp.Regexp {
	forms := map[string]*regexp.Regexp{"": regexp.MustCompile(`^([1-9][0-9]*|uuid/.+|[0-9a-fA-F]{32})$`)}
	for _, p := range Providers() {
		if p.Pinned == nil {
			continue
		}
		var form *regexp.Regexp
		if *p.Pinned != "" {
			form = regexp.MustCompile(*p.Pinned)
		}
		for _, name := range slices.Concat([]string{p.Name}, p.Aliases) {
			forms[name] = form
		}
	}
	return forms
})
