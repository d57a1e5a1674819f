package config

// Strategy is how a digest gets into a workload, as rollstamp.dev/strategy spells it.
type Strategy string

// The strategies; StrategyAnnotation is the default.
const (
	StrategyAnnotation Strategy = "annotation"
	StrategyNone       Strategy = "none" // nothing is written, and earlier stamps go
)

// Choices lists the values.
func (Strategy) Choices() []string { return []string{string(StrategyAnnotation), string(StrategyNone)} }

// UnmarshalText takes one of Choices.
func (s *Strategy) UnmarshalText(b []byte) error { return choose(s, string(b)) }

// strategyRows are the settings about how digests are written.
var strategyRows = []Row{
	{
		Name: "strategy", In: InFile,
		Example: "none",
		About: "How digests get into workloads: annotation writes them into the annotations of the pod template; none " +
			"only reports them, and earlier stamps go. An entry of workloads and the annotation rollstamp.dev/strategy of " +
			"a workload count before it.",
		field: valueOr(func(s *Settings) *Setting[Strategy] { return &s.Strategy }, StrategyAnnotation),
	}, {
		Name: "combined", In: InFile,
		Example: "true",
		About: "Whether a pod template gets one annotation for all that it consumes, instead of one for each object. An " +
			"entry of workloads counts before it.",
		field: boolean(func(s *Settings) *Setting[bool] { return &s.Combined }),
	},
}
