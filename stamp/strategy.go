package stamp

import (
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// templateStrategies are the strategies for pod templates. The first row that applies is in force.
var templateStrategies = []templateStrategy{
	{applies: isExcluded, strategy: func(*template) strategy { return untouched{} }},
	{applies: always, strategy: func(t *template) strategy { return annotations{t.slot} }},
}

// templateStrategy is how what is wanted for a pod template is written.
type templateStrategy struct {
	applies  func(*config.Settings, *template) bool
	strategy func(*template) strategy
}

func isExcluded(_ *config.Settings, t *template) bool { return t.slot == nil }

func always(*config.Settings, *template) bool { return true }

// templateStrategyOf returns the strategy of a pod template.
func templateStrategyOf(s *config.Settings, t *template) strategy {
	row := slices.IndexFunc(templateStrategies, func(row templateStrategy) bool { return row.applies(s, t) })
	return templateStrategies[row].strategy(t)
}

// refreshers are the strategies for objects whose operator fetches what stamped workloads consume, by the setting
// that chooses them.
var refreshers = map[config.RefreshWay]refresher{
	config.RefreshAnnotate: {annotates: true},
	config.RefreshPin:      {annotates: true, also: pinVersions},
	config.RefreshSuffix:   {annotates: true, renames: true},
	config.RefreshOff:      {},
}

// refresher is how a stamped workload does not start with what the operator fetched before.
type refresher struct {
	// a digest in the object's annotations makes its operator fetch
	annotates bool
	renames   bool                                                   // the Secret's name carries its digest
	also      func(*run, *objects.Producer, *objects.Object) outcome // what else is written into the object
}

// refresherOf returns the row in force.
func refresherOf(s *config.Settings) refresher {
	if row, known := refreshers[s.Refresh.Value]; known {
		return row
	}
	return refreshers[config.RefreshAnnotate]
}
