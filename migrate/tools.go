package migrate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources"
)

// tool is a row of the table of tools.
type tool struct {
	name     string
	setting  string   // in compat; "" for none
	keys     []string // of its annotations, by how they begin
	markers  []string // texts without one of which an application has nothing of it, besides the keys
	groups   []string // of its objects, for what could not be rendered
	images   []string // of its controller, as parts of their names
	leaves   string   // how findings name the tool that wrote something
	handling string
	// honour changes settings so that the tool is honoured, where they do not say what is to become of it; nil for none.
	honour func(*config.Compat)
	// concerns reports whether a tool that makes objects may restart a workload; nil: all of them.
	concerns func(*plan.Workload) bool
	// restarts reports whether the tool restarts a workload; nil: it restarts none by itself.
	restarts func(*asked, *plan.Workload) bool
	// absent reports whether the tool restarts a workload for a ConfigMap or Secret that the application does not have, as
	// far as the workload decides that; nil: for none.
	absent func(*asked, *plan.Workload, *plan.Reference) bool
	makers []string // the kinds for which it makes Secrets, where it restarts workloads for these alone
}

// mayMake reports whether the tool restarts workloads for what an object produces, as messages name that; "" for what
// lies in the manifests.
func (t *tool) mayMake(producer string) bool {
	kind, _, _ := strings.Cut(producer, " ")
	return len(t.makers) == 0 || slices.Contains(t.makers, kind)
}

// has reports whether an annotation is of the tool.
func (t *tool) has(key string) bool {
	return slices.ContainsFunc(t.keys, func(begin string) bool { return strings.HasPrefix(key, begin) })
}

// The names of tools that are asked for elsewhere.
const (
	reloader = "Reloader"
	vso      = "Vault Secrets Operator"
	kyverno  = "Kyverno"
	external = "External Secrets' reloader"

	checksums = "Checksums in annotations"
)

// infisicalKinds are the kinds for which Infisical's operator makes Secrets.
var infisicalKinds = []string{"InfisicalSecret", "InfisicalDynamicSecret", "InfisicalStaticSecret"}

// externalGroup is the API group of External Secrets' reloader, as its annotations begin, too.
const externalGroup = "reloader.external-secrets.io"

// tools returns the table of tools: controllers whose words are settings, then what has none.
func tools() []tool { return append(honoured(), others()...) }

