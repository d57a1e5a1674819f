// Package manifests makes the files by which package managers find a release, and what else lies in its archives.
package manifests

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"text/template"
	"time"

	"github.com/rollstamp/rollstamp/release/dist"
)

//go:embed templates
var templates embed.FS

// platforms are those for which package managers have an archive, in the order of the manifests.
var platforms = []platform{
	{OS: "darwin", Arch: "arm64"}, {OS: "darwin", Arch: "amd64"},
	{OS: "linux", Arch: "arm64"}, {OS: "linux", Arch: "amd64"},
	{OS: "windows", Arch: "arm64"}, {OS: "windows", Arch: "amd64"},
}

// platform is a platform with its archive.
type platform struct {
	OS, Arch, URL, SHA256 string
}

// Program is the name of the program on the platform.
func (p platform) Program(name string) string {
	if p.OS == "windows" {
		return name + ".exe"
	}
	return name
}

// Files returns the manifests of a release, which lie beside its archives: content by name.
func Files(r dist.Release) (map[string][]byte, error) {
	all := map[string]platform{}
	var listed []platform
	for _, p := range platforms {
		archive, ok := r.Archive(p.OS, p.Arch)
		if !ok {
			continue // a release of some platforms only, such as a trial
		}
		p.URL, p.SHA256 = r.URL(archive), archive.SHA256
		all[p.OS+"_"+p.Arch] = p
		listed = append(listed, p)
	}
	data := map[string]any{"Release": r, "Platforms": listed, "By": all, "Homepage": dist.Repository}
	out := map[string][]byte{}
	for name, file := range map[string]string{
		"krew.yaml": "rollstamp.yaml", "homebrew.rb": "rollstamp.rb", "flux.yaml": "flux-rollstamp.yaml",
	} {
		if name == "homebrew.rb" && !hasAll(all, "darwin_arm64", "darwin_amd64", "linux_arm64", "linux_amd64") {
			continue
		}
		text, err := execute(name, data)
		if err != nil {
			return nil, err
		}
		out[file] = text
	}
	renderer, err := execute("helm-post-renderer.yaml", data)
	if err != nil {
		return nil, err
	}
	packed, err := pack("rollstamp-stamp", "plugin.yaml", renderer, r.Date)
	if err != nil {
		return nil, err
	}
	out["rollstamp-stamp-"+r.Version+".tgz"] = packed
	return out, nil
}

func hasAll(all map[string]platform, names ...string) bool {
	for _, name := range names {
		if _, ok := all[name]; !ok {
			return false
		}
	}
	return true
}

// execute returns the text of a template.
func execute(name string, data any) ([]byte, error) {
	t, err := template.New(name).Option("missingkey=error").ParseFS(templates, "templates/"+name)
	if err != nil {
		return nil, fmt.Errorf("template %s: %w", name, err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return nil, fmt.Errorf("template %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// pack returns an archive of a folder with one file, the same whenever and wherever it is made.
func pack(dir, name string, text []byte, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(zipped)
	heads := []*tar.Header{
		{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755},
		{Typeflag: tar.TypeReg, Name: dir + "/" + name, Mode: 0o644, Size: int64(len(text))},
	}
	for _, head := range heads {
		head.ModTime, head.Format = date.UTC(), tar.FormatUSTAR
		if err := archive.WriteHeader(head); err != nil {
			return nil, fmt.Errorf("pack %s: %w", name, err)
		}
	}
	if _, err := archive.Write(text); err != nil {
		return nil, fmt.Errorf("pack %s: %w", name, err)
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("pack %s: %w", name, err)
	}
	if err := zipped.Close(); err != nil {
		return nil, fmt.Errorf("pack %s: %w", name, err)
	}
	return out.Bytes(), nil
}
