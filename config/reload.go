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
}
