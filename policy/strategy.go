package policy

import (
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/refs"
)

// Strategy returns how digests get into a template. The annotation counts before the configuration. Where env is asked
// for and no containers are known, it is none.
func (w *Workload) Strategy(t refs.Template) config.Strategy {
	text, offset := w.annotation(t, WayAnnotation)
	strategy := config.Strategy(text)
	if text != "" && !slices.Contains(strategy.Choices(), text) {
		w.badValue(WayAnnotation, text, offset, strategy.Choices())
		strategy = ""
	}
	if rule := w.rule(); strategy == "" && rule != nil {
		strategy = rule.Strategy
	}
	if strategy == "" {
		strategy = w.Settings.Strategy.Value
	}
	if strategy == config.StrategyNone && len(t.References) > 0 {
		w.Report(diag.New(diag.ReportOnly, w.Object.String(), "nothing is written: the strategy is none"),
			w.Object.Node.Offset())
	}
	hasContainers := t.PodSpec.Get("containers").IsSeq()
	if strategy == config.StrategyEnv && !hasContainers && len(t.References) > 0 {
		w.Report(diag.New(diag.BadStrategy, w.Object.String(),
			"nothing is written: its containers are not known here, and the strategy is env"), w.Object.Node.Offset())
	}
	if strategy == config.StrategyEnv && !hasContainers {
		return config.StrategyNone
	}
	return strategy
}

// AllContainers reports whether the strategy env writes into every container of a template of the workload.
func (w *Workload) AllContainers() bool {
	if rule := w.rule(); rule != nil && rule.AllContainers != nil {
		return *rule.AllContainers
	}
	return w.Settings.AllContainers.Value
}

// Combined reports whether one annotation holds the digest of all that a template of the workload consumes.
func (w *Workload) Combined() bool {
	if rule := w.rule(); rule != nil && rule.Combined != nil {
		return *rule.Combined
	}
	return w.Settings.Combined.Value
}
