package config

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Strategy is how a digest gets into a workload, as rollstamp.dev/strategy spells it.
type Strategy string

// The strategies; StrategyAnnotation is the default.
const (
	StrategyAnnotation Strategy = "annotation"
	StrategyEnv        Strategy = "env"    // environment variables of the containers that use an object
	StrategyNone       Strategy = "none"   // nothing is written, and earlier stamps go
	StrategySuffix     Strategy = "suffix" // the names of ConfigMaps and Secrets carry digests
)

// Choices lists the values.
func (Strategy) Choices() []string {
	return []string{string(StrategyAnnotation), string(StrategyEnv), string(StrategySuffix), string(StrategyNone)}
}

// UnmarshalText takes one of Choices.
func (s *Strategy) UnmarshalText(b []byte) error { return choose(s, string(b)) }

// defaultPrefix is the domain where none is configured.
const defaultPrefix = "checksum.rollstamp.dev"

// AnnotationPrefix is the domain of the annotations that hold digests.
type AnnotationPrefix string

// toolDomains are domains of annotations that other tools read or write: with stamps under one of them, such a tool and
// we would take each other's for our own.
var toolDomains = []string{
	"argoproj.io", "bank-vaults.io", "carvel.dev", "cert-manager.io", "external-secrets.io", "flagger.app",
	"fluxcd.controlplane.io", "fluxcd.io", "helm.sh", "istio.io", "k14s.io", "kyverno.io", "openshift.io",
	"operator.1password.io", "reflector.v1.k8s.emberstack.com", "reloader.stakater.com", "replicator.v1.mittwald.de",
	"scout.commandk.dev", "secrets.doppler.com", "secrets.infisical.com", "vault.hashicorp.com", "wave.pusher.com",
}

// UnmarshalText takes a domain that Kubernetes takes in front of the name of an annotation, and that is neither
// Kubernetes' own, nor another tool's, nor the one of the annotations that people set for us.
func (p *AnnotationPrefix) UnmarshalText(b []byte) error {
	domain := string(b)
	if without, slash := strings.CutSuffix(domain, "/"); slash {
		return fmt.Errorf("%q ends in a slash: write %s", domain, without)
	}
	if errs := validation.IsDNS1123Subdomain(domain); len(errs) > 0 {
		return fmt.Errorf("%q is no domain for annotations, such as ops.example.com", domain)
	}
	for _, taken := range [...]string{"kubernetes.io", "k8s.io", "rollstamp.dev"} {
		if domain != defaultPrefix && (domain == taken || strings.HasSuffix(domain, "."+taken)) {
			return fmt.Errorf("%q is reserved: take a domain of your own, such as ops.example.com", domain)
		}
	}
	for _, taken := range toolDomains {
		if domain == taken || strings.HasSuffix(domain, "."+taken) {
			return fmt.Errorf("%q has annotations of another tool: take a domain of your own, such as ops.example.com", domain)
		}
	}
	*p = AnnotationPrefix(domain)
	return nil
}

// strategyRows are the settings about how digests are written.
var strategyRows = []Row{
	{
		Name: "strategy", In: InFile,
		Example: "none",
		About: "How digests get into workloads: annotation writes them into the annotations of the pod template; env into " +
			"environment variables of the containers that use an object; suffix lets the names of ConfigMaps and Secrets " +
			"carry them, and all references follow; none only reports them, and earlier stamps go. An entry of workloads " +
			"and the annotation rollstamp.dev/strategy of a workload count before it.",
		field: valueOr(func(s *Settings) *Setting[Strategy] { return &s.Strategy }, StrategyAnnotation),
	}, {
		Name: "combined", In: InFile,
		Example: "true",
		About: "Whether a pod template gets one annotation for all that it consumes, instead of one for each object. An " +
			"entry of workloads counts before it.",
		field: boolean(func(s *Settings) *Setting[bool] { return &s.Combined }),
	}, {
		Name: "allContainers", In: InFile,
		Example: "true",
		About: "Whether the strategy env writes a variable into every container of a pod template, instead of those that " +
			"use the object. An entry of workloads counts before it.",
		field: boolean(func(s *Settings) *Setting[bool] { return &s.AllContainers }),
	}, {
		Name: "annotationPrefix", In: InFile,
		Example: "ops.example.com",
		About: "The domain of the annotations that hold digests, instead of checksum.rollstamp.dev. Of the annotations of " +
			"that domain those count as stamps that have the names of stamps.",
		field: value(func(s *Settings) *Setting[AnnotationPrefix] { return &s.AnnotationPrefix }),
	},
}

// MayRename reports whether names of ConfigMaps and Secrets may carry digests, by the configuration.
func (s *Settings) MayRename() bool {
	isSuffix := func(w WorkloadRule) bool { return w.Strategy == StrategySuffix }
	return s.Strategy.Value == StrategySuffix || s.Refresh.Value == RefreshSuffix ||
		slices.ContainsFunc(s.Workloads.Value, isSuffix)
}
