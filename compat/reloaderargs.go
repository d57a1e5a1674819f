package compat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/refs"
)

// reloaderArgs is what a controller of Reloader was started with, as far as it changes what it restarts.
type reloaderArgs struct {
	names                              reloaderNames
	autoReloadAll, csi, rollouts       bool
	ignoredKinds                       []string // of objects
	ignoredWorkloads                   []string // kinds
	namespaces, ignoredNamespaces      []string
	namespaceSelector, objectsSelector config.Selector
	given                              bool     // there are arguments
	malformed                          []string // what is wrong with them
}

// reloaderNames are the annotations of Reloader, which arguments rename.
type reloaderNames struct {
	auto, search, match, ignore, pause string
	typedAuto, named, exclude          map[string]string // by kind of object
}

func defaultReloaderNames() reloaderNames {
	by := func(format string) map[string]string {
		return map[string]string{
			refs.ConfigMap:           fmt.Sprintf(format, "configmap"),
			refs.Secret:              fmt.Sprintf(format, "secret"),
			refs.SecretProviderClass: fmt.Sprintf(format, "secretproviderclass"),
		}
	}
	return reloaderNames{
		auto: "reloader.stakater.com/auto", search: "reloader.stakater.com/search",
		match: "reloader.stakater.com/match", ignore: "reloader.stakater.com/ignore",
		pause:     "deployment.reloader.stakater.com/pause-period",
		typedAuto: by("%s.reloader.stakater.com/auto"), named: by("%s.reloader.stakater.com/reload"),
		exclude: map[string]string{
			refs.ConfigMap:           "configmaps.exclude.reloader.stakater.com/reload",
			refs.Secret:              "secrets.exclude.reloader.stakater.com/reload",
			refs.SecretProviderClass: "secretproviderclasses.exclude.reloader.stakater.com/reload",
		},
	}
}

// reloaderFlags are the arguments that change what is restarted.
var reloaderFlags = map[string]func(a *reloaderArgs, value string) error{
	"auto-reload-all":                  setBool(func(a *reloaderArgs) *bool { return &a.autoReloadAll }),
	"enable-csi-integration":           setBool(func(a *reloaderArgs) *bool { return &a.csi }),
	"is-Argo-Rollouts":                 setBool(func(a *reloaderArgs) *bool { return &a.rollouts }),
	"is-argo-rollouts":                 setBool(func(a *reloaderArgs) *bool { return &a.rollouts }),
	"namespaces":                       addList(func(a *reloaderArgs) *[]string { return &a.namespaces }),
	"namespaces-to-ignore":             addList(func(a *reloaderArgs) *[]string { return &a.ignoredNamespaces }),
	"resources-to-ignore":              addKinds(objectKinds, func(a *reloaderArgs) *[]string { return &a.ignoredKinds }),
	"ignored-workload-types":           addKinds(jobKinds, func(a *reloaderArgs) *[]string { return &a.ignoredWorkloads }),
	"namespace-selector":               setSelector(namespacesSelected),
	"resource-label-selector":          setSelector(objectsSelected),
	"auto-annotation":                  setName(func(n *reloaderNames) *string { return &n.auto }),
	"auto-search-annotation":           setName(func(n *reloaderNames) *string { return &n.search }),
	"search-match-annotation":          setName(func(n *reloaderNames) *string { return &n.match }),
	"ignore-annotation":                setName(func(n *reloaderNames) *string { return &n.ignore }),
	"configmap-auto-annotation":        setNameOf(typedAuto, refs.ConfigMap),
	"secret-auto-annotation":           setNameOf(typedAuto, refs.Secret),
	"configmap-annotation":             setNameOf(named, refs.ConfigMap),
	"secret-annotation":                setNameOf(named, refs.Secret),
	"pause-deployment-annotation":      setName(func(n *reloaderNames) *string { return &n.pause }),
	"pause-deployment-time-annotation": func(*reloaderArgs, string) error { return nil },
}

// otherReloaderFlags are Reloader's arguments that change nothing of what is restarted.
var otherReloaderFlags = []string{
	"reload-strategy", "reload-on-create", "reload-on-delete", "sync-after-restart", "enable-ha", "webhook-url",
	"log-format", "log-level", "enable-pprof", "pprof-addr", "secretproviderclass-auto-annotation",
	"secretproviderclass-annotation",
}

var (
	objectKinds = map[string]string{"configmaps": refs.ConfigMap, "secrets": refs.Secret,
		"configMaps": refs.ConfigMap}
	jobKinds = map[string]string{"jobs": "Job", "cronjobs": "CronJob"}
)

// isSwitch reports whether an argument of Reloader takes a value behind an equals sign alone: what follows it is
// another argument.
func isSwitch(name string) bool {
	switch name {
	case "auto-reload-all", "enable-csi-integration", "sync-after-restart", "enable-ha", "enable-pprof":
		return true
	}
	return false
}

// argument is one argument of Reloader's container.
type argument struct {
	flag, name, value string
	isSet             bool // there is a value, if an empty one
}

