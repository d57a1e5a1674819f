package vault

import (
	"slices"
	"strings"
)

// engine is what is mounted somewhere.
type engine struct {
	mount   string // without slashes at its ends; it may hold some
	kind    string // kv, generic, database, pki, ...
	version string // of kv: 1 or 2
}

func (e engine) isKV() bool { return e.kind == "kv" || e.kind == "generic" }

// leases reports whether what is read there is made for whoever reads it. Vault's own engines make nothing, and no
// operator reads them.
func (e engine) leases() bool {
	return !e.isKV() && !strings.HasPrefix(e.kind, "ns_") &&
		!slices.Contains([]string{"cubbyhole", "system", "identity", "token"}, e.kind)
}
