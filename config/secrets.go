package config

// AskedKind is something whose versions are asked for if the user wants that.
type AskedKind string

// What can be asked for: the classes of the CSI driver for secret stores, the placeholders of a plugin, and the items
// of 1Password's operator.
const (
	AskClasses      AskedKind = "SecretProviderClass"
	AskPlaceholders AskedKind = "argocd-vault-plugin"
	AskItems        AskedKind = "OnePasswordItem"
)

// Choices lists the values.
func (AskedKind) Choices() []string {
	return []string{string(AskClasses), string(AskPlaceholders), string(AskItems)}
}

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

// SealedRule says what counts of SealedSecrets.
type SealedRule string

// The rules.
const (
	SealedAuto       SealedRule = "auto"
	SealedValues     SealedRule = "values"
	SealedCiphertext SealedRule = "ciphertext"
)

// Choices lists the values.
func (SealedRule) Choices() []string {
	return []string{string(SealedAuto), string(SealedValues), string(SealedCiphertext)}
}

// UnmarshalText takes one of Choices.
func (r *SealedRule) UnmarshalText(b []byte) error { return choose(r, string(b)) }

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
