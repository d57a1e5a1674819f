package argocd

import "github.com/rollstamp/rollstamp/config"

// Reconcile returns the settings for the call, and pins the call to their versions. Objects without a namespace go to
// the destination. Digests of Secrets differ between projects: the domain that an application's own file sets can only
// narrow that of its project. What the operator set with a flag or in the environment stays.
func (c *Call) Reconcile(s *config.Settings) *config.Settings {
	if c.Namespace != "" && !s.Namespace.Source.ByOperator() {
		s = s.WithNamespace(c.Namespace, "env ARGOCD_APP_NAMESPACE")
	}
	if c.Project != "" && !s.HashDomain.Source.ByOperator() {
		s = s.WithHashDomain(Domain(c.Project, string(s.HashDomain.Value)), "env ARGOCD_APP_PROJECT_NAME")
	}
	// A version that the configuration file pins takes precedence over the destination's, so that all renders are the
	// same.
	if s.KubeVersion.Value != "" {
		c.KubeVersion = string(s.KubeVersion.Value)
	}
	if s.Helm.Source.ByOperator() {
		c.HelmVersion = s.Helm.Value
	}
	if len(s.APIVersions.Value) > 0 {
		c.APIVersions = config.Strings(s.APIVersions.Value)
	}
	return s
}
