package config

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// policy is the operator's file: what every run on this machine may do.
type policy struct {
	Allow  []Permission `yaml:"allow"`
	Stores []StoreRule  `yaml:"stores"`
	// Files with the private keys that open SealedSecrets.
	SealingKeyFiles []NonEmpty `yaml:"sealingKeyFiles"`
	// How documents of SOPS are opened; they are not where it is absent.
	SOPS *SOPSRule `yaml:"sops"`

	where map[string]diag.Position
}

// loadPolicy reads the policy file, which must not lie in the tree at root, where whoever writes the application could
// write it: neither the file nor a folder or link on the way to it.
func loadPolicy(path, root string) (*policy, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("read policy: %w", err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, fmt.Errorf("read policy: %s: %w", path, files.Cause(err))
	}
	if files.Within(root, real) || passesThrough(root, abs) {
		return nil, fmt.Errorf("read policy: %s lies in the rendered tree %s, whose author is not to allow anything", path, root)
	}
	text, err := readSmall(files.Disk{}, real)
	if err != nil {
		return nil, fmt.Errorf("read policy: %s: %w", path, files.Cause(err))
	}
	var p policy
	if p.where, err = decode(text, real, &p); err != nil {
		return nil, err
	}
	return &p, nil
}

// passesThrough reports whether a part of path, which is absolute and can be resolved, lies in root.
func passesThrough(root, path string) bool {
	for at := path; at != filepath.Dir(at); at = filepath.Dir(at) {
		folder, err := filepath.EvalSymlinks(filepath.Dir(at))
		if err != nil || files.Within(root, filepath.Join(folder, filepath.Base(at))) {
			return true
		}
	}
	return false
}

// permissions joins what policy, environment and flags allow, and takes away what the file denies.
func (r *resolver) permissions() {
	granted := map[Permission]Source{}
	var p *policy
	r.s.storeRules.Source = Default
	if path := r.look(EnvPolicy); path != nil && *path != "" {
		p = r.policy(*path, granted)
	}
	r.openers(p)
	if text := r.look(EnvAllow); text != nil && *text != "" {
		r.grant(*text, "env "+EnvAllow, granted)
	}
	for _, g := range r.in.Flags.Allow {
		r.grant(g.Permissions, Source("flag "+g.Flag), granted)
	}
	for p, to := range map[Permission]*Setting[bool]{
		PermitNetwork: &r.s.Network, PermitExecPlugins: &r.s.ExecPlugins, PermitOutsideRoot: &r.s.OutsideRoot,
		PermitStores: &r.s.Stores, PermitStoreValues: &r.s.StoreValues,
	} {
		*to = Setting[bool]{false, Default}
		if from, ok := granted[p]; ok {
			*to = Setting[bool]{true, from}
		}
		if slices.Contains(r.file.Deny, p) {
			*to = Setting[bool]{false, Source(r.file.denied[p].String())}
		}
	}
}

func (r *resolver) policy(path string, granted map[Permission]Source) *policy {
	from := Source("env " + EnvPolicy)
	r.s.Policy = Setting[string]{path, from}
	p, err := loadPolicy(path, r.in.Place.Root)
	if err != nil {
		r.fail(from, err)
		return nil
	}
	if p.Stores != nil {
		r.s.storeRules = Setting[[]StoreRule]{p.Stores, Source(p.where["stores"].String())}
	}
	for i, name := range p.Allow {
		granted[name] = Source(p.where[fmt.Sprintf("allow[%d]", i)].String())
	}
	return p
}

func (r *resolver) grant(names string, from Source, granted map[Permission]Source) {
	all, err := parsePermissions(names)
	if err != nil {
		r.fail(from, err)
	}
	for _, name := range all {
		granted[name] = from
	}
}
