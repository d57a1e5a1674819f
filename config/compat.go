package config

// Compat is what becomes of the annotations that people set for other tools. The zero value honours none.
type Compat struct {
	Reloader     Setting[ReloaderCompat]
	ReloaderArgs Setting[[]NonEmpty] // of the controller's container, as its Deployment has them
	WholeObjects Setting[bool]       // every key of a consumed object counts

	Wave         Setting[OtherCompat]
	Doppler      Setting[OtherCompat]
	OnePassword  Setting[OtherCompat]
	Infisical    Setting[OtherCompat]
	BankVaults   Setting[OtherCompat]
	Flagger      Setting[OtherCompat]
	VSO          Setting[OtherCompat]
	FluxOperator Setting[OtherCompat]
	Kapp         Setting[OtherCompat]
}

// ReloaderCompat is what becomes of Reloader's annotations.
type ReloaderCompat string

// The ways; ReloaderOff is the default.
const (
	ReloaderOff    ReloaderCompat = "off"
	ReloaderHonour ReloaderCompat = "honour" // what they exclude is not stamped, what they name is, all else as ever
	ReloaderOnly   ReloaderCompat = "only"   // only what Reloader would restart is stamped
)

// Choices lists the values.
func (ReloaderCompat) Choices() []string {
	return []string{string(ReloaderOff), string(ReloaderHonour), string(ReloaderOnly)}
}

// UnmarshalText takes one of Choices.
func (c *ReloaderCompat) UnmarshalText(b []byte) error { return choose(c, string(b)) }

// OtherCompat is what becomes of another tool's annotations.
type OtherCompat string

// The ways; CompatOff is the default.
const (
	CompatOff    OtherCompat = "off"
	CompatHonour OtherCompat = "honour" // what they exclude is not stamped, what they name is, all else as ever
)

// Choices lists the values.
func (OtherCompat) Choices() []string { return []string{string(CompatOff), string(CompatHonour)} }

// UnmarshalText takes one of Choices.
func (c *OtherCompat) UnmarshalText(b []byte) error { return choose(c, string(b)) }

// compatRows are the settings about other tools' annotations.
var compatRows = []Row{
	{Name: "compat", In: InFile, About: "What becomes of the annotations that people set for other tools."},
	{
		Name: "compat.reloader", In: InFile,
		Example: "honour",
		About: "Annotations of Stakater's Reloader: honour leaves out what they exclude or ignore, adds what they name, " +
			"and finds all else as ever; only stamps exactly the workloads that Reloader would restart.",
		field: valueOr(func(s *Settings) *Setting[ReloaderCompat] { return &s.Compat.Reloader }, ReloaderOff),
	},
	{
		Name: "compat.reloaderArgs", In: InFile,
		Example: "[--auto-reload-all=true, --namespaces-to-ignore=kube-system]",
		About: "Arguments of Reloader's container, as they stand in its Deployment, where they change what it restarts " +
			"or how its annotations are called.",
		field: value(func(s *Settings) *Setting[[]NonEmpty] { return &s.Compat.ReloaderArgs }),
	},
	{
		Name: "compat.wholeObjects", In: InFile,
		Example: "true",
		About: "Whether every key of an object counts for whoever reads one of them, as it does for tools that know no " +
			"keys.",
		field: boolean(func(s *Settings) *Setting[bool] { return &s.Compat.WholeObjects }),
	},
	otherCompat("wave", "Annotations of Wave, wave.pusher.com/update-on-config-change, extra-configmaps and "+
		"extra-secrets.",
		func(c *Compat) *Setting[OtherCompat] { return &c.Wave }),
	otherCompat("doppler", "The annotation of Doppler's operator, secrets.doppler.com/reload, for what a DopplerSecret "+
		"makes.",
		func(c *Compat) *Setting[OtherCompat] { return &c.Doppler }),
	otherCompat("onepassword", "The annotation of 1Password's operator, operator.1password.io/auto-restart, on objects, "+
		"workloads and Namespaces, in this order.",
		func(c *Compat) *Setting[OtherCompat] { return &c.OnePassword }),
	otherCompat("infisical", "The annotation of Infisical's operator, secrets.infisical.com/auto-reload, for what its "+
		"objects make.",
		func(c *Compat) *Setting[OtherCompat] { return &c.Infisical }),
	otherCompat("bankvaults", "The annotation of Bank-Vaults' reloader, "+
		"secrets-reloader.security.bank-vaults.io/reload-on-secret-change, for what a pod template takes from Vault by "+
		"itself.",
		func(c *Compat) *Setting[OtherCompat] { return &c.BankVaults }),
	otherCompat("flagger", "The annotation of Flagger, flagger.app/config-tracking, on ConfigMaps and Secrets.",
		func(c *Compat) *Setting[OtherCompat] { return &c.Flagger }),
	otherCompat("vso", "The rolloutRestartTargets of the Vault Secrets Operator's objects.",
		func(c *Compat) *Setting[OtherCompat] { return &c.VSO }),
	otherCompat("fluxoperator", "The annotation of Flux Operator, fluxcd.controlplane.io/checksumFrom, on pod templates.",
		func(c *Compat) *Setting[OtherCompat] { return &c.FluxOperator }),
	otherCompat("kapp", "The annotation of kapp, kapp.k14s.io/versioned: what gets a name for each version restarts by "+
		"it.",
		func(c *Compat) *Setting[OtherCompat] { return &c.Kapp }),
}

func otherCompat(name, about string, at func(*Compat) *Setting[OtherCompat]) Row {
	return Row{Name: "compat." + name, In: InFile, Example: "honour",
		About: about + " honour leaves out what they exclude, adds what they name, and finds all else as ever.",
		field: valueOr(func(s *Settings) *Setting[OtherCompat] { return at(&s.Compat) }, CompatOff)}
}