// cutArgument returns the first of some arguments, and those behind it.
func cutArgument(args []string) (a argument, rest []string) {
	a.flag, a.value, a.isSet = strings.Cut(args[0], "=")
	a.name, rest = strings.TrimLeft(a.flag, "-"), args[1:]
	if !a.isSet && a.isFlag() && !isSwitch(a.name) && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		a.value, a.isSet, rest = rest[0], true, rest[1:]
	}
	return a, rest
}

func (a *argument) isFlag() bool { return a.name != a.flag }

// isOptional reports whether the argument means something without a value.
func (a *argument) isOptional() bool {
	return isSwitch(a.name) || strings.EqualFold(a.name, "is-argo-rollouts")
}

// parseReloaderArgs reads arguments as Reloader's Deployment has them: --name=value, --name value, or --name alone.
func parseReloaderArgs(args []string) reloaderArgs {
	a := reloaderArgs{names: defaultReloaderNames(), given: len(args) > 0}
	for before := ""; len(args) > 0; {
		text := args[0]
		var one argument
		one, args = cutArgument(args)
		set, known := reloaderFlags[one.name]
		switch {
		case !one.isFlag() || !known && !slices.Contains(otherReloaderFlags, one.name):
			a.malformed = append(a.malformed, noArgument(text, before))
		case !one.isSet && !one.isOptional():
			a.malformed = append(a.malformed, one.flag+": it needs a value")
		case known:
			if err := set(&a, one.value); err != nil {
				a.malformed = append(a.malformed, one.flag+": "+err.Error())
			}
		}
		before = one.flag
	}
	return a
}

// noArgument returns what is wrong with a text that is none of Reloader's arguments, and follows one of them.
func noArgument(text, before string) string {
	flag, _, _ := strings.Cut(text, "=")
	problem := diag.Quote(flag) + " is no argument of Reloader"
	switch {
	case strings.ContainsAny(flag, " \t"):
		problem += ": an item of the list is one argument, without blanks around its name"
	case isSwitch(strings.TrimLeft(before, "-")) && !strings.HasPrefix(text, "-"):
		problem += ": a value goes behind an equals sign, as in " + before + "=" + text
	}
	return problem
}

// dropGlobal drops arguments that Reloader does not look at where it is told which namespaces it watches, and returns
// what is to be reported of them.
func (a *reloaderArgs) dropGlobal() (dropped []string) {
	if len(a.namespaces) == 0 {
		return nil
	}
	const why = ": Reloader does not look at it beside --namespaces"
	if len(a.ignoredNamespaces) > 0 {
		a.ignoredNamespaces, dropped = nil, append(dropped, "--namespaces-to-ignore"+why)
	}
	if !a.namespaceSelector.IsZero() {
		a.namespaceSelector, dropped = config.Selector{}, append(dropped, "--namespace-selector"+why)
	}
	return dropped
}

func setBool(at func(*reloaderArgs) *bool) func(*reloaderArgs, string) error {
	return func(a *reloaderArgs, value string) error {
		on, err := strconv.ParseBool(value)
		if value != "" && err != nil {
			return fmt.Errorf("%q is neither true nor false", value)
		}
		*at(a) = on || value == ""
		return nil
	}
}

func addList(at func(*reloaderArgs) *[]string) func(*reloaderArgs, string) error {
	return func(a *reloaderArgs, value string) error {
		*at(a) = append(*at(a), splitList(value)...)
		return nil
	}
}

func addKinds(kinds map[string]string, at func(*reloaderArgs) *[]string) func(*reloaderArgs, string) error {
	return func(a *reloaderArgs, value string) error {
		for _, name := range splitList(value) {
			kind, known := kinds[name]
			if !known {
				return fmt.Errorf("%q is none of the kinds that it takes", name)
			}
			*at(a) = append(*at(a), kind)
		}
		return nil
	}
}

func namespacesSelected(a *reloaderArgs) *config.Selector { return &a.namespaceSelector }

func objectsSelected(a *reloaderArgs) *config.Selector { return &a.objectsSelector }

// setSelector adds requirements to a selector. Reloader also takes key:value, and key:* for a key alone.
func setSelector(at func(*reloaderArgs) *config.Selector) func(*reloaderArgs, string) error {
	return func(a *reloaderArgs, value string) error {
		all := strings.ReplaceAll(value, ":", "=")
		if old := at(a).String(); old != "" {
			all = old + "," + all
		}
		all = strings.ReplaceAll(all, "=*", "")
		parsed, err := config.ParseSelector(all)
		if err != nil {
			return err
		}
		*at(a) = parsed
		return nil
	}
}

func setName(at func(*reloaderNames) *string) func(*reloaderArgs, string) error {
	return func(a *reloaderArgs, value string) error {
		*at(&a.names) = value
		return nil
	}
}

func typedAuto(n *reloaderNames) map[string]string { return n.typedAuto }

func named(n *reloaderNames) map[string]string { return n.named }

func setNameOf(at func(*reloaderNames) map[string]string, kind string) func(*reloaderArgs, string) error {
	return func(a *reloaderArgs, value string) error {
		at(&a.names)[kind] = value
		return nil
	}
}

// splitList returns the items of a list with commas, without blanks around them and without empty ones.
func splitList(text string) (out []string) {
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}
