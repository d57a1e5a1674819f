package notices_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/release/notices"
	"github.com/rollstamp/rollstamp/release/programs"
)

// checkout writes programs that link a module with these files.
func checkout(t *testing.T, module map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{
		"go.mod": "module x\n\ngo 1.26.0\n\n" +
			"require example.com/lib v1.2.3\n\nreplace example.com/lib => ./lib\n",
		"cmd/rollstamp/main.go":        "package main\n\nimport _ \"example.com/lib/deep\"\n\nfunc main() {}\n",
		"cmd/rollstamp-stores/main.go": "package main\n\nfunc main() {}\n",
		"cmd/rollstamp-helm4/go.mod":   "module x/cmd/rollstamp-helm4\n\ngo 1.26.0\n",
		"cmd/rollstamp-helm4/main.go":  "package main\n\nfunc main() {}\n",
		"lib/go.mod":                   "module example.com/lib\n\ngo 1.26.0\n",
		"lib/deep/deep.go":             "package deep\n",
	}
	for name, text := range module {
		all["lib/"+name] = text
	}
	for name, text := range all {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func collect(t *testing.T, module map[string]string) ([]notices.Module, error) {
	t.Helper()
	here := []programs.Platform{{OS: runtime.GOOS, Arch: runtime.GOARCH}}
	return notices.Collect(t.Context(), checkout(t, module), here)
}

func TestTextsOfAModuleAndOfItsLinkedPartsAreCollected(t *testing.T) {
	all, err := collect(t, map[string]string{
		"LICENSE": "the license\n", "NOTICE.txt": "a notice", "deep/COPYING": "a license of its own\r\n",
		"license.go": "package lib", "other/LICENSE": "of what is not linked",
	})
	if err != nil {
		t.Fatal(err)
	}
	text := string(notices.Text(all))
	for _, want := range []string{
		"example.com/lib v1.2.3: LICENSE\n\nthe license\n", "example.com/lib v1.2.3: NOTICE.txt\n\na notice\n",
		"example.com/lib v1.2.3: deep/COPYING\n\na license of its own\n", "std go1.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the notices", want)
		}
	}
	for _, not := range []string{"package lib", "of what is not linked"} {
		if strings.Contains(text, not) {
			t.Errorf("%q is in the notices", not)
		}
	}
}

func TestALinkedModuleWithoutALicenseIsAnError(t *testing.T) {
	_, err := collect(t, map[string]string{"NOTICE": "no license"})
	if err == nil || !strings.Contains(err.Error(), "example.com/lib v1.2.3") {
		t.Errorf("%v", err)
	}
}

func TestModulesWithOneTextShareIt(t *testing.T) {
	one := notices.Module{Path: "a", Version: "v1", Texts: map[string]string{"LICENSE": "the text\n"}}
	two := notices.Module{Path: "b", Version: "v1", Texts: map[string]string{"LICENSE": "the text"}}
	text := string(notices.Text([]notices.Module{one, two}))
	if strings.Count(text, "the text") != 1 || !strings.Contains(text, "a v1: LICENSE\nb v1: LICENSE\n") {
		t.Errorf("%s", text)
	}
}

func TestTheCertificatesOfTheImagesHaveTheirLicense(t *testing.T) {
	roots, err := notices.Certificates(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	text := string(notices.Text(nil, roots))
	for _, want := range []string{
		"In its container images are also files made of\n\ngolang.org/x/crypto/x509roots/fallback v",
		"Mozilla Public License, version 2.0", "https://mozilla.org/MPL/2.0/", "certdata.txt",
		": LICENSE\n\nCopyright 2009 The Go Authors",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the notices:\n%s", want, text)
		}
	}
}
