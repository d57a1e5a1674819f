package compat

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// reloaderDomain ends the domains of Reloader's annotations.
const reloaderDomain = "reloader.stakater.com"

// reloaderKeys are all annotations that Reloader reads or writes under its own domain.
var reloaderKeys = func() []string {
	n := defaultReloaderNames()
	keys := []string{n.auto, n.search, n.match, n.ignore, n.pause, rolloutStrategy,
		reloaderDomain + "/last-reloaded-from", "deployment." + reloaderDomain + "/paused-at"}
	for _, kind := range objectsOfReloader {
		keys = append(keys, n.typedAuto[kind], n.named[kind], n.exclude[kind])
	}
	return keys
}()

// UnknownToReloader returns why an annotation under Reloader's domain does nothing, perhaps with what was meant:
// Reloader has none of that name. It is "" for its own, and for those of others.
func UnknownToReloader(annotation string) string {
	domain, _, _ := strings.Cut(annotation, "/")
	isOurs := domain == reloaderDomain || strings.HasSuffix(domain, "."+reloaderDomain)
	if !isOurs || slices.Contains(reloaderKeys, annotation) {
		return ""
	}
	return "is no annotation of Reloader" + config.Suggest(annotation, reloaderKeys)
}

// reportUnknown reports annotations under Reloader's domain that it does not have, at a workload or its pod template,
// but for those that arguments give that name.
func (r *reloader) reportUnknown(w *Workload, annotations manifest.Node) {
	for k, v := range annotations.Entries() {
		key := k.Field()
		if !strings.Contains(key, reloaderDomain) || r.args.names.has(key) {
			continue
		}
		if why := UnknownToReloader(key); why != "" {
			w.Report(diag.New(diag.BadCompat, w.Object.String(), strings.Clone(key)+" "+why), v.Offset())
		}
	}
}

// has reports whether an annotation has one of the names.
func (n *reloaderNames) has(key string) bool {
	for _, kind := range objectsOfReloader {
		if key == n.typedAuto[kind] || key == n.named[kind] || key == n.exclude[kind] {
			return true
		}
	}
	return slices.Contains([]string{n.auto, n.search, n.match, n.ignore, n.pause}, key)
}
