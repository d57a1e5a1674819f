package workspace

import "strings"

// SameRepository reports whether two addresses mean one repository, whatever way they are reached.
func SameRepository(a, b string) bool { return AddressPath(a) == AddressPath(b) }

// AddressPath returns the host and path of an address, without scheme, user and .git.
func AddressPath(address string) string {
	s := strings.ToLower(strings.TrimSpace(address))
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
		if scheme == "file" {
			return strings.TrimSuffix(strings.TrimRight(s, "/"), ".git")
		}
		if i := strings.IndexByte(s, '/'); i >= 0 {
			s = s[strings.LastIndexByte(s[:i], '@')+1:]
		}
	} else if host, path, ok := strings.Cut(s, ":"); ok && !strings.Contains(host, "/") {
		s = host[strings.LastIndexByte(host, '@')+1:] + "/" + strings.TrimLeft(path, "/")
	}
	return strings.TrimSuffix(strings.TrimRight(s, "/"), ".git")
}
