package diag

import (
	"maps"
	"slices"
)

// Code names a kind of finding. Codes are part of the reports' contract: they are added, never renamed.
type Code string

// The codes, each with a row in the table below.
const (
	MissingObject      Code = "missing-object"
	MissingOptional    Code = "missing-optional-object"
	MissingKey         Code = "missing-key"
	MissingOptionalKey Code = "missing-optional-key"
	BinaryUnread       Code = "binary-data-not-read"
	MissingVariable    Code = "missing-variable"
	GeneratedEncrypted Code = "generated-from-ciphertext"
	Ciphertext         Code = "sops-ciphertext"
	Ambiguous          Code = "ambiguous-object"
	InvalidContent     Code = "invalid-content"
	ContextFailed      Code = "context-not-rendered"
	OtherApplication   Code = "other-application"
	UnstableKey        Code = "unstable-content"
	UnstableTemplate   Code = "unstable-template"
	DuplicateKey       Code = "duplicate-key"
	DuplicateObject    Code = "duplicate-object"
	MadeTwice          Code = "made-twice"
	Unmounted          Code = "unmounted-volume"
	SubPathMisses      Code = "subpath-hits-nothing"
	NotStamped         Code = "kind-not-stamped"
	SwitchedOff        Code = "switched-off"
	ReportOnly         Code = "report-only"
	BadStrategy        Code = "strategy-not-possible"
	PhantomKind        Code = "data-of-other-kind"
	PhantomStays       Code = "data-not-resolved"
	Ignored            Code = "object-ignored"
	RolledByName       Code = "rolled-by-name"
	NotHeld            Code = "not-held"
	Paused             Code = "paused"
	OnDelete           Code = "on-delete"
	UnkeyedSecret      Code = "secret-digest-not-keyed"
	PullSecret         Code = "image-pull-secret"
	Reencoded          Code = "document-reencoded"
	Capabilities       Code = "unpinned-kube-version"
	NoObjects          Code = "no-objects"
	Skipped            Code = "input-skipped"
	ValuesUnused       Code = "values-not-used"
	BadMode            Code = "bad-mode"
	HashKeyReadable    Code = "hash-key-world-readable"
	OutdatedField      Code = "outdated-field"
	VariableUnused     Code = "variable-not-used"
	CacheDamaged       Code = "render-cache-damaged"
	DecrypterReadable  Code = "opener-key-world-readable"
	BadTemplate        Code = "bad-template"
	BadReference       Code = "bad-reference"
	UnusedObject       Code = "unused-object"
	UnknownConsumer    Code = "unknown-consumer"
	UnusedKey          Code = "unused-key"
	InvalidName        Code = "invalid-name"
	OtherNamespace     Code = "other-namespace"
	PlainSecret        Code = "plain-secret"
	OtherTool          Code = "other-tool"
	ForeignChecksum    Code = "foreign-checksum"
	ForeignDropped     Code = "foreign-checksum-dropped"
	JobTemplate        Code = "job-template"
	StampMissing       Code = "stamp-missing"
	StampUnchecked     Code = "stamp-not-checked"
	StampStale         Code = "stamp-stale"
	ObjectLost         Code = "object-lost"
	ObjectAdded        Code = "object-added"
	ObjectChanged      Code = "object-changed"
	UnstableOutput     Code = "output-unstable"
	BadCompat          Code = "bad-compat"
	DecisionUnused     Code = "decision-not-used"
	LineShared         Code = "lock-name-shared"
	Unapproved         Code = "not-approved"
	WaveMalformed      Code = "sync-wave-malformed"
	BindingSkipped     Code = "binding-skipped"
	BindingImmutable   Code = "binding-immutable"
	ReplicateUnused    Code = "replicate-not-used"
	ReplicateNowhere   Code = "replicate-reaches-nothing"
	UnlikeReloader     Code = "differs-from-reloader"
	ProtectedObject    Code = "protected-object"
	ProtectedApproved  Code = "protected-object-approved"
	ProtectionLoosened Code = "protection-loosened"
	ApprovalUnused     Code = "approval-not-used"
	NeededDeleted      Code = "needed-object-deleted"
	NotRefreshed       Code = "secret-not-refreshed"
	LockUnused         Code = "lock-not-used"
	OtherHashKey       Code = "lock-other-hash-key"
	InvalidProducer    Code = "invalid-producer"
	RuleMatchesNothing Code = "rule-matches-nothing"
	RuleUnused         Code = "rule-not-used"
	NotAsked           Code = "version-not-asked"
	NoVersion          Code = "version-has-none"
	ByManifest         Code = "secret-by-manifest"
	NotLocked          Code = "secret-not-locked"
	FindsNothing       Code = "search-finds-nothing"
	NotPinned          Code = "version-not-pinned"
	NotRenamed         Code = "secret-not-renamed"
	NameStays          Code = "object-not-renamed"
	EarlierUnknown     Code = "earlier-unknown"
	PruneNotWritten    Code = "prune-not-written"
	LastKnown          Code = "last-known-version"
	PluginKey          Code = "argocd-unknown-key"
	PluginValue        Code = "argocd-wrong-value"
	PluginName         Code = "argocd-plugin-name"
	PluginDiscovery    Code = "argocd-discovery"
	PluginCommand      Code = "argocd-command"
	SourceTypes        Code = "argocd-two-source-types"
	SourceParameter    Code = "argocd-parameter"
	SourceEnvironment  Code = "argocd-environment"
	SourceReference    Code = "argocd-ref-unreachable"
	SourceFollowed     Code = "argocd-ref-followed"
	SourceRefused      Code = "argocd-refused"
	SourceUnjudged     Code = "argocd-not-looked-into"
	SourceUnstable     Code = "argocd-unstable"
	SourcePaths        Code = "argocd-generate-paths"
	SourceIgnored      Code = "argocd-stamps-ignored"
	SourceSync         Code = "argocd-sync-options"
	SidecarCommand     Code = "sidecar-command"
	SidecarUser        Code = "sidecar-user"
	SidecarRoot        Code = "sidecar-privileges"
	SidecarTmp         Code = "sidecar-tmp"
	SidecarMount       Code = "sidecar-mount"
	SidecarHashKey     Code = "sidecar-hash-key"
	SidecarPolicy      Code = "sidecar-policy"
	SidecarVariable    Code = "sidecar-variable"
	SidecarResources   Code = "sidecar-resources"
	SidecarImage       Code = "sidecar-image"
	FluxSuffix         Code = "flux-suffix-before-variables"
	FluxTwice          Code = "flux-variables-twice"
	FluxPostBuild      Code = "flux-rendered-before"
	FluxRenamed        Code = "flux-workload-renamed"
	FluxUnwatched      Code = "flux-values-not-watched"
	FluxOrder          Code = "flux-applied-before"
	FluxField          Code = "flux-unknown-field"
	FluxPatch          Code = "flux-patch-without-object"
	FluxPin            Code = "flux-version-not-pinned"
	FluxPlaintext      Code = "flux-plaintext"
	FluxSecretName     Code = "flux-secret-in-name"
	FluxNoPatch        Code = "flux-no-patch"
	FluxDecryption     Code = "flux-secret-not-decrypted"
	FluxRemote         Code = "flux-remote-cluster"
	FluxSuspended      Code = "flux-suspended"
	FluxPaused         Code = "flux-provider-suspended"
	FluxStampKept      Code = "flux-stamp-kept"
	FluxLeft           Code = "flux-values-left"
	FluxObjectLeft     Code = "flux-object-left"
	FluxGenerated      Code = "flux-file-generated"
	FluxChart          Code = "flux-chart-version"
	FluxNotApplied     Code = "flux-not-applied"
	FluxOutside        Code = "flux-path-outside"
	FluxValues         Code = "flux-values-missing"
	FluxOwnValues      Code = "flux-values-own"
	FluxDependency     Code = "flux-dependency-missing"
	FluxAdditions      Code = "flux-without-additions"
	FluxResourceSet    Code = "flux-resource-set"
	FluxNumber         Code = "flux-label-number"
	FluxSourceUnused   Code = "flux-source-unused"
)

