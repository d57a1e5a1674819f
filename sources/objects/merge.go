package objects

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
)

// A merge returns how what a producer makes joins a ConfigMap or Secret of that name in the input.
type merge func(producer, own manifest.Object) config.MergeStrategy

// always returns a merge that does not depend on the objects.
func always(strategy config.MergeStrategy) merge {
	return func(_, _ manifest.Object) config.MergeStrategy { return strategy }
}
