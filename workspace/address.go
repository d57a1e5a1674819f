package workspace

import (
	"path"
	"strings"
)

// SameRepository reports whether two addresses mean one repository, whatever way they are reached. As for Argo CD,
// addresses that differ only in case do.
func SameRepository(a, b string) bool {
	return AddressPath(strings.ToLower(a)) == AddressPath(strings.ToLower(b))
}

// AddressPath returns the host and path of an address, without scheme, user, query and .git. The host is in lower case,
// and the path as it is: on many hosts its case counts.
func AddressPath(address string) string {
	s := strings.TrimSpace(address)
	scheme, rest, hasScheme := strings.Cut(s, "://")
	switch {
	case !hasScheme:
		s = ofSSH(s)
	case strings.EqualFold(scheme, "file"):
		s = rest
	default:
		s, _, _ = strings.Cut(rest, "#")
		s, _, _ = strings.Cut(s, "?")
		host, _, _ := strings.Cut(s, "/")
		s = s[strings.LastIndexByte(host, '@')+1:]
	}
	host, path, _ := strings.Cut(strings.TrimSuffix(strings.TrimRight(s, "/"), ".git"), "/")
	if path == "" {
		return strings.ToLower(host)
	}
	return strings.ToLower(host) + "/" + path
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

// SSHURL returns the URL of user@host:path, and of user@host/path, which Argo CD takes for the same; not ok for other
// addresses.
func SSHURL(address string) (out string, ok bool) {
	user, rest, hasUser := strings.Cut(strings.TrimSpace(address), "@")
	i := strings.IndexAny(rest, ":/")
	if !hasUser || user == "" || strings.ContainsAny(user, ":/") || i <= 0 {
		return "", false
	}
	return "ssh://" + user + "@" + rest[:i] + "/" + strings.TrimLeft(rest[i+1:], "/"), true
}

// IsAnother reports whether an address means none of the repositories on this machine: its last name is that of none of
// their addresses, which a mirror of one would have. Where they have no address, that is not known.
func (r *Repositories) IsAnother(address string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := path.Base(AddressPath(strings.ToLower(address)))
	for _, l := range r.local {
		if path.Base(AddressPath(strings.ToLower(l.url))) == name {
			return false
		}
	}
	return len(r.local) > 0 && address != ""
}
