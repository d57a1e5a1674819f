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
// bits that nobody can guess them by these.
func madeWith(set *pflag.FlagSet, env config.Env) (out []diff.Setting) {
	set.Visit(func(f *pflag.Flag) {
		switch {
		case slices.Contains(notShaping, f.Name):
		case slices.Contains(namingPlaces, f.Name):
			out = append(out, diff.Setting{Name: "--" + f.Name})
		default:
			out = append(out, diff.Setting{Name: "--" + f.Name, Bits: fewBits(withContents(values(f)))})
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

// withContents returns values of flags, and what the files hold that they name outside of the working folder: those in
// it are of the commits that are compared, which parts have in common.
func withContents(values []string) []string {
	out := slices.Clone(values)
	for _, value := range values {
		if _, file, has := strings.Cut(value, "="); has { // --set-file key=file
			value = file
		}
		if value == "" || filepath.IsLocal(value) {
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
