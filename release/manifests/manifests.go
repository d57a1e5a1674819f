// Package manifests makes the files by which package managers find a release.
package manifests

import "github.com/rollstamp/rollstamp/release/dist"

// Files returns what is to lie beside the archives of a release: content by path, relative to its folder.
func Files(dist.Release) (map[string][]byte, error) { return nil, nil }
