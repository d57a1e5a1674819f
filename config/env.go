package config

import (
	"os"
	"slices"
	"strings"
)

// Vars declares every variable that the program reads, but those of a call of Argo CD (PluginVars). No other is
// looked up anywhere; a test holds that.
func Vars() []Var {
	var out []Var
	for _, r := range table {
		out = append(out, r.Env...)
	}
	return slices.Concat(out, otherVars(), programVars(), runtimeVars())
}

// OperatorVars returns the variables that set what no file of a rendered tree may set: all but those of the settings
// that .rollstamp.yaml may hold, too.
func OperatorVars() []Var {
	var out []Var
	for _, r := range table {
		if r.In&InFile == 0 {
			out = append(out, r.Env...)
		}
	}
	return slices.Concat(out, otherVars(), programVars(), runtimeVars())
}

// OperatorFlags returns the flags, without dashes, of settings that no file of a rendered tree may hold.
func OperatorFlags() []string {
	var out []string
	for _, r := range table {
		if r.Flag != "" && r.In&InFile == 0 {
			out = append(out, r.Flag)
		}
	}
	return out
}

// programVars are those that name the programs beside this one.
func programVars() []Var {
	return []Var{
		{
			Name:    EnvStores,
			Meaning: "The program that asks stores; by default rollstamp-stores beside rollstamp itself.",
		},
		{
			Name:    EnvHelm4,
			Meaning: "The program that renders with Helm 4; by default rollstamp-helm4 beside rollstamp itself.",
		},
	}
}

// otherVars are those that set no setting.
func otherVars() []Var {
	return []Var{
		{
			Name: EnvMaxMemory,
			Meaning: "Memory that a run may use, such as 8Gi: it ends where it uses more. By default 3Gi, and no more than " +
				"its container, ulimit -v or the machine allow. On Linux, the kernel refuses more than an eighth above it, and " +
				"what the program takes at start, to a run over many applications (--isolate). The memory of other runs is " +
				"read 50 times a second: a text that grows to several times its size between two looks is seen late. Under ulimit -v, one text that alone takes more, as of " +
				"repeat 1000000000 in a template, ends it with the Go runtime's message \"out of memory\" and code 2. " +
				"argocd serve has --max-memory-bytes.",
		},
		{
			Name: EnvRenderCacheAuthorization, Sensitive: true,
			Meaning: "The header Authorization for a render cache on a server, such as \"Bearer TOKEN\".",
		},
		{Name: EnvAuthor, Meaning: "Who decides, in the lines that rollstamp restart writes into the lock, without --by."},
		{Name: EnvTime, Meaning: "When, in RFC 3339, in these lines, without --at; now where it is not set."},
		{
			Name:    EnvVaultAddr,
			Meaning: "Address of the Vault that may be asked where no rule of the policy file matches its store.",
		},
		{Name: EnvVaultToken, Meaning: "Token for that Vault.", Sensitive: true},
		{
			Name: EnvConnectHost,
			Meaning: "Address of the 1Password Connect server that may be asked where no rule of the policy file matches " +
				"its store.",
		},
		{Name: EnvConnectToken, Meaning: "Token for that server.", Sensitive: true},
		{
			Name: EnvBitwardenToken, Sensitive: true,
			Meaning: "Access token of a machine account, for the Bitwarden Secrets Manager that a rule of the policy file " +
				"allows.",
		},
		{
			Name: EnvSOPSAgeKey, Sensitive: true,
			Meaning: "age identities for SOPS, as SOPS itself reads it; read only where its documents are decrypted.",
		},
		{Name: EnvSOPSAgeKeyFile, Meaning: "File with age identities for SOPS; the same."},
		{Name: EnvHelmPlugin, Meaning: "rollstamp, where Helm started the program as its plugin."},
		{
			Name:    EnvHelmNamespace,
			Meaning: "The namespace that Helm was given, which counts as -n where Helm started the program as its plugin.",
		},
		{Name: "GNUPGHOME", Meaning: "The folder of the keyring, where the policy file permits gpg.", Indirect: true},
		{
			Name:    EnvPluginSockets,
			Meaning: "Folder of the sockets of Argo CD's plugins, as --plugins-dir; " + PluginSockets + " by default.",
		},
		{
			Name:    envHelmRegistry,
			Meaning: "Helm's file of credentials for OCI registries, read where the network is allowed.",
		},
		{
			Name:    envHelmConfig,
			Meaning: "Helm's configuration folder, which holds that file where the variable above is not set.",
		},
		{
			Name:    envDockerConfig,
			Meaning: "Docker's configuration folder, which may hold credentials for registries too.",
		},
	}
}

