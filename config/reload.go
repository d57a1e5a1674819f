package config

// Reload is whether a change restarts workloads by itself.
type Reload string

// The ways; ReloadAuto is the default.
const (
	ReloadAuto   Reload = "auto"
	ReloadManual Reload = "manual" // a stamp stays as it was approved in the lock
)

// Choices lists the values.
func (Reload) Choices() []string { return []string{string(ReloadAuto), string(ReloadManual)} }

// UnmarshalText takes one of Choices.
func (r *Reload) UnmarshalText(b []byte) error { return choose(r, string(b)) }

// Waves is in whose words the order of workloads is written into them.
type Waves string

// The ways; WavesOff is the default.
const (
	WavesOff    Waves = "off"
	WavesArgoCD Waves = "argocd" // as argocd.argoproj.io/sync-wave
)

// Choices lists the values.
func (Waves) Choices() []string { return []string{string(WavesOff), string(WavesArgoCD)} }

// UnmarshalText takes one of Choices.
func (w *Waves) UnmarshalText(b []byte) error { return choose(w, string(b)) }

// reloadRows are the settings about changes that wait for approval.
var reloadRows = []Row{
	{
		Name: "reload", In: InFile,
		Example: "manual",
		About: "Whether a change restarts workloads: auto does; under manual a stamp stays as rollstamp approve wrote it " +
			"into the lock, and a reference without such a line gets none. An entry of workloads counts before it.",
		field: valueOr(func(s *Settings) *Setting[Reload] { return &s.Reload }, ReloadAuto),
	},
	{
		Name: "order", In: InFile,
		Example: `[{kind: Deployment, name: "*-canary"}, {namespace: staging, labels: tier=web}]`,
		About: "In which order rollstamp approve --next takes workloads that wait: those that the first entry matches, " +
			"then those of the second, and all others last.",
		field: value(func(s *Settings) *Setting[[]Match] { return &s.Order }),
	},
	{
		Name: "waves", In: InFile,
		Example: "argocd",
		About: "Whether order: is written into workloads: with argocd, as argocd.argoproj.io/sync-wave on those that have " +
			"none and are no hooks, so that one sync goes in steps. Those that the first entry matches stay in wave 0, " +
			"with everything else.",
		field: valueOr(func(s *Settings) *Setting[Waves] { return &s.Waves }, WavesOff),
	},
}
