package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	provenance "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	spdx "github.com/spdx/tools-golang/json"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/rollstamp/rollstamp/release/programs"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// modulesOf returns what `go version -m` lists of a program, as "path version", and its version of Go.
func modulesOf(t *testing.T, program string) []string {
	t.Helper()
	output := command(t, "", nil, "go", "version", "-m", program)
	first, rest, _ := strings.Cut(output, "\n")
	all := []string{"stdlib " + strings.TrimPrefix(first[strings.LastIndex(first, " ")+1:], "go")}
	for line := range strings.Lines(rest) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "dep" && words[0] != "=>" {
			continue
		}
		// A program of a module of its own uses ours, which is no part of others, and replaced by the source beside it.
		if words[1] != programs.Path && words[1] != "../.." {
			all = append(all, words[1]+" "+words[2])
		}
	}
	if len(all) < 50 {
		t.Fatalf("%s lists %d modules", program, len(all))
	}
	return all
}

func TestEveryLinkedModuleIsInTheSBOM(t *testing.T) {
	b := whole(t)
	f, err := os.Open(b.file(t, "*.spdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	document, err := spdx.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{} // by identifier
	for _, p := range document.Packages {
		names[string(p.PackageSPDXIdentifier)] = p.PackageName + " " + p.PackageVersion
	}
	depends := map[string]bool{}
	for _, r := range document.Relationships {
		if r.Relationship == "DEPENDS_ON" {
			program, _, _ := strings.Cut(names[string(r.RefA.ElementRefID)], " ")
			depends[program+" -> "+names[string(r.RefB.ElementRefID)]] = true
		}
	}
	for _, program := range programs.Names {
		for _, module := range modulesOf(t, b.program(program)) {
			if !depends[program+" -> "+module] {
				t.Errorf("the document does not say that %s depends on %s", program, module)
			}
		}
	}
}

func TestEveryLinkedModuleHasALicense(t *testing.T) {
	b := whole(t)
	notices := read(t, filepath.Join(b.dir, "NOTICES"))
	for _, program := range programs.Names {
		for _, module := range modulesOf(t, b.program(program)) {
			if version, ok := strings.CutPrefix(module, "stdlib "); ok {
				module = "std go" + version
			}
			if !strings.Contains(notices, "\n"+module+": ") {
				t.Errorf("no license of %s", module)
			}
		}
	}
	if !strings.Contains(notices, "Copyright 2009 The Go Authors") {
		t.Error("no license of Go's own library")
	}
	if !strings.Contains(notices, "https://mozilla.org/MPL/2.0/") {
		t.Error("no license of the images' certificates")
	}
}

func TestTheProvenanceNamesEveryFileAndTheImage(t *testing.T) {
	b := whole(t)
	var statement intoto.Statement
	text := read(t, filepath.Join(b.dir, "provenance.intoto.json"))
	if err := protojson.Unmarshal([]byte(text), &statement); err != nil {
		t.Fatal(err)
	}
	if err := statement.Validate(); err != nil {
		t.Error(err)
	}
	predicate, err := statement.GetPredicate().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var how provenance.Provenance
	if err := protojson.Unmarshal(predicate, &how); err != nil {
		t.Fatal(err)
	}
	if err := how.Validate(); err != nil {
		t.Error(err)
	}
	subjects := map[string]string{}
	for _, s := range statement.GetSubject() {
		subjects[s.GetDigest()["sha256"]] = s.GetName()
	}
	for line := range strings.Lines(read(t, filepath.Join(b.dir, "checksums.txt"))) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if name != "provenance.intoto.json" && subjects[sum] != name {
			t.Errorf("the statement is not about %s", name)
		}
	}
	var layout struct{ Manifests []struct{ Digest string } }
	if err := json.Unmarshal([]byte(read(t, filepath.Join(b.dir, "image", "index.json"))), &layout); err != nil {
		t.Fatal(err)
	}
	digest := strings.TrimPrefix(layout.Manifests[0].Digest, "sha256:")
	if name := subjects[digest]; !strings.HasPrefix(name, "image:9.9.9") {
		t.Errorf("the statement names the image %q", name)
	}
}

func TestTheArchiveHoldsWhatRuns(t *testing.T) {
	b, dir := whole(t), t.TempDir()
	command(t, dir, nil, "tar", "xzf", b.file(t, "*.tar.gz"))
	if got := command(t, dir, nil, "./rollstamp", "version"); !strings.HasPrefix(got, "rollstamp v9.9.9") {
		t.Errorf("it says that it is %q", got)
	}
	for _, name := range []string{"rollstamp-stores", "rollstamp-helm4", "LICENSE", "NOTICES", "plugin.yaml", "man/man1/rollstamp.1",
		"completions/rollstamp.bash"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheReleaseHasItsSums(t *testing.T) {
	b := whole(t)
	got := command(t, "", nil, b.release, "verify", "-out", b.dir)
	if !strings.Contains(got, "all files have their sums") {
		t.Error(got)
	}
}

func TestAFolderOfSomethingElseIsLeftAlone(t *testing.T) {
	b, other := whole(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "thesis.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	output := refused(t, nil, b.release, "build", "-source", "..", "-out", other, "-platforms", "linux/amd64")
	if !strings.Contains(output, "holds something else") {
		t.Error(output)
	}
	read(t, filepath.Join(other, "thesis.txt"))
}
