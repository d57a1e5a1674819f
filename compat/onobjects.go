package compat

import (
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// onObject is an annotation of a tool on what workloads refer to, where the tool knows some values alone.
type onObject struct {
	key     string
	isKnown func(value string) bool
	other   string // what any other value counts as
}

func isTrueOrFalse(value string) bool { return value == "true" || value == "false" }

func reloaderOnObjects(s *config.Settings) []onObject {
	n := parseReloaderArgs(config.Strings(s.Compat.ReloaderArgs.Value)).names
	return []onObject{{n.match, isTrueOrFalse, "false"}, {n.ignore, isTrueOrFalse, "false"}}
}

func flaggerOnObjects(*config.Settings) []onObject {
	isKnown := func(value string) bool { return strings.HasPrefix(value, "disable") || value == "enabled" }
	return []onObject{{flaggerTracking, isKnown, "enabled"}}
}

func onePasswordOnObjects(*config.Settings) []onObject {
	isKnown := func(value string) bool {
		_, err := strconv.ParseBool(strings.ToLower(value))
		return err == nil
	}
	return []onObject{{onePasswordRestart, isKnown, "false"}}
}

// ReportObject reports annotations of the tools on an object that have values which these do not know.
func (t *Tools) ReportObject(o manifest.Object, report Report) {
	if t == nil || len(t.objects) == 0 {
		return
	}
	annotations := o.Node.At("metadata", "annotations")
	if !annotations.Valid() {
		return
	}
	for _, one := range t.objects {
		value := annotations.Get(one.key)
		if text := value.StringValue(); value.Valid() && !one.isKnown(text) {
			report(diag.New(diag.BadCompat, o.String(), one.key+" is "+diag.Quote(text)+
				", which it does not know, and counts as "+one.other), value.Offset())
		}
	}
}
