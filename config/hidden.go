package config

import (
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/redact"
)

// hidden are the variables that were taken out of the process's environment. Like that, they belong to the process.
var hidden = struct {
	sync.RWMutex
	values map[string]string
}{values: map[string]string{}}

// HideFromPlugins takes out of the process's environment, for the rest of its life, what programs of others do not
// need, for libraries hand the environment on to the programs that they start: all but what every program reads, what
// kustomize, Helm and the tools of clouds read that is no secret, and what the operator names. What this program reads
// itself it still finds.
func (s *Settings) HideFromPlugins() {
	hidden.Lock()
	defer hidden.Unlock()
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if name != "" && !s.isForPlugins(name) {
			hidden.values[name] = value
			_ = os.Unsetenv(name)
		}
	}
}

// isForPlugins reports whether programs of others inherit a variable. Only its whole name passes a secret on.
func (s *Settings) isForPlugins(name string) bool {
	isSecret := isSecret(name) || s.namesVariable(name) ||
		redact.IsSecretName(name) && !strings.HasSuffix(name, "_FILE")
	isNamed := func(pattern NonEmpty) bool {
		start, isPattern := strings.CutSuffix(string(pattern), "*")
		return name == start || isPattern && !isSecret && strings.HasPrefix(name, start)
	}
	return slices.Contains(commonVariables, strings.ToUpper(name)) || !isSecret && hasCommonPrefix(name) ||
		slices.ContainsFunc(s.PluginVariables.Value, isNamed)
}

func hasCommonPrefix(name string) bool {
	return slices.ContainsFunc(commonPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// What programs are likely to need: variables, whether in capitals or not, and how the names of others begin.
var (
	commonVariables = []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "HOSTNAME", "TMPDIR", "TMP", "TEMP", "TZ", "TERM", "NO_COLOR",
		"LANG", "LANGUAGE", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR",
		"SSH_AUTH_SOCK", "GNUPGHOME", "GPG_TTY", "GOOGLE_APPLICATION_CREDENTIALS", "SOPS_AGE_KEY_FILE",
		"SOPS_PGP_FP", "KUBECONFIG", "VAULT_ADDR", "VAULT_NAMESPACE", "VAULT_CACERT", "CONTAINER_HOST",
		"GOGC", "GOMEMLIMIT", "GOMAXPROCS", "CI",
		// of Windows
		"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH",
		"APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
	}
	commonPrefixes = []string{
		"LC_", "XDG_", "KUSTOMIZE_", "HELM_", "KUBE_", "DOCKER_", "AWS_", "AZURE_", "GOOGLE_", "CLOUDSDK_", "GCE_",
		"ARGOCD_APP_", PluginEnvPrefix,
	}
)

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
