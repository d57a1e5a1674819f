package config

// operatorRows are what only flags, the environment and the operator's policy file set.
var operatorRows = []Row{
	{
		Name: "allow", In: InPolicy, Hidden: true, optional: true,
		Env: []Var{{
			Name: EnvAllow,
			Meaning: "Permissions with commas between them: network, exec-plugins, outside-root, stores, " +
				"store-values, copy-secrets, moving-refs; network=HOST for one host, or network=*.DOMAIN; exec-plugins=VARIABLE for " +
				"one variable of the environment more.",
		}},
		Flag: "allow", Split: true, Group: GroupPermissions,
		Usage: "permissions that a rendered tree cannot grant itself, network=HOST among them",
		About: "Permissions of every run on this machine. network=charts.example.com allows the network for one host, " +
			"network=*.example.com for all below a domain; redirects lead to no other. exec-plugins=CLUSTER passes a " +
			"variable of the environment on to plugins, exec-plugins=OUR_* all that begin so.",
		field: value(func(s *Settings) *Setting[[]Grant] { return &s.allowed }),
	},
	{
		Flag: "enable-exec", Permission: PermitExecPlugins, On: Rendering, Group: GroupPermissions,
		Usage: "kustomize: run exec functions, as --allow exec-plugins",
	},
	{
		Flag: "enable-alpha-plugins", Permission: PermitExecPlugins, On: Rendering, Group: GroupPermissions,
		Usage: "kustomize: run plugins, as --allow exec-plugins",
	},
	{
		Name: "allow.network", Permission: PermitNetwork,
		About: "Fetch charts, bases and values over the network.",
		field: value(func(s *Settings) *Setting[bool] { return &s.Network }),
	},
	{
		Name:  "allow.network-hosts",
		About: "Hosts that the network is allowed for, redirects included: every network=HOST; all where there is none.",
		field: value(func(s *Settings) *Setting[[]NonEmpty] { return &s.Hosts }),
	},
	{
		Name: "allow.exec-plugins", Permission: PermitExecPlugins,
		About: "Run kustomize exec plugins and functions.",
		field: value(func(s *Settings) *Setting[bool] { return &s.ExecPlugins }),
	},
	{
		Name: "allow.exec-variables",
		About: "Variables that exec plugins inherit beyond those of every program: every exec-plugins=VARIABLE. A secret " +
			"only by its whole name.",
		field: value(func(s *Settings) *Setting[[]NonEmpty] { return &s.PluginVariables }),
	},
	{
		Name: "allow.outside-root", Permission: PermitOutsideRoot,
		About: "Read files outside the application's root through .. or symbolic links.",
		field: value(func(s *Settings) *Setting[bool] { return &s.OutsideRoot }),
	},
	{
		Name: "allow.stores", Permission: PermitStores,
		About: "Ask stores for the versions of secrets.",
		field: value(func(s *Settings) *Setting[bool] { return &s.Stores }),
	},
	{
		Name: "allow.store-values", Permission: PermitStoreValues,
		About: "Read a value where its store has no versions, for a keyed digest of it.",
		field: value(func(s *Settings) *Setting[bool] { return &s.StoreValues }),
	},
	{
		Name: "allow.copy-secrets", Permission: PermitCopySecrets,
		About: "Copy values of Secrets that are not in the manifests in plain into fields of custom resources.",
		field: value(func(s *Settings) *Setting[bool] { return &s.CopySecrets }),
	},
	{
		Name: "allow.moving-refs", Permission: PermitMovingRefs,
		About: "Argo CD: read the repositories of refs at what a branch or range of versions means now; with network.",
		field: value(func(s *Settings) *Setting[bool] { return &s.MovingRefs }),
	},
	{
		Name: "stores", In: InPolicy,
		About: "Where stores may be asked, and with which credentials; the first entry that matches a store " +
			"counts.",
		field: value(func(s *Settings) *Setting[[]StoreRule] { return &s.storeRules }),
		show:  func(s *Settings) (any, Source) { return maskStores(s.storeRules.Value), s.storeRules.Source },
	},
	{
		Name: "sealingKeyFiles", In: InPolicy, optional: true,
		Env: []Var{{
			Name: EnvSealingKeys,
			Meaning: "Files with the private keys that decrypt SealedSecrets, as --sealing-key-file; with colons " +
				"between them, as in PATH.",
		}},
		Flag: "sealing-key-file", Group: GroupStamp,
		Usage: "file with private keys of the Sealed Secrets controller, which decrypt SealedSecrets",
		About: "Files with the private keys that decrypt SealedSecrets.",
		field: custom(func(s *Settings) *Setting[[]NonEmpty] { return &s.sealingKeys }, nil, readSealingKeys),
	},
	{
		Name: "sops", In: InPolicy,
		About: "How documents of SOPS are decrypted; they are not where it is absent.",
		field: value(func(s *Settings) *Setting[SOPSRule] { return &s.sopsRule }),
		show:  func(s *Settings) (any, Source) { return s.sops.describe(), s.decryptSOPS.Source },
	},
	{
		Hidden: true, optional: true,
		Env: []Var{{
			Name: EnvOpenSOPS,
			Meaning: "true decrypts documents that are encrypted with SOPS, as --open-sops; false says that their " +
				"ciphertext is what counts.",
		}},
		Flag: "open-sops", Group: GroupStamp,
		Usage: "decrypt what is encrypted with SOPS, with the keys of SOPS_AGE_KEY, SOPS_AGE_KEY_FILE and the policy file",
		field: boolean(func(s *Settings) *Setting[bool] { return &s.decryptSOPS }),
	},
	{
		Name: "cacheDir", optional: true,
		Env: []Var{{
			Name:    EnvCacheDir,
			Meaning: "Folder for fetched charts and bases; by default rollstamp in the user's cache folder.",
		}},
		Flag: "cache-dir", On: Fetching, Group: GroupRender,
		Usage: "folder for fetched repositories, charts and bases",
		About: "Folder for fetched charts and bases; by default rollstamp in the user's cache folder.",
		field: verbatim(func(s *Settings) *Setting[string] { return &s.CacheDir }),
	},
	{
		Name: "renderCache", In: InPolicy, optional: true,
		Env: []Var{{
			Name:    EnvRenderCache,
			Meaning: "Folder or server for renders, which later runs take from there, as --render-cache.",
		}},
		Flag: "render-cache", On: Caching, Group: GroupRender,
		Usage: "folder, or address of a server, for renders, which later runs take from there where nothing changed that " +
			"was read for them",
		About: "Folder for renders, which later runs take from there where no file, flag, setting or line of the lock " +
			"changed that was read for them. It has to be this user's alone, and with no hash key to lie outside of the " +
			"rendered tree; with one, entries are encrypted. https://HOST/PATH is a server that speaks the HTTP protocol of " +
			"Bazel's caches, for runs with a hash key.",
		field: verbatim(func(s *Settings) *Setting[string] { return &s.RenderCache }),
	},
	{
		Name: "color", optional: true,
		Env:   []Var{{Name: EnvNoColor, Meaning: "No colour on the terminal, where it is not empty."}},
		About: "Whether colour is welcome where a terminal can show it.",
		field: custom(func(s *Settings) *Setting[bool] { return &s.Color }, true,
			func([]string, Source) (bool, error) { return false, nil }),
	},
}
