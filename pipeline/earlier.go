package pipeline

import (
	"bytes"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/render"
)

// earlierOf returns the manifests that were rendered of an application before, where contents of them are to be kept;
// else nil.
func earlierOf(a *app.Application, out *render.Output) ([]byte, error) {
	if s := a.Settings(); s.Suffix.Keep.Value == 0 || !mayRename(s, out.Text) {
		return nil, nil
	}
	return a.Earlier()
}

// mayRename reports whether the strategy suffix may be in force for a workload.
func mayRename(s *config.Settings, text []byte) bool {
	return s.Strategy.Value == config.StrategySuffix ||
		slices.ContainsFunc(s.Workloads.Value,
			func(w config.WorkloadRule) bool { return w.Strategy == config.StrategySuffix }) ||
		bytes.Contains(text, []byte(policy.WayAnnotation))
}
