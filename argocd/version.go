package argocd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// Version is a minor version of Argo CD; the zero value is one that is not known.
type Version struct{ major, minor int }

// ParseVersion reads a version such as v3.5.0. Another text is a usage error that names the flag.
func ParseVersion(text, flag string) (Version, error) {
	parts := strings.Split(strings.TrimPrefix(text, "v"), ".")
	if len(parts) >= 2 {
		major, err := strconv.Atoi(parts[0])
		minor, minorErr := strconv.Atoi(parts[1])
		if err == nil && minorErr == nil && major >= 2 && minor >= 0 {
			return Version{major, minor}, nil
		}
	}
	return Version{}, diag.Usage(fmt.Errorf("--%s %q is not a version of Argo CD", flag, text), "Write it as v3.5.0.")
}

func (v Version) String() string { return fmt.Sprintf("v%d.%d", v.major, v.minor) }

// IsBefore reports whether a version is known, and older than another.
func (v Version) IsBefore(major, minor int) bool {
	return v != Version{} && (v.major < major || v.major == major && v.minor < minor)
}

// Helm returns the version of Helm that Argo CD renders charts with; 0 where the version is not known.
func (v Version) Helm() config.HelmVersion {
	switch {
	case v == Version{}:
		return 0
	case v.IsBefore(3, 5):
		return config.Helm3
	}
	return config.Helm4
}

// The versions of which the source is known here: tests hold them against it.
var oldest, newest = Version{3, 2}, Version{3, 6}

// Doubt returns what is assumed of a version whose source is not known here; "" for the others.
func (v Version) Doubt() string {
	var place string
	switch {
	case v.IsBefore(oldest.major, oldest.minor):
		place = "older"
	case newest.IsBefore(v.major, v.minor):
		place = "newer"
	default:
		return ""
	}
	return fmt.Sprintf("Argo CD %s is %s than the versions whose source is known here (%s to %s): it is taken to be like "+
		"the nearest of them, and to render charts with Helm %d", v, place, oldest, newest, v.Helm())
}

// DrySourceTakesPlugins reports whether the dry source of a hydrator has a field for a plugin, as far as the version
// is known.
func (v Version) DrySourceTakesPlugins() bool { return !v.IsBefore(3, 3) }

// Since is the version from which on Argo CD has a field of a source.
type Since struct {
	Field        string
	major, minor int
}

// String returns the version.
func (s Since) String() string { return Version{s.major, s.minor}.String() }

// NewerFields are the fields of sources that the oldest version which we support has not.
func NewerFields() []Since {
	return []Since{{"tagPrefix", 3, 5}, {"directory.disableExtensionFilter", 3, 6}}
}

// Reads reports whether a version has a field of a source, as far as the version is known. What it has not the API
// server drops.
func (v Version) Reads(s Since) bool { return !v.IsBefore(s.major, s.minor) }
