package manifests_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/release/dist"
	"github.com/rollstamp/rollstamp/release/manifests"
)

// release is one with an archive for each of the platforms, whose sums are different.
func release(platforms ...string) dist.Release {
	r := dist.Release{Version: "1.2.3", Tag: "v1.2.3", Date: time.Unix(1_700_000_000, 0)}
	for i, p := range platforms {
		os, arch, _ := strings.Cut(p, "/")
		r.Artifacts = append(r.Artifacts, dist.Artifact{
			Name: fmt.Sprintf("rollstamp_1.2.3_%s_%s.tar.gz", os, arch), Kind: dist.Archive, OS: os, Arch: arch,
			SHA256: strings.Repeat(fmt.Sprint(i), 64),
		})
	}
	return r
}

var everywhere = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func TestManifestsNameEachArchiveWithItsSum(t *testing.T) {
	r := release(everywhere...)
	files, err := manifests.Files(r)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"flux-rollstamp.yaml", "rollstamp-stamp-1.2.3.tgz", "rollstamp.rb", "rollstamp.yaml"}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Fatalf("the files are %v", got)
	}
	for _, a := range r.Artifacts {
		url, sum := r.URL(a), a.SHA256
		for path, pair := range map[string]string{
			"rollstamp.yaml": fmt.Sprintf("os: %s\n        arch: %s\n    uri: %s\n    sha256: %s\n", a.OS, a.Arch, url, sum),
			"flux-rollstamp.yaml": fmt.Sprintf("os: %s\n        arch: %s\n        url: %s\n        checksum: sha256:%s\n",
				a.OS, a.Arch, url, sum),
			"rollstamp.rb": fmt.Sprintf("url \"%s\"\n      sha256 \"%s\"\n", url, sum),
		} {
			inFormula := path != "rollstamp.rb" || a.OS != "windows"
			if got := strings.Count(string(files[path]), pair); inFormula && got != 1 || !inFormula && got != 0 {
				t.Errorf("%s has %q %d times:\n%s", path, pair, got, files[path])
			}
		}
	}
	krew := string(files["rollstamp.yaml"])
	if strings.Count(krew, "bin: rollstamp\n") != 4 || strings.Count(krew, "bin: rollstamp.exe\n") != 2 {
		t.Errorf("the programs are not named as on their platforms:\n%s", krew)
	}
}

// The schema of Flux's catalog wants these fields and no others, in these forms; its installer takes the program of
// extractPath and names it as bin.
func TestTheEntryOfFluxsCatalogIsAsItsSchemaWants(t *testing.T) {
	files, err := manifests.Files(release(everywhere...))
	if err != nil {
		t.Fatal(err)
	}
	const platform = `      - os: (darwin|linux|windows)
        arch: (amd64|arm64)
        url: https://\S+
        checksum: sha256:[a-f0-9]{64}
        extractPath: rollstamp(\.exe)?
`
	want := regexp.MustCompile(`^apiVersion: cli\.fluxcd\.io/v1beta1
kind: Plugin
name: rollstamp
description: [^\n:]+
homepage: https://\S+
source: https://\S+
bin: flux-rollstamp
versions:
  - version: 1\.2\.3
    platforms:
(` + platform + `){6}$`)
	entry := string(files["flux-rollstamp.yaml"])
	if !want.MatchString(entry) || strings.Count(entry, "extractPath: rollstamp.exe\n") != 2 {
		t.Errorf("it is\n%s", entry)
	}
}

func TestAReleaseOfSomePlatformsHasNoFormula(t *testing.T) {
	files, err := manifests.Files(release("linux/amd64"))
	if err != nil {
		t.Fatal(err)
	}
	if files["rollstamp.rb"] != nil || strings.Count(string(files["rollstamp.yaml"]), "sha256:") != 1 {
		t.Errorf("the files are %v", slices.Sorted(maps.Keys(files)))
	}
}

func TestThePluginForHelm4IsTheSameArchiveEachTime(t *testing.T) {
	r := release("linux/amd64")
	const path = "rollstamp-stamp-1.2.3.tgz"
	first, err := manifests.Files(r)
	if err != nil {
		t.Fatal(err)
	}
	r.Date = r.Date.In(time.FixedZone("elsewhere", 3600))
	second, err := manifests.Files(r)
	if err != nil || !bytes.Equal(first[path], second[path]) {
		t.Errorf("%v, two archives of one release differ", err)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(first[path]))
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(unzipped)
	names := ""
	for head, err := archive.Next(); err != io.EOF; head, err = archive.Next() {
		if err != nil {
			t.Fatal(err)
		}
		names += head.Name + "\n"
	}
	if names != "rollstamp-stamp/\nrollstamp-stamp/plugin.yaml\n" {
		t.Errorf("it holds\n%s", names)
	}
}