// honoured returns the tools whose annotations a setting has followed.
func honoured() []tool {
	leavesOut := "leaves out what they exclude, adds what they name, and finds all else by itself"
	on := config.CompatHonour
	return []tool{
		{name: reloader, setting: "compat.reloader", leaves: "Reloader", keys: []string{
			"reloader.stakater.com/", "configmap.reloader.stakater.com/", "secret.reloader.stakater.com/",
			"secretproviderclass.reloader.stakater.com/", "configmaps.exclude.reloader.stakater.com/",
			"secrets.exclude.reloader.stakater.com/", "secretproviderclasses.exclude.reloader.stakater.com/",
			"deployment.reloader.stakater.com/",
		}, markers: []string{"STAKATER_"}, images: []string{"stakater/reloader"}, handling: leavesOut,
			honour: func(c *config.Compat) {
				if c.Reloader.Source == config.Default {
					c.Reloader.Value = config.ReloaderHonour
				}
			},
			restarts: func(*asked, *plan.Workload) bool { return false }, // see compareReloader
			absent:   func(*asked, *plan.Workload, *plan.Reference) bool { return true },
		},
		{name: "Wave", setting: "compat.wave", leaves: "Wave", keys: []string{"wave.pusher.com/"},
			images: []string{"pusher/wave", "wave-k8s/wave"}, handling: leavesOut, honour: honour(wave, on),
			restarts: optedIn("wave.pusher.com/"), absent: asOptedIn("wave.pusher.com/")},
		{name: "Doppler", setting: "compat.doppler", leaves: "the Doppler operator",
			keys: []string{"secrets.doppler.com/"}, handling: leavesOut, honour: honour(doppler, on),
			concerns: made("DopplerSecret"), restarts: optedIn("secrets.doppler.com/"),
			absent: unmade(optedIn("secrets.doppler.com/"), "DopplerSecret"), makers: []string{"DopplerSecret"}},
		{name: "1Password", setting: "compat.onepassword", leaves: "the 1Password operator",
			keys: []string{"operator.1password.io/auto-restart", "operator.1password.io/last-restarted"}, handling: leavesOut,
			honour: honour(onePassword, on), concerns: made(compat.MadeByOnePassword...), restarts: byOnePassword,
			absent: unmade(byOwnOnePassword, compat.MadeByOnePassword...), makers: compat.MadeByOnePassword},
		{name: "Infisical", setting: "compat.infisical", leaves: "the Infisical operator",
			keys: []string{"secrets.infisical.com/"}, handling: leavesOut, honour: honour(infisical, on),
			concerns: made(infisicalKinds...), restarts: optedIn("secrets.infisical.com/"),
			absent: unmade(optedIn("secrets.infisical.com/"), infisicalKinds...), makers: infisicalKinds},
		{name: "Bank-Vaults", setting: "compat.bankvaults", leaves: "the Vault secrets reloader",
			keys:   []string{"secrets-reloader.security.bank-vaults.io/"},
			images: []string{"bank-vaults/vault-secrets-reloader"}, handling: leavesOut, honour: honour(bankVaults, on),
			concerns: func(w *plan.Workload) bool {
				return slices.ContainsFunc(w.References, func(r plan.Reference) bool { return r.Kind == sources.Vault })
			}, restarts: optedIn("secrets-reloader.security.bank-vaults.io/")},
		{name: "Flagger", setting: "compat.flagger", keys: []string{"flagger.app/config-tracking"},
			handling: "leaves out objects that Flagger does not track; canaries roll by the changed template",
			honour:   honour(flagger, on)},
		{name: vso, setting: "compat.vso", leaves: "the Vault Secrets Operator",
			keys: []string{"vso.secrets.hashicorp.com/restartedAt"}, markers: []string{targetsField},
			handling: "stamps the workloads that " + targetsField + " names for the object's Secret",
			honour:   honour(vaultSecrets, on),
			concerns: made("VaultStaticSecret", "VaultDynamicSecret", "VaultPKISecret", "HCPVaultSecretsApp"),
			restarts: func(a *asked, w *plan.Workload) bool { return a.workloads.is(w, "true") }},
		{name: "Flux Operator", setting: "compat.fluxoperator", keys: []string{"fluxcd.controlplane.io/checksumFrom"},
			handling: "counts the objects that it names, with all of their keys", honour: honour(fluxOperator, on),
			restarts: func(a *asked, w *plan.Workload) bool { return a.workloads.has(w) },
			absent: func(a *asked, w *plan.Workload, r *plan.Reference) bool {
				return a.workloads.has(w) && slices.Contains(r.Forms, string(compat.FormNamed))
			}},
		{name: "kapp", setting: "compat.kapp", keys: []string{"kapp.k14s.io/versioned"},
			handling: "stamps nothing for objects that get a name for each version: that restarts their consumers",
			honour:   honour(kapp, on)},
	}
}

// others returns the tools and habits whose counterpart is no setting of their own.
func others() []tool {
	return []tool{
		{name: external, leaves: external, markers: []string{externalGroup}, images: []string{"external-secrets/reloader"},
			handling: "finds the consumers of an ExternalSecret without a setting; the objects Config and the controller " +
				"are to be deleted, and a new value in the store restarts by the lock"},
		{name: kyverno, markers: []string{"kyverno.io/"}, leaves: kyverno,
			groups: []string{"kyverno.io/", "policies.kyverno.io/"},
			handling: "follows what policies clone without a setting; a policy that changes workloads is to be deleted, and " +
				"one that protects ConfigMaps or Secrets is to be written as protect:"},
		{name: "CommandK", keys: []string{"scout.commandk.dev/"},
			handling: "leaves alone what it ignores, where there are bindings:; what it binds is to be written as bindings:"},
		{name: checksums, markers: []string{"hecksum", "onfig-hash", "onfighash", "ecret-hash", "ecrethash"},
			handling: "leaves them as they are; render: {foreignChecksums: replace} takes each out where a stamp stands for it, " +
				"and adopt, in the same commit, has that restart nothing"},
		{name: "kubectl rollout restart", keys: []string{"kubectl.kubernetes.io/restartedAt"},
			handling: "leaves it as it is: a template without it is another one, and restarts; rollstamp restart is its " +
				"counterpart"},
	}
}

func wave(c *config.Compat) *config.Setting[config.OtherCompat]         { return &c.Wave }
func doppler(c *config.Compat) *config.Setting[config.OtherCompat]      { return &c.Doppler }
func onePassword(c *config.Compat) *config.Setting[config.OtherCompat]  { return &c.OnePassword }
func infisical(c *config.Compat) *config.Setting[config.OtherCompat]    { return &c.Infisical }
func bankVaults(c *config.Compat) *config.Setting[config.OtherCompat]   { return &c.BankVaults }
func flagger(c *config.Compat) *config.Setting[config.OtherCompat]      { return &c.Flagger }
func vaultSecrets(c *config.Compat) *config.Setting[config.OtherCompat] { return &c.VSO }
func fluxOperator(c *config.Compat) *config.Setting[config.OtherCompat] { return &c.FluxOperator }
func kapp(c *config.Compat) *config.Setting[config.OtherCompat]         { return &c.Kapp }