// Severity ranks findings.
type Severity string

const (
	// Info: worth knowing, nothing to do.
	Info Severity = "info"
	// Warning: probably not what was meant.
	Warning Severity = "warning"
	// Failure: will not work in the cluster as written.
	Failure Severity = "error"
)

// AtLeast reports whether s ranks at or above t.
func (s Severity) AtLeast(t Severity) bool { return rank[s] >= rank[t] }

var rank = map[Severity]int{Info: 1, Warning: 2, Failure: 3}

// Row is what the table says of one code.
type Row struct {
	Severity Severity
	Title    string // one sentence: what it means
	Hint     string // one sentence: the next step, or ""
}

// retired are codes that nothing raises any more. Configuration that names them stays valid.
var retired = []Code{"not-plain-content"}

// IsOfRun reports whether findings of a code are about the run more than about an object: a person is shown the first.
func IsOfRun(code Code) bool { return code == UnkeyedSecret }

// Codes returns the codes of the table in the order of the alphabet.
func Codes() []Code { return slices.Sorted(maps.Keys(codes)) }

// RetiredCodes returns codes that are still taken and name nothing any more.
func RetiredCodes() []Code { return slices.Clone(retired) }

// RowOf returns what the table says of a code.
func RowOf(code Code) Row { return codes[code] }

