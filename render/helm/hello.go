package helm

import (
	"errors"
	"fmt"
	"strings"
)

// protocol is the version of what passes between this program and one that renders with another version of Helm.
const protocol = 1

// Hello returns what such a program is sent first: it refuses that of another release.
func Hello(release string) string { return fmt.Sprintf("%d %s", protocol, release) }

// Refusal returns why a program of a release does not work for the one that sent a Hello; nil where both are of one.
func Refusal(hello, release string) error {
	if hello == Hello(release) {
		return nil
	}
	_, other, _ := strings.Cut(hello, " ")
	if other == release {
		return errors.New("it is of another build than rollstamp")
	}
	return fmt.Errorf("it is of %s, and rollstamp is of %s", releaseName(release), releaseName(other))
}

func releaseName(release string) string {
	if release == "" {
		return "no release"
	}
	return "release " + release
}