// honour returns what sets a setting where nothing else has set it.
func honour(
	at func(*config.Compat) *config.Setting[config.OtherCompat], way config.OtherCompat,
) func(*config.Compat) {
	return func(c *config.Compat) {
		if s := at(c); s.Source == config.Default {
			s.Value = way
		}
	}
}

// made returns a function that reports whether a workload consumes what an object of one of the kinds makes.
func made(kinds ...string) func(*plan.Workload) bool {
	return func(w *plan.Workload) bool {
		for i := range w.References {
			for _, p := range w.References[i].Producers {
				if slices.Contains(kinds, p.Kind) {
					return true
				}
			}
		}
		return false
	}
}

// optedIn returns a function that reports whether a workload of a kind that a tool restarts has its annotation with the
// value true; the annotation begins so.
func optedIn(annotation string) func(*asked, *plan.Workload) bool {
	return func(a *asked, w *plan.Workload) bool {
		return compat.Restarts(annotation, w.Kind) && a.workloads.is(w, "true")
	}
}

// asOptedIn is optedIn for whatever a workload reads.
func asOptedIn(annotation string) func(*asked, *plan.Workload, *plan.Reference) bool {
	isRestarted := optedIn(annotation)
	return func(a *asked, w *plan.Workload, _ *plan.Reference) bool { return isRestarted(a, w) }
}

// unmade returns a function that reports whether a workload asks the operator of some kinds for a restart, and reads a
// Secret that may be what it asks for: nothing else that it reads is made for one of the kinds.
func unmade(
	asks func(*asked, *plan.Workload) bool, kinds ...string,
) func(*asked, *plan.Workload, *plan.Reference) bool {
	isMade := made(kinds...)
	inOther := func(form string) bool { return refs.Form(form) != refs.FormProjected } // which most do not look at
	return func(a *asked, w *plan.Workload, r *plan.Reference) bool {
		return r.Kind == refs.Secret && asks(a, w) && !isMade(w) && slices.ContainsFunc(r.Forms, inOther)
	}
}

// byOwnOnePassword reports whether an annotation of a workload itself asks 1Password's operator to restart it.
func byOwnOnePassword(a *asked, w *plan.Workload) bool {
	value, _ := a.workloads.value(w)
	return compat.Restarts("operator.1password.io/", w.Kind) && strings.EqualFold(value, "true")
}

// byOnePassword reports whether 1Password's operator restarts a workload: by the annotation of a Secret that it
// consumes or of the item that makes it, else by its own, else by that of its Namespace.
func byOnePassword(a *asked, w *plan.Workload) bool {
	isRestarted := compat.Restarts("operator.1password.io/", w.Kind)
	return isRestarted && slices.ContainsFunc(w.References, func(r plan.Reference) bool {
		value, isMade := a.objects[name{r.Kind, r.Namespace, r.Name}], false
		for _, p := range r.Producers {
			if slices.Contains(compat.MadeByOnePassword, p.Kind) {
				isMade = true
				value = cmp.Or(value, a.objects[name{p.Kind, p.Namespace, p.Name}]) // workloads are not among the objects
			}
		}
		if value == "" && isMade {
			own, _ := a.workloads.value(w)
			value = cmp.Or(own, a.objects[name{"Namespace", "", w.Namespace}])
		}
		return strings.EqualFold(value, "true")
	})
}

// asked is what annotations ask of a tool.
type asked struct {
	workloads askedWorkloads
	objects   map[name]string
}

type name struct{ kind, namespace, name string }

// askedWorkloads are the values of a tool's switch, by workload.
type askedWorkloads map[name]string

func (all askedWorkloads) value(w *plan.Workload) (string, bool) {
	v, ok := all[name{w.Kind, w.Namespace, w.Name}]
	if !ok {
		v, ok = all[name{w.Kind, "", w.Name}] // it lies where the application does
	}
	return v, ok
}

func (all askedWorkloads) has(w *plan.Workload) bool {
	_, ok := all.value(w)
	return ok
}

func (all askedWorkloads) is(w *plan.Workload, value string) bool {
	v, _ := all.value(w)
	return v == value
}

// isSwitch reports whether an annotation decides whether a tool restarts something, beside those that name objects.
func isSwitch(key string) bool {
	return slices.ContainsFunc([]string{"update-on-config-change", "/reload", "/auto-restart", "/auto-reload",
		"/reload-on-secret-change", "/checksumFrom"}, func(end string) bool { return strings.HasSuffix(key, end) })
}
