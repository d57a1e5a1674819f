package config

import "regexp"

// Var is an environment variable that the program reads.
type Var struct {
	Name      string
	Meaning   string
	Sensitive bool // its value is never printed
	Indirect  bool // read by the runtime or a library, not by package config

	family string // how the names of all begin that are meant, where a library reads several
}

// Pattern returns a regular expression of the names that are meant.
func (v Var) Pattern() string {
	if v.family != "" {
		return regexp.QuoteMeta(v.family) + `\w*`
	}
	return regexp.QuoteMeta(v.Name)
}

// The variables of our own.
const (
	EnvHashKey                  = "ROLLSTAMP_HASH_KEY"
	EnvHashKeyFile              = "ROLLSTAMP_HASH_KEY_FILE"
	EnvHashDomain               = "ROLLSTAMP_HASH_DOMAIN"
	EnvPolicy                   = "ROLLSTAMP_POLICY"
	EnvAllow                    = "ROLLSTAMP_ALLOW"
	EnvCacheDir                 = "ROLLSTAMP_CACHE_DIR"
	EnvRenderCache              = "ROLLSTAMP_RENDER_CACHE"
	EnvRenderCacheAuthorization = "ROLLSTAMP_RENDER_CACHE_AUTHORIZATION"
	EnvNoColor                  = "NO_COLOR"

	// EnvPluginSockets is Argo CD's own.
	EnvPluginSockets = "ARGOCD_PLUGINSOCKFILEPATH"

	EnvSealingKeys    = "ROLLSTAMP_SEALING_KEY_FILES"
	EnvOpenSOPS       = "ROLLSTAMP_OPEN_SOPS"
	EnvSOPSAgeKey     = "SOPS_AGE_KEY"
	EnvSOPSAgeKeyFile = "SOPS_AGE_KEY_FILE"

	EnvMaxMemory = "ROLLSTAMP_MAX_MEMORY"

	EnvAuthor = "ROLLSTAMP_AUTHOR"
	EnvTime   = "ROLLSTAMP_TIME"

	EnvStores = "ROLLSTAMP_STORES"
	EnvHelm4  = "ROLLSTAMP_HELM4"

	EnvHelmVersion = "ROLLSTAMP_HELM_VERSION"

	EnvKustomizeEngine = "ROLLSTAMP_KUSTOMIZE_ENGINE"

	EnvVaultAddr  = "VAULT_ADDR"
	EnvVaultToken = "VAULT_TOKEN"

	EnvConnectHost    = "OP_CONNECT_HOST"
	EnvConnectToken   = "OP_CONNECT_TOKEN"
	EnvBitwardenToken = "BWS_ACCESS_TOKEN"

	// EnvHelmPlugin and EnvHelmNamespace are what Helm sets for its plugins.
	EnvHelmPlugin    = "HELM_PLUGIN_NAME"
	EnvHelmNamespace = "HELM_NAMESPACE"

	envHelmRegistry = "HELM_REGISTRY_CONFIG"
	envHelmConfig   = "HELM_CONFIG_HOME"
	envDockerConfig = "DOCKER_CONFIG"
)

// Env looks a variable up, and reports whether it is set.
type Env func(name string) (string, bool)
