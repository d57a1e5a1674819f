// Package sources holds the contracts of what lies behind manifests: places in stores and who answers for their
// versions, ciphertexts and who decrypts them, and why nobody could.
package sources

// Kinds of stores that no object of Kubernetes describes, or that one describes which is no store itself.
const (
	Vault         = "Vault"               // what a pod takes from Vault by itself
	ProviderClass = "SecretProviderClass" // of the CSI driver
	Placeholders  = "argocd-vault-plugin" // in the values of a ConfigMap or Secret
	OnePassword   = "OnePassword"         // what 1Password's operator asks
)

// Store is where an operator fetches values from, as the manifests of the input and of the context describe it.
type Store struct {
	Kind      string // SecretStore, ClusterSecretStore, or what plays its part for another operator (VaultAuth)
	Namespace string // of a SecretStore, where it is known; "" for a ClusterSecretStore
	Name      string
	// the name of a Provider, or any other that External Secrets has; "" where the store's object was not found
	Provider string
	// what the provider's part of the object says, by dotted path (server, path, version, server.url), without
	// "auth"; lists as JSON
	Fields map[string]string
}

// String returns "Kind name" or "Kind namespace/name".
func (s Store) String() string {
	if s.Namespace == "" {
		return s.Kind + " " + s.Name
	}
	return s.Kind + " " + s.Namespace + "/" + s.Name
}

// Address returns where the store is, as far as its own object says so, or "".
func (s Store) Address() string {
	if p := ProviderOf(s.Provider); p != nil && p.Address != "" {
		return s.Fields[p.Address]
	}
	return ""
}

// InNamespace reports whether stores of its kind lie in namespaces: then the namespace may not be known.
func (s Store) InNamespace() bool {
	return s.Kind == "SecretStore" || s.Kind == "VaultAuth" || s.Kind == ProviderClass
}

// HasUnknownEngine reports whether nothing says which engine of Vault lies behind a key, because its path is all that
// the manifest has.
func (s Store) HasUnknownEngine() bool {
	return s.Kind == Vault || s.Kind == ProviderClass || s.Kind == Placeholders
}
