package workspace

import (
	"path"
	"strings"
)

// SameRepository reports whether two addresses mean one repository, whatever way they are reached.
func SameRepository(a, b string) bool { return AddressPath(a) == AddressPath(b) }

// AddressPath returns the host and path of an address, without scheme, user, query and .git.
func AddressPath(address string) string {
	s := strings.ToLower(strings.TrimSpace(address))
	if scheme, rest, ok := strings.Cut(s, "://"); !ok {
		s = ofSSH(s)
	} else if s = rest; scheme != "file" {
		s, _, _ = strings.Cut(s, "#")
		s, _, _ = strings.Cut(s, "?")
		host, _, _ := strings.Cut(s, "/")
		s = s[strings.LastIndexByte(host, '@')+1:]
	}
	return strings.TrimSuffix(strings.TrimRight(s, "/"), ".git")
}

// ofSSH returns host and path of [user@]host:path. Argo CD takes user@host/path for the same.
func ofSSH(s string) string {
	if i := strings.IndexAny(s, "@:/"); i >= 0 && s[i] == '@' {
		s = s[i+1:]
	}
	if host, path, ok := strings.Cut(s, ":"); ok && !strings.Contains(host, "/") {
		return host + "/" + strings.TrimLeft(path, "/")
	}
	return s
}

// IsAnother reports whether an address means none of the repositories on this machine: its last name is that of none of
// their addresses, which a mirror of one would have. Where they have no address, that is not known.
func (r *Repositories) IsAnother(address string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := path.Base(AddressPath(address))
	for _, l := range r.local {
		if path.Base(AddressPath(l.url)) == name {
			return false
		}
	}
	return len(r.local) > 0 && address != ""
}
