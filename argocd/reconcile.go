package argocd

import "github.com/rollstamp/rollstamp/config"

// Reconcile returns the settings of the call, and takes over the versions that they pin. Objects without a namespace go to the
// destination. Digests of Secrets stay apart by project: the domain that an application's own file asks for makes that of its
// project only smaller. What the operator said with a flag or in the environment counts as it is.
func (c *Call) Reconcile(s *config.Settings) *config.Settings {
	if c.Namespace != "" && !s.Namespace.Source.ByOperator() {
		s = s.WithNamespace(c.Namespace, "env ARGOCD_APP_NAMESPACE")
	}
	if c.Project != "" && !s.HashDomain.Source.ByOperator() {
		s = s.WithHashDomain(Domain(c.Project, string(s.HashDomain.Value)), "env ARGOCD_APP_PROJECT_NAME")
	}
	// A version that the configuration file pins counts before the destination's: it is there so that all renders are the same.
	if s.KubeVersion.Value != "" {
		c.KubeVersion = string(s.KubeVersion.Value)
	}
	if len(s.APIVersions.Value) > 0 {
		c.APIVersions = config.Strings(s.APIVersions.Value)
	}
	return s
}
