package config

import "slices"

// table is every setting, in the order in which they are printed. A new one is a row and a field of Settings: the
// schema, the flags, the variables, help and the pages follow from it.
var table = slices.Concat(applicationRows, helmRows, kustomizeRows, strategyRows, suffixRows, reloadRows,
	protectRows, additionRows, compatRows, operatorRows)

// Table returns every setting. The caller does not change it.
func Table() []Row { return table }

// rowsIn returns the rows that a document may set, by their names, and the names in order.
func rowsIn(in Document) (byName map[string]*Row, names []string) {
	byName = map[string]*Row{}
	for i := range table {
		if r := &table[i]; r.In&in != 0 {
			byName[r.Name] = r
			names = append(names, r.Name)
		}
	}
	return byName, names
}

// applicationRows are what the configuration file of an application may set, and which file that is.
var applicationRows = []Row{
	{
		Name:  "file",
		About: "The configuration file in force.",
		field: value(func(s *Settings) *Setting[string] { return &s.File }),
	},
	{
		Name: "policy", optional: true,
		Env:   []Var{{Name: EnvPolicy, Meaning: "The operator's policy file, outside the rendered tree."}},
		About: "The operator's policy file.",
		field: verbatim(func(s *Settings) *Setting[string] { return &s.Policy }),
	},
	{
		Name: "extends", In: InFile, Hidden: true,
		Example: "team.yaml",
		About: "Path of a parent file, relative to this file and inside the same repository. Its values are the " +
			"defaults that this file's fields replace as a whole; only deny adds up.",
		field: value(func(s *Settings) *Setting[string] { return &s.extends }),
	},
	{
		Name: "level", In: InFile,
		Example: "1",
		About: "Freezes what is covered (kinds, reference positions) at a level, so that an upgrade restarts " +
			"nothing unasked. Where absent, the level at which rollstamp.lock was begun; the newest one without a lock.",
		field: valueOr(func(s *Settings) *Setting[Level] { return &s.Level }, MaxLevel),
	},
	{
		Name: "namespace", In: InFile, optional: true,
		Flag: "namespace", Short: "n", Group: GroupRender,
		Usage:   "namespace of the objects that name none",
		Example: "shop",
		About:   "Namespace of objects that name none, as --namespace.",
		field:   verbatim(func(s *Settings) *Setting[NonEmpty] { return &s.Namespace }),
	},
	{
		Name: "kubeVersion", In: InFile, optional: true,
		Flag: "kube-version", On: Rendering, Group: GroupRender,
		Usage:   "Kubernetes version used for Capabilities.KubeVersion",
		Example: `"1.34"`,
		About:   "Kubernetes version that charts are rendered for, as --kube-version.",
		// The engine reads what the flag says, by helm's rules.
		field: verbatim(func(s *Settings) *Setting[KubeVersion] { return &s.KubeVersion }),
	},
	{
		Name: "apiVersions", In: InFile,
		Flag: "api-versions", Short: "a", Split: true, On: Rendering, Group: GroupRender,
		Usage:   "Kubernetes API versions used for Capabilities.APIVersions",
		Example: "[monitoring.coreos.com/v1]",
		About:   "API versions that charts believe to be there, as --api-versions.",
		field:   texts(func(s *Settings) *Setting[[]NonEmpty] { return &s.APIVersions }),
	},
	{
		Name: "failOn", In: InFile,
		Flag: "fail-on", Group: GroupOutput,
		Usage:   "least severity of a finding that makes the exit code 1",
		Example: "warning",
		About: "The least severity of a finding that makes the exit code 1. Where nothing says it, it is error for check, fn and " +
			"verify, and warning for argocd lint.",
		field: text(func(s *Settings) *Setting[FailOn] { return &s.FailOn }, FailNever),
	},
	{
		Name: "severities", In: InFile,
		Example: `{unused-key: "off", plain-secret: error}`,
		About:   "What findings count as, by their code: error, warning, info, or off, which drops them.",
		field:   valueOr(func(s *Settings) *Setting[map[string]string] { return &s.Severities }, map[string]string{}),
		check:   (*Settings).checkSeverities,
	},
	{
		Name: "liveVolumes", In: InFile,
		Flag: "live-volumes", Group: GroupStamp,
		Usage:   "no restart for what is read only through volumes that the kubelet updates in place",
		Example: "false",
		About:   "Leaves out of the digests what is read only through volumes that the kubelet updates in place.",
		field:   boolean(func(s *Settings) *Setting[bool] { return &s.LiveVolumes }),
	},
	{
		Name: "hashKey", In: InFile,
		Example: "required",
		About:   "Whether a run without a hash key is an error.",
		field:   valueOr(func(s *Settings) *Setting[KeyRule] { return &s.HashKeyRule }, KeyOptional),
	},
	{
		Name: "hash-key",
		Env: []Var{
			{
				Name: EnvHashKey, Sensitive: true,
				Meaning: "The hash key itself; a file is better, because the environment is inherited.",
			},
			{Name: EnvHashKeyFile, Meaning: "File that holds the hash key, as --hash-key-file."},
		},
		Flag: "hash-key-file", Group: GroupStamp,
		Usage: "file with the hash key, which keeps digests of Secrets from being guessed",
		About: "The hash key, which keeps digests of Secrets from being guessed.",
		field: custom(func(s *Settings) *Setting[*KeySource] { return &s.hashKey }, nil, readKeySource),
		show:  func(s *Settings) (any, Source) { return s.hashKey.Value.describe(), s.hashKey.Source },
	},
	{
		Name: "hashDomain", In: InFile,
		Env:  []Var{{Name: EnvHashDomain, Meaning: "Hash domain, as --hash-domain."}},
		Flag: "hash-domain", Group: GroupStamp,
		Usage:   "keeps digests apart from others that are made with the same hash key",
		Example: "team-shop",
		About: "Keeps the digests of this application apart from those of others that are made with the same hash " +
			"key.",
		field: text(func(s *Settings) *Setting[NonEmpty] { return &s.HashDomain }, ""),
	},
	{
		Name: "workloads", In: InFile,
		Example: exampleWorkloads,
		About:   "Settings for workloads; the first entry that matches a workload counts.",
		field:   value(func(s *Settings) *Setting[[]WorkloadRule] { return &s.Workloads }),
	},
	{
		Name: "ignore", In: InFile,
		Example: exampleIgnore,
		About:   "ConfigMaps and Secrets that restart nothing.",
		field:   value(func(s *Settings) *Setting[[]ContentMatch] { return &s.Ignore }),
	},
	{
		Name: "kinds", In: InFile,
		Example: exampleKinds,
		About: "Custom kinds that hold pod templates or references to ConfigMaps and Secrets. Each kind has one " +
			"rule.",
		field: value(func(s *Settings) *Setting[[]KindRule] { return &s.Kinds }),
		check: (*Settings).checkKinds,
	},
	{
		Name: "producers", In: InFile,
		Example: exampleProducers,
		About: "Custom kinds that make ConfigMaps and Secrets in the cluster. Each kind has one rule, which " +
			"replaces what is built in for it.",
		field: value(func(s *Settings) *Setting[[]ProducerRule] { return &s.Producers }),
		check: (*Settings).checkProducers,
	},
	{Name: "secrets", In: InFile, About: "What stands for values that are in no manifest."},
	{
		Name: "secrets.policy", In: InFile,
		Flag: "secrets", Group: GroupStamp,
		Usage:   "where versions of external secrets come from",
		Example: "lock",
		About: "spec takes what the manifests declare, without any request; lock the versions in rollstamp.lock; " +
			"live those that the stores report, where the operator allows to ask.",
		field: text(func(s *Settings) *Setting[SecretPolicy] { return &s.Secrets }, PolicySpec),
	},
	{
		Name: "secrets.stores", In: InFile,
		Example: exampleSecretRules,
		About: "The policy for some stores, or for what some objects fetch, instead of secrets.policy; the first entry " +
			"that matches counts. With spec nobody is asked, also by a later version that could: a provider that has no " +
			"client counts by its manifests then, and its neighbours stay locked.",
		field: value(func(s *Settings) *Setting[[]SecretRule] { return &s.SecretRules }),
	},
	{
		Name: "secrets.notLocked", In: InFile,
		Example: "spec",
		About: "What a run under the policy lock does with a key that the lock does not have, such as that of a new " +
			"ExternalSecret in a pull request: fail prints nothing; spec lets its manifest count, with a finding.",
		field: valueOr(func(s *Settings) *Setting[NotLocked] { return &s.NotLocked }, NotLockedFail),
	},
	{
		Name: "secrets.onError", In: InFile,
		Flag: "on-error", Group: GroupStamp,
		Usage:   "what to do where a store does not answer",
		Example: "fail",
		About: "What a run under the policy live does where a look-up in a store fails, whatever the reason: fail " +
			"prints nothing; last-known takes the versions in rollstamp.lock instead, with a finding.",
		field: text(func(s *Settings) *Setting[OnError] { return &s.OnError }, OnErrorFail),
	},
	{
		Name: "secrets.refresh", In: InFile,
		Example: "suffix",
		About: "How operators learn in the same sync that there is something new: annotate changes an annotation " +
			"of what makes the Secret; pin writes the version of the lock or the store into it; suffix lets the " +
			"Secret's name carry the digest, so that new pods wait for it; off does nothing.",
		field: valueOr(func(s *Settings) *Setting[RefreshWay] { return &s.Refresh }, RefreshAnnotate),
	},
	{
		Name: "secrets.sealed", In: InFile,
		Example: "values",
		About: "What counts of SealedSecrets: auto is their values in a run that has the sealing key, and their ciphertext in " +
			"any other; with values, one without it leaves keyed stamps of them as they are; with ciphertext, no run " +
			"decrypts them.",
		field: valueOr(func(s *Settings) *Setting[SealedRule] { return &s.Sealed }, SealedAuto),
	},
	{
		Name: "secrets.storeAddress", In: InFile,
		Example: "true",
		About: "Whether the address of a store (its server, path, region, project) counts beside its kind and " +
			"name, where the store lies in the render or the context: moving it then restarts what reads from it.",
		field: value(func(s *Settings) *Setting[bool] { return &s.StoreAddress }),
	},
	{
		Name: "secrets.ask", In: InFile,
		Example: "[SecretProviderClass, argocd-vault-plugin, OnePasswordItem]",
		About: "What is asked for under the policies lock and live besides ExternalSecrets and their like, and " +
			"counts by its manifest otherwise: the objects of a SecretProviderClass, where its provider is vault, " +
			"openbao, aws, azure or gcp, placeholders of argocd-vault-plugin, where a rule of the operator " +
			"names its store, and each OnePasswordItem. To add one restarts what reads it, once.",
		field: value(func(s *Settings) *Setting[[]AskedKind] { return &s.Ask }),
	},
	{
		Name: "apps", In: InFile, own: true,
		Example: exampleApps,
		About: "The applications of this folder, as what applies them knows them: with release, namespace, files " +
			"with values and environments. Commands without a PATH take all of them.",
		field: value(func(s *Settings) *Setting[[]AppRule] { return &s.Apps }),
	},
	{
		Name: "context", In: InFile,
		Example: "[../platform, stores.yaml]",
		About: "Other applications of the same repository, relative to this file: charts, kustomizations, folders " +
			"and files of manifests, globs, names as charts/web@prod. They are rendered as apps: describes them, and " +
			"stores, ConfigMaps and Secrets are looked up there. Nothing of them is printed.",
		field: value(func(s *Settings) *Setting[[]NonEmpty] { return &s.Context }),
	},
	{Name: "render", In: InFile, About: "Which files of a folder of plain manifests are rendered."},
	{
		Name: "render.include", In: InFile,
		Flag: "include", On: Rendering, Group: GroupRender,
		Usage:   "plain manifests: glob of the files to read, ** for any folders (default *.yaml, *.yml, *.json)",
		Example: `["*.yaml"]`,
		About:   "Globs of the files that are read, relative to the folder; *.yaml, *.yml and *.json where absent.",
		field:   texts(func(s *Settings) *Setting[[]Glob] { return &s.Include }),
	},
	{
		Name: "render.exclude", In: InFile,
		Flag: "exclude", On: Rendering, Group: GroupRender,
		Usage:   "plain manifests: glob of files or folders to leave out",
		Example: `["draft-*"]`,
		About:   "Globs of the files that are left out.",
		field:   texts(func(s *Settings) *Setting[[]Glob] { return &s.Exclude }),
	},
	{
		Name: "render.recursive", In: InFile,
		Flag: "recursive", On: Rendering, Group: GroupRender,
		Usage:   "plain manifests: read the folders below, too",
		Example: "true",
		About:   "Whether folders in the folder are read too.",
		field:   boolean(func(s *Settings) *Setting[bool] { return &s.Recursive }),
	},
	{
		Name: "render.foreignChecksums", In: InFile,
		Example: "replace",
		About: "What becomes of the hashes that charts write into pod templates, which move with labels and " +
			"versions: keep leaves them, drop takes them out of workloads that are stamped, replace only of those " +
			"that get a stamp in their place. Under replace a hash stays that may be of content which the render does " +
			"not hold.",
		field: valueOr(func(s *Settings) *Setting[Foreign] { return &s.ForeignChecksums }, ForeignKeep),
	},
	{
		Name: "render.foreignAnnotations", In: InFile,
		Example: "[checksum/*]",
		About: "Globs of the annotations that are such hashes; * matches all but a slash. checksum/*, checksum-*, " +
			"*/checksum, config-hash and */config-hash where absent.",
		field: valueOr(func(s *Settings) *Setting[[]Glob] { return &s.ForeignAnnotations }, foreignAnnotations),
	},
	{
		Name: "argocd", In: InFile,
		Example: exampleArgoCD,
		About:   "Options of an application that Argo CD renders with rollstamp as its plugin.",
		field:   value(func(s *Settings) *Setting[ArgoCD] { return &s.argoCD }),
		show:    func(s *Settings) (any, Source) { return argoOptions(s.where), s.argoCD.Source },
	},
	{Name: "flux", In: InFile, About: "How stamps get to a cluster that Flux applies."},
	{
		Name: "flux.write", In: InFile,
		Example: "inPlace",
		About: "Where rollstamp flux stamp writes the stamps of what a Kustomization applies: patches into the " +
			"Kustomization; inPlace into the manifests where they lie in Git as they are and nothing else reads their " +
			"file, else patches.",
		field: valueOr(func(s *Settings) *Setting[FluxWrite] { return &s.FluxWrite }, WritePatches),
	},
	{
		Name: "deny", In: InFile, Hidden: true,
		Example: "[network, exec-plugins, outside-root]",
		About: "Permissions that this tree renounces, even where the operator grants them. A file can never grant " +
			"one.",
		field: value(func(s *Settings) *Setting[[]Permission] { return &s.denied }),
	},
}
