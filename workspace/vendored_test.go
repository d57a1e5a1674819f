package workspace_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/workspace"
)

func TestAMissingChartNamesTheCommandThatFetchesIt(t *testing.T) {
	for want, c := range map[string]workspace.Chart{
		"helm pull box --repo https://charts.example.com --version 1.2.3.": {
			Repository: "https://charts.example.com", Name: "box", Version: "1.2.3"},
		"helm pull oci://ghcr.io/example/charts/box --version '>=1.0.0'.": {
			Repository: "oci://ghcr.io/example/charts", Name: "box", Version: ">=1.0.0"},
		"helm pull oci://ghcr.io/example/charts/box.": {
			Repository: "oci://ghcr.io/example/charts/box", Name: "box", Version: "*"},
	} {
		_, err := workspace.FindVendored(t.TempDir(), c)
		if hint := diag.HintOf(err); !strings.HasSuffix(hint, ": "+want) {
			t.Errorf("the hint is %q, not %q", hint, want)
		}
	}
}

// The names are those that helm pull writes: a range is in none of them, and a "v" of the chart's version is.
func TestAChartInARangeIsTheHighestArchiveOfItsName(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"box-1.2.0", "box-1.10.0", "box-2.0.0-rc.1", "box-v3.1.0", "box-db-9.0.0", "other-9.0.0"} {
		chart := []byte("apiVersion: v2\nname: box\nversion: " + name + "\n")
		var out bytes.Buffer
		zip := gzip.NewWriter(&out)
		archive := tar.NewWriter(zip)
		err := archive.WriteHeader(&tar.Header{Name: "box/Chart.yaml", Mode: 0o644, Size: int64(len(chart))})
		if _, more := archive.Write(chart); err != nil || more != nil {
			t.Fatal(err, more)
		}
		if archive.Close() != nil || zip.Close() != nil {
			t.Fatal("the archive cannot be closed")
		}
		if err := os.WriteFile(filepath.Join(dir, name+".tgz"), out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for wanted, want := range map[string]string{
		"1.x": "box-1.10.0", ">=1.0.0 <1.5.0": "box-1.2.0", "": "box-v3.1.0", "*": "box-v3.1.0", ">=2.0.0-0 <3.0.0-0": "box-2.0.0-rc.1",
		"v3.1.0": "box-v3.1.0", "3.1.0": "box-v3.1.0", "1.2.0": "box-1.2.0", "4.x": "", "9.0.0": "",
	} {
		found, err := workspace.FindVendored(dir, workspace.Chart{Repository: "https://example.com", Name: "box", Version: wanted})
		if want == "" {
			if err == nil {
				t.Errorf("%q is found", wanted)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", wanted, err)
			continue
		}
		text, err := found.Files.ReadFile(filepath.Join(found.Root, "Chart.yaml"))
		if err != nil || !strings.HasSuffix(string(text), "version: "+want+"\n") {
			t.Errorf("%q is %q, %v, want %s", wanted, text, err, want)
		}
	}
}

// Whoever is told to put a chart into a folder and to name it may well name the chart.
func TestTheFolderOfAChartIsFoundByItsName(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Chart.yaml"), []byte("apiVersion: v2\nname: box\nversion: 1.2.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []workspace.Chart{{Name: "box", Version: "1.x"}, {Name: "box", Version: "1.2.0"}} {
		if found, err := workspace.FindVendored(dir, c); err != nil || found.Revision != "1.2.0" {
			t.Errorf("%v: %v, %v", c, found, err)
		}
	}
	for _, c := range []workspace.Chart{{Name: "box", Version: "2.x"}, {Name: "other", Version: "1.2.0"}} {
		if _, err := workspace.FindVendored(dir, c); err == nil {
			t.Errorf("%v is found", c)
		}
	}
}