// runtimeVars are those that Go's runtime and libraries read.
func runtimeVars() []Var {
	return []Var{
		{
			Name: "GOGC", Indirect: true,
			Meaning: "Pace of the garbage collector; where it is not set, 400, and less where much is alive.",
		},
		{Name: "XDG_CACHE_HOME", Meaning: "The user's cache folder; by default .cache in HOME.", Indirect: true},
		{Name: "HOME", Meaning: "The user's folder.", Indirect: true},
		{
			Name: "HTTPS_PROXY", Sensitive: true, Indirect: true,
			Meaning: "Proxy for https, where the network is allowed; may hold a password.",
		},
		{
			Name: "HTTP_PROXY", Sensitive: true, Indirect: true,
			Meaning: "Proxy for http, where the network is allowed; may hold a password.",
		},
		{
			Name: "AWS_REGION", Sensitive: true, Indirect: true, family: "AWS_",
			Meaning: "Region, profile and credentials of AWS: the SDK reads all of its variables that begin with AWS_.",
		},
		{
			Name: "AZURE_TENANT_ID", Sensitive: true, Indirect: true, family: "AZURE_",
			Meaning: "Identity for Azure: the SDK reads all of its variables that begin with AZURE_.",
		},
		{Name: "GOOGLE_APPLICATION_CREDENTIALS", Meaning: "File with the identity for Google Cloud.", Indirect: true},
		{Name: "KUBECONFIG", Meaning: "Configuration of the clusters that the policy file names as stores.", Indirect: true},
		{Name: "NO_PROXY", Meaning: "Hosts that are asked without a proxy.", Indirect: true},
	}
}

// PluginVars are the variables that Argo CD sets for each call of a plugin; those of the application's own plugin.env
// begin with PluginEnvPrefix.
func PluginVars() []string {
	return []string{
		"ARGOCD_APP_NAME", "ARGOCD_APP_NAMESPACE", "ARGOCD_APP_PROJECT_NAME",
		"ARGOCD_APP_REVISION", "ARGOCD_APP_REVISION_SHORT", "ARGOCD_APP_REVISION_SHORT_8",
		"ARGOCD_APP_SOURCE_REPO_URL", "ARGOCD_APP_SOURCE_PATH", "ARGOCD_APP_SOURCE_TARGET_REVISION",
		"ARGOCD_APP_PARAMETERS", "KUBE_VERSION", "KUBE_API_VERSIONS",
	}
}

// PluginSockets is the folder where Argo CD looks for its plugins' sockets.
const PluginSockets = "/home/argocd/cmp-server/plugins"

// PluginEnvPrefix begins the names of the variables that an Application sets with plugin.env.
const PluginEnvPrefix = "ARGOCD_ENV_"

// PluginEnvironment returns the variables of a plugin's call that the process was started with.
func PluginEnvironment() map[string]string {
	out := map[string]string{}
	names := PluginVars()
	for _, entry := range environment() {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, PluginEnvPrefix) || slices.Contains(names, name) {
			out[name] = value
		}
	}
	return out
}

// environment returns all variables that the process was started with.
func environment() []string { return WithHidden(os.Environ()) }
