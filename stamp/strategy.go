package stamp

import (
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// templateStrategies are the strategies for pod templates. The first row that applies is in force.
var templateStrategies = []templateStrategy{
	{applies: isReportOnly, locate: locateNothing},
	{applies: isEnvironment, locate: locateEnvironment},
	{applies: isCombined, locate: locateCombined},
	{applies: always, locate: locateAnnotations},
}

// templateStrategy is how what is wanted for a pod template is written.
type templateStrategy struct {
	// applies reports whether it is the one for a template, of which all is known but where stamps go.
	applies func(*template) bool
	// locate finds where in the template stamps go. The errors are those of splice.Locate: where text cannot be changed
	// in place, the document is encoded again, and the template of that is located.
	locate func(location) (strategy, error)
}

// location is a pod template in which the place for stamps is looked for, and what is in force there.
type location struct {
	refs.Template
	way      config.Strategy
	combined bool // one stamp is for all references
	all      bool // of the containers get stamps
	prefix   hashing.Prefix
	clone    func(*manifest.Document) *manifest.Document // returns one that outlives the reading
	claim    claim                                       // of stamps, and of what is removed of other tools
	key      *hashing.Key                                // nil for plain digests
}

func always(*template) bool { return true }

// templateStrategyOf returns the row for a pod template.
func templateStrategyOf(t *template) *templateStrategy {
	row := slices.IndexFunc(templateStrategies, func(row templateStrategy) bool { return row.applies(t) })
	return &templateStrategies[row]
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
