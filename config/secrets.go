package config

// SecretsRule says what stands for values that are in no manifest.
type SecretsRule struct {
	// spec takes what the manifests say, without asking anybody; lock the versions in rollstamp.lock; live those that the stores give, where the operator allows to ask.
	Policy SecretPolicy `yaml:"policy"`
	// What a run under the policy live does where a look-up in a store fails, whatever the reason: fail prints nothing; last-known takes the versions in rollstamp.lock instead, with a finding.
	OnError OnError `yaml:"onError"`
	// How operators learn in the same sync that there is something new: annotate changes an annotation of what makes the Secret; pin writes the version of the lock or the store into it; suffix lets the Secret's name carry the digest, so that new pods wait for it; off does nothing.
	Refresh RefreshWay `yaml:"refresh"`
	// Whether the address of a store (its server, path, region, project) counts beside its kind and name, where the store lies in the render or the context: moving it then restarts what reads from it.
	StoreAddress bool `yaml:"storeAddress"`
	// What is asked for under the policies lock and live beside ExternalSecrets and their like, and counts by its manifest otherwise: the objects of a SecretProviderClass, where its provider is vault, openbao, aws, azure or gcp, and placeholders of argocd-vault-plugin, where a rule of the operator says what its store is. To add one restarts what reads it, once.
	Ask []AskedKind `yaml:"ask"`
}

// AskedKind is something whose versions are asked for if the user wants that.
type AskedKind string

// What can be asked for: the classes of the CSI driver for secret stores, and the placeholders of a plugin.
const (
	AskClasses      AskedKind = "SecretProviderClass"
	AskPlaceholders AskedKind = "argocd-vault-plugin"
)

// Choices lists the values.
func (AskedKind) Choices() []string { return []string{string(AskClasses), string(AskPlaceholders)} }

// UnmarshalText takes one of Choices.
func (a *AskedKind) UnmarshalText(b []byte) error { return choose(a, string(b)) }

// SecretPolicy says where the versions of external secrets come from.
type SecretPolicy string

// The policies.
const (
	PolicySpec SecretPolicy = "spec"
	PolicyLock SecretPolicy = "lock"
	PolicyLive SecretPolicy = "live"
)

// Choices lists the values.
func (SecretPolicy) Choices() []string {
	return []string{string(PolicySpec), string(PolicyLock), string(PolicyLive)}
}

// UnmarshalText takes one of Choices.
func (p *SecretPolicy) UnmarshalText(b []byte) error { return choose(p, string(b)) }

// RefreshWay says how an operator learns that it has to fetch again.
type RefreshWay string

// The ways.
const (
	RefreshAnnotate RefreshWay = "annotate"
	RefreshPin      RefreshWay = "pin"
	RefreshSuffix   RefreshWay = "suffix"
	RefreshOff      RefreshWay = "off"
)

// Choices lists the values.
func (RefreshWay) Choices() []string {
	return []string{string(RefreshAnnotate), string(RefreshPin), string(RefreshSuffix), string(RefreshOff)}
}

// UnmarshalText takes one of Choices.
func (r *RefreshWay) UnmarshalText(b []byte) error { return choose(r, string(b)) }

// OnError says what becomes of a run when a store does not answer.
type OnError string

// The ways out.
const (
	OnErrorFail      OnError = "fail"
	OnErrorLastKnown OnError = "last-known"
)

// Choices lists the values.
func (OnError) Choices() []string { return []string{string(OnErrorFail), string(OnErrorLastKnown)} }

// UnmarshalText takes one of Choices.
func (o *OnError) UnmarshalText(b []byte) error { return choose(o, string(b)) }
