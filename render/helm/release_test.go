package helm

import (
	"os"
	"regexp"
	"testing"

	"github.com/rollstamp/rollstamp/internal/stock"
)

// required returns the version of a module that go.mod requires.
func required(t *testing.T, module string) string {
	t.Helper()
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(module) + ` v(\S+)`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("go.mod does not require %s", module)
	}
	return string(m[1])
}

func TestDefaultKubernetesIsThatOfTheLinkedClient(t *testing.T) {
	t.Parallel()
	minor := regexp.MustCompile(`^0\.(\d+)\.`).FindStringSubmatch(required(t, "k8s.io/client-go"))
	if minor == nil || DefaultKubeVersion != "v1."+minor[1]+".0" {
		t.Errorf("DefaultKubeVersion is %s, client-go is %s", DefaultKubeVersion, required(t, "k8s.io/client-go"))
	}
}

func TestHelmIsTheLinkedOneAndTheOneToCompareWith(t *testing.T) {
	t.Parallel()
	linked := "v" + required(t, "helm.sh/helm/v3")
	for what, v := range map[string]string{"charts see": version, "tests compare with": stock.HelmVersion} {
		if v != linked {
			t.Errorf("%s helm %s, linked is %s", what, v, linked)
		}
	}
}
