package compat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/config"
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
	unknown                            []string // that are none of Reloader's
	malformed                          []string // what is wrong with a value
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

// parseReloaderArgs reads arguments as Reloader's Deployment has them: --name=value, --name value, or --name alone.
func parseReloaderArgs(args []string) reloaderArgs {
	a := reloaderArgs{names: defaultReloaderNames(), given: len(args) > 0}
	for i := 0; i < len(args); i++ {
		flag, value, joined := strings.Cut(args[i], "=")
		name := strings.TrimLeft(flag, "-")
		if name == flag {
			a.unknown = append(a.unknown, args[i])
			continue
		}
		if !joined && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			i++
			value = args[i]
		}
		set, known := reloaderFlags[name]
		switch {
		case known:
			if err := set(&a, value); err != nil {
				a.malformed = append(a.malformed, flag+": "+err.Error())
			}
		case !slices.Contains(otherReloaderFlags, name):
			a.unknown = append(a.unknown, flag)
		}
	}
	return a
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
