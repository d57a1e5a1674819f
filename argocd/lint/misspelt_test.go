package lint_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/install"
	"github.com/rollstamp/rollstamp/argocd/lint"
	"github.com/rollstamp/rollstamp/diag"
)

// installed returns what install prints in each of its forms, by names.
func installed(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, format := range install.Formats() {
		for _, server := range []install.Server{install.PerRender, install.Resident} {
			for _, user := range []install.User{install.Fixed, install.Any} {
				text, err := install.Options{Format: install.Format(format), Image: "registry.example/rollstamp:1.0.0",
					Name: "rollstamp", Server: server, User: user}.Text()
				if err != nil {
					t.Fatal(err)
				}
				all[fmt.Sprintf("%s%s%s", format, server, user)] = string(text)
			}
		}
	}
	return all
}

// dropLetter returns the lines of a text of which one lacks a letter in the middle of a word of it.
func dropLetter(lines []string, i int, word []int) (text, line string) {
	middle := (word[0] + word[1]) / 2
	wrong := append([]string{}, lines...)
	wrong[i] = lines[i][:middle] + lines[i][middle+1:]
	return strings.Join(wrong, "\n"), wrong[i]
}

var (
	keyInLine   = regexp.MustCompile(`^([ -]*|  *plugin.yaml=|[^#]*\{)([A-Za-z]{3,})(: |:$)`)
	valueInLine = regexp.MustCompile(`^[^#]*?(?:: |- )([^\s#{|"][^#]*?)( #.*)?$`)
	wordInValue = regexp.MustCompile(`[A-Za-z_]{3,}`)
)

// What users choose, or have in the cluster, can be anything; and what lets Prometheus in restarts nothing.
var isChosen = regexp.MustCompile(`image: |secretName: |hash-key/?$|[- ] name: (rollstamp|argocd)(-metrics)?$|args: |prometheus` +
	`|protocol: |policyTypes: |app.kubernetes.io|network-policy|- argocd-[a-z-]+$|networking.k8s.io/v1$|^kind: NetworkPolicy`)

// Of what only the chart fills in, and of patches that are lists of operations, nothing is read.
func isRead(lines []string, i int) bool {
	for ; i >= 0; i-- {
		switch {
		case strings.HasPrefix(lines[i], "- |"), strings.HasPrefix(lines[i], "    - op: add"):
			return false
		case strings.HasSuffix(lines[i], "patch: |"), !strings.HasPrefix(lines[i], " "):
			return true
		}
	}
	return true
}

// Taking a letter out of any one field of what install prints must be found where it stands: a check that cannot fail
// is none.
func TestEachMisspeltFieldOfWhatInstallPrintsIsFoundAtItsLine(t *testing.T) {
	for name, text := range installed(t) {
		if strings.HasSuffix(name, string(install.Any)) {
			continue // it lacks one line
		}
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			m := keyInLine.FindStringSubmatchIndex(line)
			if m == nil || !isRead(lines, i) || line == "      rollstamp:" { // that is a name, found where it is mounted
				continue
			}
			wrong, changed := dropLetter(lines, i, m[4:6])
			found, err := lint.File("f.yaml", []byte(wrong), rules)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(found, func(f diag.Finding) bool { return f.Line == i+1 && f.Severity != diag.Info }) {
				t.Errorf("%s:%d: %q has no finding there: %v", name, i+1, changed, found)
			}
		}
	}
}

func TestMisspeltValuesOfWhatInstallPrintsAreFound(t *testing.T) {
	for name, text := range installed(t) {
		if strings.HasSuffix(name, string(install.Any)) {
			continue
		}
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			m := valueInLine.FindStringSubmatchIndex(line)
			if m == nil || !isRead(lines, i) || isChosen.MatchString(line) {
				continue
			}
			for _, word := range wordInValue.FindAllStringIndex(line[m[2]:m[3]], -1) {
				wrong, changed := dropLetter(lines, i, []int{m[2] + word[0], m[2] + word[1]})
				found, err := lint.File("f.yaml", []byte(wrong), rules)
				if err != nil {
					t.Fatal(err)
				}
				if len(found) == 0 {
					t.Errorf("%s:%d: %q has no finding", name, i+1, changed)
				}
			}
		}
	}
}

func TestAPluginsFileThatIsMountedElsewhereIsFound(t *testing.T) {
	text := strings.Replace(installed(t)["kustomize"], "mountPath: /home/argocd/cmp-server/config/", "mountPath: /opt/", 1)
	expect(t, check(t, text), "110 sidecar-mount nothing is mounted at /home/argocd/cmp-server/config/plugin.yaml, "+
		"but at /opt/plugin.yaml: ")
}

// A chart that has argo-cd as a dependency passes values on under its name.
func TestValuesOfADependencyAreChecked(t *testing.T) {
	text := "argo-cd:\n  " + strings.ReplaceAll(installed(t)["helm"], "\n", "\n  ")
	expect(t, check(t, text))
	expect(t, check(t, strings.Replace(text, "subPath: rollstamp.yaml", "subPath: rollstmp.yaml", 1)),
		"82 sidecar-mount ConfigMap argocd-cmp-cm has no key rollstmp.yaml; did you mean rollstamp.yaml?")
}
