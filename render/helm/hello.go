package helm

import "fmt"

// protocol is the version of what passes between this program and one that renders with another version of Helm.
const protocol = 1

// Hello returns what such a program is sent first: it refuses that of another release.
func Hello(release string) string { return fmt.Sprintf("%d %s", protocol, release) }
