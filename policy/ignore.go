package policy

import (
	"strconv"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// Ignores reports whether an object is to restart nothing.
func Ignores(s *config.Settings, object *objects.Object) bool {
	skip := object.Annotation(SkipAnnotation)
	if skip == "" && len(s.Ignore.Value) == 0 {
		return false
	}
	on, _ := strconv.ParseBool(skip)
	return on || s.Ignores(object.Kind, object.Namespace, object.Name, object.Labels())
}

// BadSkip returns the value of an object's annotation that neither ignores it nor does not, "" for a good one or none.
func BadSkip(object *objects.Object) string {
	skip := object.Annotation(SkipAnnotation)
	if skip == "" {
		return ""
	}
	if _, err := strconv.ParseBool(skip); err != nil {
		return skip
	}
	return ""
}
