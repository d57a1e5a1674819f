package config

import (
	"os"
	"slices"
	"strings"
	"sync"
)

// hidden are the variables that were taken out of the process's environment. Like that, they belong to the process.
var hidden = struct {
	sync.RWMutex
	values map[string]string
}{values: map[string]string{}}

// HideSecrets takes variables with secrets out of the process's environment, for the rest of its life: the hash key,
// tokens of stores, keys for SOPS, and what the policy file names. Libraries hand the environment on to the programs
// that they start. What this program reads itself it still finds.
func (s *Settings) HideSecrets() {
	hidden.Lock()
	defer hidden.Unlock()
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if isSecret(name) || s.namesVariable(name) {
			hidden.values[name] = value
			_ = os.Unsetenv(name)
		}
	}
}

// isSecret reports whether a variable holds a secret of ours, or may hold one of a cloud. A proxy stays: who may use
// the network needs it.
func isSecret(name string) bool {
	if strings.HasPrefix(name, "AWS_") || strings.HasPrefix(name, "AZURE_") {
		return !strings.HasSuffix(name, "_FILE") && slices.ContainsFunc(
			[]string{"SECRET", "TOKEN", "PASSWORD", "KEY"}, func(word string) bool { return strings.Contains(name, word) })
	}
	return slices.ContainsFunc(Vars(), func(v Var) bool {
		return v.Name == name && v.Sensitive && !strings.HasSuffix(name, "_PROXY")
	})
}

// namesVariable reports whether a rule of the policy file names a variable, for a token or as the place of values.
func (s *Settings) namesVariable(name string) bool {
	return slices.ContainsFunc(s.StoreRules(), func(r StoreRule) bool {
		prefix := r.Fields["prefix"]
		return string(r.Credentials.TokenEnv) == name || prefix != "" && strings.HasPrefix(name, prefix)
	})
}

// lookup returns a variable of the process, hidden or not.
func lookup(name string) (string, bool) {
	if value, ok := os.LookupEnv(name); ok {
		return value, true
	}
	hidden.RLock()
	defer hidden.RUnlock()
	value, ok := hidden.values[name]
	return value, ok
}

// WithHidden returns an environment with the variables that were taken out of it, for the programs of our own.
func WithHidden(env []string) []string {
	hidden.RLock()
	defer hidden.RUnlock()
	env = slices.Clip(env)
	for name, value := range hidden.values {
		env = append(env, name+"="+value)
	}
	return env
}
