package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/files"
)

// notShaping are flags that change no comparison.
var notShaping = []string{
	"cache-dir", "exit-zero", "fail-on", "from", "isolate", "output", "render-cache", "shard", "timeout", "to", "verbose",
}

// namingPlaces are flags whose values may be other ones in each job of a run: of these it counts that they are set.
var namingPlaces = []string{"clusters", "hash-key-file", "repo", "sealing-key-file"}

// madeWith returns the flags and variables that shape a comparison. Of their values, which may be secret, it has so few
// bits that nobody can guess them by these. Of files that flags name, what they hold counts, unless the parts are known
// to have them in common.
func madeWith(set *pflag.FlagSet, env config.Env, isCommon func(path string) bool) (out []diff.Setting) {
	set.Visit(func(f *pflag.Flag) {
		switch {
		case slices.Contains(notShaping, f.Name):
		case slices.Contains(namingPlaces, f.Name):
			out = append(out, diff.Setting{Name: "--" + f.Name})
		default:
			out = append(out, diff.Setting{Name: "--" + f.Name, Bits: fewBits(withContents(values(f), isCommon))})
		}
	})
	for _, name := range []string{config.EnvAllow, config.EnvHashDomain, config.EnvHelmVersion, config.EnvOpenSOPS} {
		if value, ok := env(name); ok && value != "" {
			out = append(out, diff.Setting{Name: name, Bits: fewBits([]string{value})})
		}
	}
	for _, name := range []string{config.EnvHashKey, config.EnvHashKeyFile, config.EnvPolicy} {
		if value, ok := env(name); ok && value != "" {
			out = append(out, diff.Setting{Name: name})
		}
	}
	return out
}

// inWorkingFolder reports whether a path lies in the working folder, as files of the commits that are compared do:
// these parts have in common.
func inWorkingFolder(path string) bool { return filepath.IsLocal(path) }

// withContents returns values of flags, and what the files hold that they name and that are not common.
func withContents(values []string, isCommon func(path string) bool) []string {
	out := slices.Clone(values)
	for _, value := range values {
		if _, file, has := strings.Cut(value, "="); has { // --set-file key=file
			value = file
		}
		if value == "" || isCommon(value) {
			continue
		}
		if text, err := (files.Disk{}).ReadFile(value); err == nil {
			out = append(out, string(text))
		}
	}
	return out
}

// fewBits returns the first bits of the digest of values.
func fewBits(values []string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", values))
	return hex.EncodeToString(sum[:1])
}
