package build

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
)

// encryptedFile is a file that kustomize-controller decrypts before it builds: of a generator of Secrets, or a patch.
type encryptedFile struct {
	path    string // absolute, without links
	text    []byte
	format  sources.FileFormat
	isPatch bool
	isEnv   bool          // its lines become keys
	named   diag.Position // where a kustomization names it
}

// markers are what the formats of SOPS write into a file that is encrypted. Those of the others hold what that of YAML
// does, or come before it.
var markers = []struct {
	format sources.FileFormat
	text   []byte
}{
	{sources.FileJSON, []byte(`"mac": "ENC[`)},
	{sources.FileBinary, []byte(`"mac": "ENC[`)},
	{sources.FileDotenv, []byte("sops_mac=ENC[")},
	{sources.FileINI, []byte("[sops]")},
	{sources.FileYAML, []byte("mac: ENC[")},
}

// isEncryptedAs reports whether SOPS encrypted a text in a format.
func isEncryptedAs(text []byte, format sources.FileFormat) bool {
	for _, m := range markers {
		if m.format == format {
			return bytes.Contains(text, m.text)
		}
	}
	return false
}

// formatIn returns the format that SOPS encrypted a text in; "" where it did not.
func formatIn(text []byte) sources.FileFormat {
	for _, m := range markers {
		if bytes.Contains(text, m.text) {
			return m.format
		}
	}
	return ""
}

// formatOf returns the format that the controller takes a file for by its name, or by that of a key.
func formatOf(name string) sources.FileFormat {
	for suffix, format := range map[string]sources.FileFormat{
		".yaml": sources.FileYAML, ".yml": sources.FileYAML, ".json": sources.FileJSON, ".env": sources.FileDotenv,
		".ini": sources.FileINI, ".dockerconfigjson": sources.FileJSON,
	} {
		if strings.HasSuffix(name, suffix) {
			return format
		}
	}
	return sources.FileBinary
}

// declared is what of a kustomization the controller looks for encrypted files in.
type declared struct {
	Resources       []string `json:"resources"`
	Components      []string `json:"components"`
	SecretGenerator []struct {
		Files []string `json:"files"`
		Envs  []string `json:"envs"`
	} `json:"secretGenerator"`
	Patches []struct {
		Path string `json:"path"`
	} `json:"patches"`
}

// search goes through kustomizations as the controller does before it builds.
type search struct {
	system  files.System
	root    string
	folders map[string]bool // that were looked into
	looked  map[string]bool // files that were looked at: the first way to read one counts
	found   []encryptedFile
}

// encryptedFiles returns the encrypted files of the kustomization in a folder, and of those that it names. What cannot
// be read is for the build to report.
func encryptedFiles(system files.System, root, dir string, components []string) []encryptedFile {
	s := &search{system: files.OrDisk(system), root: root, folders: map[string]bool{}, looked: map[string]bool{}}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	if real, err := s.system.Real(abs); err == nil {
		abs = real
	}
	if !s.kustomization(abs) {
		s.generated(abs)
	}
	for _, component := range components {
		s.kustomization(filepath.Join(abs, filepath.FromSlash(component)))
	}
	return s.found
}

// generated looks into the kustomizations below a folder without one, which the controller generates one for.
func (s *search) generated(dir string) {
	entries, err := s.system.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		below := filepath.Join(dir, e.Name())
		if e.IsDir() && !s.kustomization(below) {
			s.generated(below)
		}
	}
}

// kustomization looks into a folder, and reports whether it is a kustomization.
func (s *search) kustomization(dir string) bool {
	if s.folders[dir] || !files.Within(s.root, dir) {
		return true
	}
	i := slices.IndexFunc(render.KustomizationFiles[:], func(name string) bool {
		info, err := s.system.Stat(filepath.Join(dir, name))
		return err == nil && info.Mode().IsRegular()
	})
	if i < 0 {
		return false
	}
	s.folders[dir] = true
	file := filepath.Join(dir, render.KustomizationFiles[i])
	text, err := s.system.ReadFile(file)
	var k declared
	if err != nil || yaml.Unmarshal(text, &k) != nil {
		return true
	}
	s.filesOf(k, dir, func(name string) diag.Position {
		line := 1
		if before, _, found := bytes.Cut(text, []byte(name)); found {
			line += bytes.Count(before, []byte("\n"))
		}
		return diag.Position{File: files.FromHere(file), Line: line}
	})
	for _, path := range slices.Concat(k.Resources, k.Components) {
		s.kustomization(s.join(dir, path))
	}
	return true
}

// filesOf looks at the files that a kustomization names.
func (s *search) filesOf(k declared, dir string, at func(name string) diag.Position) {
	for _, g := range k.SecretGenerator {
		for _, entry := range g.Files {
			key, path, named := strings.Cut(entry, "=")
			if !named {
				path = key
			}
			s.look(s.join(dir, path), encryptedFile{format: formatOf(key), named: at(entry)})
		}
		for _, path := range g.Envs {
			format := formatOf(path)
			if format == sources.FileBinary {
				format = sources.FileDotenv
			}
			s.look(s.join(dir, path), encryptedFile{format: format, isEnv: true, named: at(path)})
		}
	}
	for _, p := range k.Patches {
		if p.Path != "" {
			s.look(s.join(dir, p.Path), encryptedFile{format: formatOf(p.Path), isPatch: true, named: at(p.Path)})
		}
	}
}

func (s *search) join(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Join(s.root, path)
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// look adds a file that is encrypted.
func (s *search) look(path string, f encryptedFile) {
	if s.looked[path] || !files.Within(s.root, path) {
		return
	}
	text, err := s.system.ReadFile(path)
	if err != nil {
		return
	}
	s.looked[path] = true
	if isEncryptedAs(text, f.format) {
		f.path, f.text = path, text
		s.found = append(s.found, f)
	}
}

// standIn returns what the build reads in place of the file: its ciphertext in the form of what it holds. Of a file
// that becomes one value that is the file itself.
func (f encryptedFile) standIn() []byte {
	var isOurs func(line string, inside bool) bool
	switch {
	case f.isEnv && f.format == sources.FileDotenv:
		isOurs = func(line string, _ bool) bool { return strings.HasPrefix(line, "sops_") }
	case f.isPatch && f.format == sources.FileYAML:
		isOurs = func(line string, inside bool) bool {
			return strings.HasPrefix(line, "sops:") || inside && (strings.HasPrefix(line, " ") || line == "\n")
		}
	case f.isPatch && f.format == sources.FileJSON:
		return withoutField(f.text)
	default:
		return f.text
	}
	var out []byte
	inside := false
	for line := range strings.Lines(string(f.text)) {
		if inside = isOurs(line, inside); !inside {
			out = append(out, line...)
		}
	}
	return out
}

// withoutField returns an object of JSON without what SOPS added to it.
func withoutField(text []byte) []byte {
	var object map[string]any
	if err := yaml.Unmarshal(text, &object); err != nil {
		return text
	}
	delete(object, "sops")
	out, err := yaml.Marshal(object)
	if err != nil {
		return text
	}
	return out
}