// IsKnown reports whether a configuration may name the code: it is in the table, or was once.
func IsKnown(code Code) bool {
	_, known := codes[code]
	return known || slices.Contains(retired, code)
}

var codes = map[Code]Row{
	MissingObject:      {Warning, "A workload refers to an object that is in no input.", "Name where it lies under context: in .rollstamp.yaml, or what makes it under producers:; docs/rules.md says how."},
	MissingOptional:    {Info, "An optional reference points to an object that is in no input.", ""},
	MissingKey:         {Failure, "A workload asks for a key that the object does not have: its pods do not start or, where a subPath mounts it, find an empty directory.", "Add the key, or correct its name in the reference."},
	MissingOptionalKey: {Info, "An optional reference asks for a key that the object does not have.", ""},
	BinaryUnread:       {Warning, "A workload takes a ConfigMap as variables (envFrom), and Kubernetes makes none of what is in binaryData: a variable that moves there is gone in new pods, and its digest stays as it was.", "Put the value into data, or mount the ConfigMap."},
	GeneratedEncrypted: {Warning, "A generator reads a file that SOPS encrypted, which Flux decrypts before it names the Secret: the suffix of the name is another one in the cluster.", "Decrypt it with --open-sops and its keys; without, encrypt a Secret instead of the file, or give the generator disableNameSuffixHash."},
	Ciphertext:         {Warning, "What SOPS encrypted stays ciphertext in an object that Flux applies decrypted: what depends on its values is not known here.", "Put the values into a Secret, which --open-sops decrypts, and refer to that."},
	MissingVariable:    {Warning, "A variable of Flux's postBuild has no value here, and its text was left as it is.", "Say what it is in the file of --vars, or name where its ConfigMap or Secret lies under context:."},
	Ambiguous:          {Warning, "Objects of that name lie in several namespaces and nothing determines which one is meant.", "Set the namespace, with --namespace or in the manifests."},
	OtherApplication:   {Info, "Another application of the run renders what a workload refers to. No stamp has it, because each application is stamped by itself.", "Name what renders it in context: of the configuration, and its changes restart the workload."},
	ContextFailed:      {Warning, "What context: names cannot be rendered. No stamp of this application needs it.", "Mend what it names, or take it out of context:."},
	InvalidContent:     {Failure, "The API server would refuse this ConfigMap or Secret.", "Quote the value, mend its base64, or divide what has more than 1 MiB."},
	UnstableKey:        {Warning, "The value differs from one render of the same input to the next; it is left out of the digest.", "Pass a fixed value instead of generating one at render time."},
	UnstableTemplate:   {Warning, "The pod template, or the name of the workload, differs from one render of the same input to the next, so that each render that is applied restarts the workload; of a Job each but the first is refused.", "Take what is random, or a time, out of the template: stamps restart a workload when what it reads changes."},
	DuplicateKey:       {Warning, "A key is written twice in one mapping; the last one counts.", "Remove one of the two."},
	DuplicateObject:    {Warning, "The same object is in the input twice, or two applications apply it to one cluster; the last one counts.", "Remove one of the two."},
	MadeTwice:          {Warning, "Two objects produce one ConfigMap or Secret, and neither is made to add to the other.", "Keep one of the two, or say that one adds to the other where its operator can, as with creationPolicy: Merge."},
	Unmounted:          {Info, "A volume is mounted by no container; all its keys count.", "Remove the volume, or mount it."},
	SubPathMisses:      {Warning, "No mount of the volume can hit one of its files; all its keys count.", "Check subPath against the volume's keys and items."},
	NotStamped:         {Info, "Workloads of this kind are not stamped unless asked: their template is immutable, replaces no pod, or starts afresh anyway.", "Set the annotation rollstamp.dev/mode: \"on\" to stamp it."},
	SwitchedOff:        {Info, "The workload is switched off; its stamps stay as they are.", ""},
	ReportOnly:         {Info, "The strategy of the workload is none: nothing is written into it, and earlier stamps go.", ""},
	BadStrategy:        {Warning, "The strategy of the workload cannot be written into this kind: nothing is, and it does not restart.", "Set another strategy for it: rollstamp.dev/strategy: annotation on it, or an entry of workloads."},
	PhantomKind:        {Warning, "A variable asks for the key __data of a ConfigMap where only a Secret has the name, or the other way round; that one counts.", "Write the reference for the kind that the object has: configMapKeyRef or secretKeyRef."},
	PhantomStays:       {Failure, "A variable is read from the key __data, and no digest can take its place: the pod will not start.", "Render the object with the workload, name where it lies under context:, or let the workload be stamped with rollstamp.dev/mode: \"on\"."},
	Ignored:            {Info, "The object is to be ignored, or Flux leaves it in the cluster as it is; no workload restarts for it.", ""},
	BadCompat:          {Warning, "What is written for another tool cannot be read as that tool reads it, and has no effect.", "Correct it, or take it out."},
	Unapproved:         {Info, "What a workload under reload: manual reads has a digest that is not approved: its stamp stays, and it does not restart.", "Approve it with 'rollstamp approve'."},
	WaveMalformed:      {Warning, "A workload has argocd.argoproj.io/sync-wave that is no number, where waves: writes them: Argo CD takes it for 0.", "Correct it, or take it out to get the wave by order."},
	BindingSkipped:     {Warning, "A workload that bindings chooses does not get what it says.", "Correct the binding, or the manifest; docs/policies.md says what a binding adds."},
	BindingImmutable:   {Warning, "A binding changes a workload that cannot be changed, such as a Job: where it is in the cluster already, the API server refuses the next apply.", "Leave it out of the binding's match, or have its engine replace it: as a hook, or by Replace=true,Force=true of Argo CD or kustomize.toolkit.fluxcd.io/force of Flux."},
	ReplicateUnused:    {Info, "An object that replicate names is not in this render.", "Correct its name, unless another application with the same configuration renders it."},
	ReplicateNowhere:   {Warning, "No Namespace that is known fits what replicate says of one: a namespace that nobody renders gets nothing.", "Name the namespace itself, or what renders its Namespace under context: of the configuration."},
	DecisionUnused:     {Warning, "A line of the lock is about an application or workload that is not rendered, or gets no stamps, or about what it does not read.", "Delete the line; rollstamp adopt --prune and approve --prune drop those of theirs, and restarts of what is gone."},
	LineShared:         {Warning, "Two applications have one name in the lines of a lock, so that a line about one is about both.", "Give each a name or a folder of its own."},
	UnlikeReloader:     {Info, "Reloader would restart a workload, or not, otherwise than its documentation says; rollstamp goes by the documentation.", "See docs/policies.md."},
	ProtectedObject:    {Failure, "An object that protect: names was changed, emptied or deleted, and nothing in Git approves that.", "Take the change back, or approve it: a trailer Rollstamp-Approve in a commit, or a line in a file of protect.approvals."},
	ProtectedApproved:  {Info, "An object that protect: names was changed, emptied or deleted, as Git approves.", ""},
	ProtectionLoosened: {Warning, "A rule of protect: is gone, or protects against less.", "Look at it as at a change of what it protected: from the next comparison on it does not count."},
	ApprovalUnused:     {Warning, "An approval is for nothing that changes, or names no object.", "Correct its name, or take it out."},
	NeededDeleted:      {Failure, "An object was deleted that a workload still needs.", "Keep it until no workload refers to it."},
	RolledByName:       {Info, "What makes the manifests, or kapp, changes the name of an object with its content later, or the name has a hash of kustomize already, and strategy: suffix reads the object or it was decrypted. The new name restarts its consumers, and they get no stamp of it. By default an object that kustomize's generators have named is stamped as any other: name and stamp change in one restart.", ""},
	NotHeld:            {Warning, "A workload under reload: manual reads an object whose name changes with its content, or has a hash that its chart writes. The new name or hash in the pod template restarts it with each change: that cannot wait for an approval. Of such an object there is no stamp.", "Keep the name: disableNameSuffixHash: true in the options of the generator; of the hash of a chart, set render: {foreignChecksums: replace}. Then changes wait for approval."},
	Paused:             {Info, "The workload is paused; it restarts when it is resumed.", ""},
	OnDelete:           {Info, "The update strategy is OnDelete; pods restart only when somebody deletes them.", ""},
	UnkeyedSecret:      {Warning, "Digests of Secrets are plain SHA-256; short values can be guessed from them.", "Two lines mend it: (umask 077; rollstamp hash-key new > hash-key), and export ROLLSTAMP_HASH_KEY_FILE=$PWD/hash-key. Keep the file out of Git; each digest of a Secret changes once."},
	PullSecret:         {Info, "Image pull secrets are read when an image is pulled; they restart nothing.", ""},
	Reencoded:          {Info, "What is written, an annotation or a variable, could not be spliced into the text, so this document was encoded again; the message names the notation.", ""},
	Capabilities:       {Info, "The chart reads the cluster's version or API list, which is not pinned here.", "Pin it with --kube-version or kubeVersion in .rollstamp.yaml, so that an upgrade of rollstamp cannot change the render."},
	NoObjects:          {Warning, "The render holds no object.", "Check the path and the values."},
	Skipped:            {Info, "A part of the input was left out.", ""},
	ValuesUnused:       {Warning, "Values are given, and what is rendered is no chart: they have no effect, and nobody looks whether their files are there.", "Leave them out, or render what is no chart in a run of its own."},
	BadMode:            {Warning, "An annotation of ours has a value that we do not know; it has no effect.", "Correct it, or take it out."},
	UnusedObject:       {Info, "Nothing in the application refers to this ConfigMap or Secret.", "Remove it, unless something outside of the application reads it."},
	UnknownConsumer:    {Info, "An object of a kind that is not known refers to ConfigMaps or Secrets, or reads like one that runs pods; nothing restarts them.", "Describe the kind under kinds: in .rollstamp.yaml; docs/rules.md says how."},
	UnusedKey:          {Info, "Workloads read other keys of this object, and none reads this one.", "Remove the key, unless something outside of the application reads it."},
	InvalidName:        {Failure, "The API server refuses this name.", "Use lower case letters, digits, - and . in names; letters, digits, -, _ and . in keys."},
	OtherNamespace:     {Failure, "The object is in another namespace than the workload, which cannot read it there.", "Put both into one namespace."},
	PlainSecret:        {Warning, "A Secret stands in Git in clear text.", "Encrypt it (SOPS, SealedSecret), or fetch it (ExternalSecret)."},
	OtherTool:          {Info, "Another tool restarts this workload in the cluster.", "Take its annotations out once rollstamp stamps the workload."},
	ForeignChecksum:    {Info, "The chart writes a hash of its own into the pod template, which restarts more than has to restart.", "Have it replaced: render: {foreignChecksums: replace} in .rollstamp.yaml. That restarts the workload once."},
	ForeignDropped:     {Info, "A hash that the chart wrote into the pod template is removed, as the configuration demands.", ""},
	JobTemplate:        {Warning, "The template of a Job is immutable, and this one's will change.", "Make it a hook, let the sync replace it, or take its stamps out: rollstamp.dev/mode: \"off\"."},
	StampMissing:       {Failure, "The manifests were expected to be stamped, and are not.", "Pass them through rollstamp stamp, with the same configuration and hash key. For what a chart makes at random, name the chart with verify's --against."},
	StampUnchecked:     {Failure, "The manifests have stamps with keyed digests, and this run has no hash key, or none of them is of the one that it has, so nobody can say whether they are current. Where stamps are not demanded, it is info, as it is where what a stamp is of is in nothing that the run has.", "Pass the key that they were made with: --hash-key-file, and --hash-domain where there is one."},
	StampStale:         {Warning, "The manifests have stamps of ours that are no longer those of what the pod template refers to, so whoever applies them as they are restarts too little.", "Write them again with 'rollstamp stamp --in-place', or let rollstamp render what is applied and take the stamps out of the source with 'rollstamp unstamp --in-place'."},
	ObjectLost:         {Failure, "An object went into a pipe and has not come out of it.", "Look for the command in the pipe that failed or printed nothing, and run the shell with pipefail."},
	ObjectAdded:        {Failure, "An object came out of a pipe that had not gone into it.", "Compare with what went in, rendered with the same options."},
	ObjectChanged:      {Failure, "An object came out of a pipe otherwise than it went in, but for its stamps. Where it only has more fields, it is a warning.", "Look for the command in the pipe that lost its end. Where one changes objects on purpose, compare with what comes out of it, or set severities: {object-changed: info}."},
	UnstableOutput:     {Failure, "A second run of the same command prints an object otherwise, so each run restarts something.", "Look for random values, the time or what was fetched; 'rollstamp render' names the templates of charts that do so."},
	BadTemplate:        {Warning, "The annotations of a pod template are not a mapping, so nothing can be written there.", "Correct the manifest; the API server refuses it."},
	BadReference:       {Warning, "What stands where a pod template refers to a ConfigMap or Secret is not what the API has there, so what is meant is unknown.", "Correct the manifest; the API server refuses it."},
	LockUnused:         {Warning, "The lock has no effect on this application: its configuration takes what manifests declare.", "Set secrets: {policy: lock} in .rollstamp.yaml, or pass --secrets lock to what renders, and to rollstamp lock."},
	OtherHashKey:       {Warning, "Digests of values in the lock were made with another hash key or domain than this run has, or seem to have been.", "Run it with the hash key and hashDomain that the lock was made with: with a wrong key, all digests of Secrets differ. If the key was changed on purpose, 'rollstamp lock --rekey' writes the lines again, and what reads them restarts once. If two keys are meant, turn the finding off under severities."},
	NotRefreshed:       {Warning, "The operator fetches this Secret once and never again, so consumers that restart find the old values.", "Set a refreshInterval above 0, or refreshPolicy: OnChange, and no immutable."},
	InvalidProducer:    {Warning, "An operator would refuse this object, so the Secret or ConfigMap that it makes stays as it is.", "Correct the manifest by the operator's documentation."},
	RuleMatchesNothing: {Warning, "A path of a rule under producers leads to nothing in an object that the rule is for, so nothing there can restart a workload.", "Correct the path, or the object; docs/rules.md says how paths are written."},
	RuleUnused:         {Info, "A rule of the configuration fits nothing in any application of the run.", "Correct it, or take it out, unless another run has what it is for."},
	NotAsked:           {Warning, "What makes this Secret fetches it in a way that no version can be asked for, so what its manifest says counts, and a new value in the store restarts nothing.", "Let its operator or a reloader restart the workloads after a rotation, or fetch the value by an ExternalSecret or VaultStaticSecret."},
	NoVersion:          {Info, "What makes this Secret makes its values itself, so there is no version, and what its manifest says counts.", "Where running pods have to take a new value, let them read it from a volume, or let a reloader restart them."},
	ByManifest:         {Info, "By the configuration nobody is asked for what this object fetches, so what its manifest says counts, and a new value in the store restarts nothing.", "Where a version can be asked for, take the entry out of secrets.stores and run 'rollstamp lock'; what reads the secret restarts once."},
	NotLocked:          {Warning, "The lock does not have what this object fetches, and by secrets.notLocked what its manifest says counts.", "Run 'rollstamp lock' with credentials and commit the lock; what reads the secret restarts then, if it runs already."},
	FindsNothing:       {Warning, "A search of a store finds nothing, so the Secret has no keys from it.", "Compare path, name and tags of the search with what is in the store, and check that these credentials may list it."},
	NotPinned:          {Info, "A version was to be written into an object that makes a Secret, and cannot be.", "Name the store's manifest in context:, or leave it to the annotation."},
	NotRenamed:         {Warning, "A Secret's name was to carry its digest, and cannot safely; an annotation notifies its operator instead.", "Do what the finding says, or take secrets: {refresh: annotate}."},
	NameStays:          {Warning, "The name of a ConfigMap or Secret was to carry its digest (strategy: suffix), and cannot safely: it stays, and annotations restart who reads it.", "Do what the finding says, or choose another strategy for who reads it."},
	EarlierUnknown:     {Warning, "Earlier contents of what strategy: suffix renames are looked for in the history of the repository, and some of it is not there or cannot be rendered: pods of before may not find what they read.", "Fetch more of the history with git fetch --unshallow, commit what is rendered with --output-dir, or set suffix: {keep: 0}."},
	PruneNotWritten:    {Warning, "What keeps an engine from deleting a renamed object too early (suffix.prune) is not written into it, because it has other options for that engine.", "Add what the finding names to the options that are there."},
	LastKnown:          {Warning, "A secret could not be looked up in its store; the version in rollstamp.lock stands for it.", "Correct what the finding reports; until then a rotation is not seen, nor that a key is gone from the store."},
	DecrypterReadable:  {Warning, "A file with a private key that decrypts secrets can be read by every user of this machine.", "chmod 600 it."},
	OutdatedField:      {Info, "A kustomization has a field that kustomize calls outdated.", "kustomize edit fix writes the field that takes its place; what is rendered stays the same."},
	VariableUnused:     {Warning, "A variable of a kustomization (vars) replaces nothing: no field in which kustomize looks for it has $(NAME), or its value is a list or a mapping.", "Correct its name where it is used, or its fieldpath, name the field under varReference of a file of configurations:, or take the variable out."},
	CacheDamaged:       {Warning, "An entry of the render cache is not what was written there; what it was for is rendered again.", "Nobody else is to write there: look at a folder with rollstamp cache verify; of a server, see whether its address is that of a cache."},
	HashKeyReadable:    {Warning, "The hash key file can be read by every user of this machine.", "chmod 600 it."},
	PluginKey:          {Warning, "What reads the file, such as Argo CD, does not know this key: it ignores it in silence, or refuses the file.", "Correct its spelling, or take it out."},
	PluginValue:        {Failure, "Argo CD or Kubernetes refuses this value, or reads it as something else.", ""},
	PluginName:         {Warning, "Applications cannot name the plugin as it is called.", ""},
	PluginDiscovery:    {Warning, "Discovery sends the repository to the plugin once more for each render, and for applications of others too.", "Take discover out and name the plugin in the Application."},
	PluginCommand:      {Warning, "A command of the plugin does not do what it seems to.", ""},
	SourceTypes:        {Failure, "An Application's source has two types, which Argo CD refuses.", "Move the options to plugin.parameters by hand: rollstamp argocd convert does that for a source without a plugin."},
	SourceParameter:    {Failure, "The plugin does not take this parameter as it is written.", ""},
	SourceEnvironment:  {Warning, "A variable does not reach the plugin as it is written.", ""},
	SourceReference:    {Failure, "Files of another source of the Application do not reach a plugin.", "See docs/argocd.md for what can stand in for $ref."},
	SourceFollowed:     {Info, "A repository that refs names was read at what a branch or range of versions means now. Argo CD keeps the render until the application's own repository changes, or somebody refreshes hard.", ""},
	SourceRefused:      {Failure, "The plugin refuses the source as it lies in this checkout.", "'rollstamp argocd render FILE' shows the same."},
	SourceUnjudged:     {Info, "What an Application renders, or an ApplicationSet makes, was not looked into; only what is written in the file was checked. A file of a folder that is no YAML is an error where it names argoproj.io and is no template, and a line on standard error else.", ""},
	SourceUnstable:     {Warning, "What a source renders differs from one render to the next, so that an application is never in sync for long.", "Pass a fixed value instead of generating one at render time, or name the field in ignoreDifferences."},
	SourcePaths:        {Warning, "Argo CD renders the application again at every commit, and sends the whole repository for it.", "Set the annotation to what 'rollstamp argocd paths' prints."},
	SourceIgnored:      {Warning, "Argo CD compares no stamps of an Application, so what they are to restart may not restart.", "Ignore only what others write, entry by entry: /spec/template/metadata/annotations/kubectl.kubernetes.io~1restartedAt."},
	SourceSync:         {Info, "An option of an Application's syncs changes what a stamp does.", ""},
	SidecarCommand:     {Failure, "The sidecar does not start Argo CD's plugin server.", "command: [/var/run/argocd/argocd-cmp-server]"},
	SidecarUser:        {Failure, "The sidecar does not run as the user that owns the plugin's socket.", "securityContext: {runAsNonRoot: true, runAsUser: 999}"},
	SidecarRoot:        {Warning, "The sidecar may do more than it needs.", "securityContext: {readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}"},
	SidecarTmp:         {Failure, "The sidecar has no /tmp of its own.", "Mount an emptyDir of its own at /tmp."},
	SidecarMount:       {Failure, "A mount that the plugin needs is missing.", ""},
	SidecarHashKey:     {Warning, "The hash key of the sidecar is missing, or not kept as a secret.", "Mount a Secret and name its file in ROLLSTAMP_HASH_KEY_FILE."},
	SidecarPolicy:      {Info, "No policy file of the operator limits what a render may do, or it is one that cannot be used.", "Mount a ConfigMap and name its file in ROLLSTAMP_POLICY."},
	SidecarVariable:    {Warning, "A variable of the sidecar has a name that rollstamp does not read, or a value that it refuses.", "docs/settings.md lists the variables."},
	SidecarResources:   {Warning, "The sidecar requests no CPU or memory.", "Set resources.requests."},
	SidecarImage:       {Warning, "The image is not pinned, so two pods can render differently.", "Name a version, or better a digest."},
	FluxSuffix:         {Info, "A generator's object has variables in it, and Flux puts them in after kustomize has made its name: a new value restarts nobody by the name.", "Have its consumers stamped (rollstamp flux stamp): stamps are made after variables are put in."},
	FluxTwice:          {Warning, "Objects that were rendered for Flux already go through postBuild again, which takes for variables what was escaped before.", "Take postBuild out of the Kustomization that applies them, or label them kustomize.toolkit.fluxcd.io/substitute: disabled."},
	FluxPostBuild:      {Info, "A Kustomization has postBuild over what was rendered for Flux already, such as an artifact or a branch of rollstamp's: nothing is left to put in, and what gets there without the label that excludes it is changed.", "Take postBuild out of the Kustomization."},
	FluxRenamed:        {Warning, "A workload of a chart has another name at each render, so that no patch of its HelmRelease fits it, and each upgrade makes another one.", "Set a value of the chart that names it."},
	FluxUnwatched:      {Info, "Flux sees a change of values in this ConfigMap or Secret only at the next interval of what reads them.", "Label it reconcile.fluxcd.io/watch: Enabled."},
	FluxOrder:          {Warning, "What reads a ConfigMap or Secret is applied before what renders it, or does not wait for that, so its pods may restart before the new content is there.", "Have the reader wait for it: name it in spec.dependsOn, and not the other way around."},
	FluxField:          {Warning, "An object of Flux has a field that its kind does not have, or another version of the API than Flux serves; the field has no effect here, and the API server refuses or drops it.", "Correct its spelling, or take it out; flux migrate -f FOLDER writes current versions."},
	FluxPatch:          {Warning, "A patch of a Kustomization is for an object that it does not build, so it has no effect.", "Correct its target, or take it out."},
	FluxPin:            {Warning, "A version that refresh: pin has written is in no patch of flux stamp, so the operator fetches the newest one.", "Write it into the object's file, or set refresh: annotate."},
	FluxPlaintext:      {Warning, "A value of a Secret that no manifest has in clear text, because it was decrypted, copied into a field or comes from --vars, stands in an object that is applied.", "Neither commit nor publish this render; where Flux renders it, rollstamp flux stamp writes stamps alone."},
	FluxSecretName:     {Failure, "The name of a workload, or of what it reads, holds a value of a Secret, which rollstamp flux stamp would write into Git with the stamp: it writes none, so that no change there restarts the workload.", "Set combined: true in .rollstamp.yaml for a workload that reads an object of such a name: one stamp has no names. A workload's own name is to come from something else than a Secret."},
	FluxNoPatch:        {Failure, "A workload gets its stamps in items of a list, as an Elasticsearch does. No patch of kustomize sets these without replacing the list, so rollstamp flux stamp writes none.", "Where its file is a plain manifest, write them into it: rollstamp stamp --in-place FILE. Of a chart, have CI render and push what it applies."},
	FluxDecryption:     {Failure, "A Secret is encrypted by SOPS, and its Kustomization does not decrypt it: Flux refuses to apply that Kustomization, all of it.", "Set spec.decryption of the Kustomization; where a patch of another one sets it, name that one, too."},
	FluxRemote:         {Info, "Flux applies this to another cluster, whose other objects are not known here.", "Name what lies there under context: of the configuration where its workloads read that."},
	FluxSuspended:      {Info, "Flux does not apply what is suspended; it is rendered as if it did.", ""},
	FluxPaused:         {Warning, "What a workload reads is applied by a Kustomization or HelmRelease that is suspended: a new content reaches the cluster when that is resumed, and not with its stamp.", "Resume it. Until then rollstamp flux stamp leaves this stamp as it is; where manifests are published, restart the reader after that."},
	FluxStampKept:      {Warning, "A workload has a stamp of what this run does not know: it stays as it is, and does not say whether the content is another one now.", "Name the folder of the whole cluster, and have at hand what renders it; where the object is gone for good, take the reference out."},
	FluxGenerated:      {Warning, "Stamps are written into a file that flux bootstrap writes again as a whole: each time they are lost, and their workloads restart.", "Have another Kustomization apply these workloads, from a folder of its own. Until then run flux stamp after each flux bootstrap."},
	FluxObjectLeft:     {Warning, "Flux leaves a Kustomization or HelmRelease in the cluster as it is: the patches with stamps that Git has of it have no effect there, and flux stamp writes none.", "Take the mark from the object, or have the stamps lie in what it applies: flux: {write: inPlace}."},
	FluxLeft:           {Warning, "Variables or values come from a ConfigMap or Secret that Flux leaves in the cluster as it is: those there may be others than in Git.", "Take the mark from the object, or pass the values of the cluster with --vars FILE."},
	FluxChart:          {Info, "Flux writes a digest or revision into the version of a chart, which is not known here: what templates make of the version is another one in the cluster.", "Name an image layout in --source, or the digest in spec.ref; with reconcileStrategy ChartVersion there is no revision in it."},
	FluxSourceUnused:   {Warning, "A --source names the files of a source that no Kustomization, HelmRelease or ArtifactGenerator of the run refers to: nothing is read there.", "Write KIND/NAMESPACE/NAME as the reference has it, the namespace as it is by default; else leave the flag out."},
	FluxNotApplied:     {Info, "An object lies in the folder of a Kustomization that does not apply it.", "List its file in the folder's kustomization.yaml, or name it by itself."},
	FluxOutside:        {Warning, "The path of a Kustomization leads out of its source; Flux goes on from the top of the source.", "Write the path from the top of the source."},
	FluxValues:         {Warning, "The values of an object are not known here, and what needs them stays as it is.", "Name the Kustomization that applies it, too, or pass its values with --vars FILE."},
	FluxOwnValues:      {Warning, "A Kustomization takes variables from an object that it applies itself. Flux reads them in the cluster before it applies anything: the first reconciliation fails without them, and a change counts one reconciliation after the one in which its stamps restart workloads.", "Have another Kustomization apply the object, and this one wait for it with spec.dependsOn."},
	FluxAdditions:      {Warning, "What the configuration adds to renders, such as bindings, is not in what Flux renders by itself.", "Write it into the manifests, or let Flux apply what rollstamp render --output-dir writes."},
	FluxNumber:         {Warning, "A label or annotation is a number or a boolean once variables are put in, and Kubernetes takes texts alone.", "Quote the value twice where the variable stands: '\"${NAME}\"'."},
	FluxResourceSet:    {Info, "flux-operator makes objects of a ResourceSet in the cluster; they are not known here.", "Render the ResourceSet with flux-operator's own command line (flux-operator build resourceset -f FILE), and pass what comes out: to flux build, or to rollstamp stamp."},
	FluxDependency:     {Warning, "A dependency is not among the applications of the run; Flux waits until it is there.", "Name the Kustomization that applies it, too, or correct spec.dependsOn."},
}
