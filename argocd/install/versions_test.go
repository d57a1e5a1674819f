package install_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/versionstest"
)

// relied are what the sidecar and the patches need in each version.
var relied = []string{
	"folder /home/argocd/cmp-server/config",
	"folder /home/argocd/cmp-server/plugins",
	"plugin.yaml command",
	"plugin.yaml dynamic",
	"plugin.yaml generate",
	"plugin.yaml parameters",
	"repo-server container argocd-repo-server",
	"repo-server deployment argocd-repo-server",
	"repo-server mount argocd-repo-server plugins /home/argocd/cmp-server/plugins",
	"repo-server mount copyutil var-files /var/run/argocd",
	"repo-server policy argocd-repo-server-network-policy",
	"repo-server volume plugins",
	"repo-server volume var-files",
	"user 999",
}

func TestWhatTheSidecarNeedsIsInEachVersion(t *testing.T) {
	versions := versionstest.ByVersion()
	if len(versions) < 5 {
		t.Errorf("%d versions are listed", len(versions))
	}
	for version, facts := range versions {
		for _, want := range relied {
			if !slices.Contains(facts, want) {
				t.Errorf("%s has no %q", version, want)
			}
		}
		for _, fact := range facts {
			topic, rest, _ := strings.Cut(fact, " ")
			switch {
			case strings.HasPrefix(fact, "repo-server runs copyutil ") &&
				!strings.HasSuffix(fact, " /var/run/argocd/argocd-cmp-server"):
				t.Errorf("%s puts its plugin server elsewhere: %s", version, fact)
			case strings.HasPrefix(fact, "repo-server user "):
				t.Errorf("%s fixes the user: %s", version, fact)
			case topic == "helm":
				major, _, _ := strings.Cut(rest, ".")
				if v, err := argocd.ParseVersion(version, "x"); err != nil || strconv.Itoa(int(v.Helm())) != major {
					t.Errorf("%s: we say Helm %v, %v; it has %s", version, v.Helm(), err, rest)
				}
			}
		}
	}
}
