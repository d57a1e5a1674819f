package migrate

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// File is a configuration file and what is to be added to it.
type File struct {
	Path     string    `json:"path"`
	Adds     []Setting `json:"adds"`     // settings that it does not have
	Standing []Setting `json:"standing"` // settings that are there and stay
	// Differing are Reloader's controllers with their arguments, where these differ: what is added is those of all.
	Differing []string  `json:"differing,omitempty"`
	replaces  []Setting // settings that stand with another value than the tool has
	text      []byte    // with what is added
	problem   error     // why nothing can be added
}

// Setting is a setting of a configuration file.
type Setting struct {
	Name  string   `json:"name"`
	Value []string `json:"value"` // one, but of a list
	Place          // of one that stands there
}

// compatKey is the section of the settings.
const compatKey = "compat"

// files returns the configuration files of the applications that have something of a tool.
func (m *migration) files(tools []*Tool) ([]File, error) {
	byPath := map[string]*File{}
	for _, a := range m.apps {
		place := a.App.Settings().Place()
		if _, onDisk := files.OrDisk(place.Files).(files.Disk); !onDisk || place.Root == "" {
			continue
		}
		path := a.App.Settings().File.Value
		if path == "" {
			path = filepath.Join(place.Root, config.FileName)
		}
		f := byPath[path]
		if f == nil {
			f = &File{Path: path, Adds: []Setting{}, Standing: []Setting{}}
			byPath[path] = f
		}
		if isOutside(a.App.Origin().Pos.File, place.Root) {
			f.problem = fmt.Errorf("%s: it lies outside of the repository that describes %s", path, a.name)
		}
		m.propose(f, a, tools)
	}
	out := []File{}
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		if f := byPath[path]; len(f.Adds)+len(f.Standing) > 0 {
			f.edit()
			out = append(out, *f)
		}
	}
	return out, nil
}

// isOutside reports whether a folder lies outside of the repository of the file that describes its application, such as
// a chart of a registry in a folder of this machine: what is written there reaches no cluster.
func isOutside(description, folder string) bool {
	if description == "" {
		return false
	}
	path, _ := files.RealPath(nil, description)
	top, ok := config.Repository(filepath.Dir(path))
	return ok && !files.Within(top, folder)
}

// propose adds the settings for what an application has of tools. A controller concerns all applications.
func (m *migration) propose(f *File, a *application, tools []*Tool) {
	for i, t := range m.tools {
		controlled := tools[i] != nil && len(tools[i].Controllers) > 0
		if t.setting == "" || tools[i] == nil || !controlled && a.uses[i].isEmpty() {
			continue
		}
		f.add(a.App.Settings(), t.setting, string(config.CompatHonour))
		if t.name == reloader && len(m.args) > 0 {
			f.add(a.App.Settings(), t.setting+"Args", m.args...)
			f.refuseDiffering(m.differing())
		}
	}
}

// add adds a setting, or records that it stands somewhere already.
func (f *File) add(s *config.Settings, name string, value ...string) {
	is := func(other Setting) bool { return other.Name == name }
	if slices.ContainsFunc(f.Adds, is) || slices.ContainsFunc(f.Standing, is) {
		return
	}
	if pos, ok := s.Where(name); ok {
		f.Standing = append(f.Standing, Setting{name, standing(s, name), Place{pos.File, pos.Line, 0}})
		if name == "compat.reloaderArgs" && !slices.Equal(config.Strings(s.Compat.ReloaderArgs.Value), value) {
			f.replaces = append(f.replaces, Setting{Name: name, Value: value})
			f.problem = fmt.Errorf("%s: %s is set to other arguments than those that the controller has: %s",
				pos, name, strings.Join(value, " "))
		}
		return
	}
	f.Adds = append(f.Adds, Setting{Name: name, Value: value})
}

// refuseDiffering refuses to add arguments that are those of several controllers, together none's.
func (f *File) refuseDiffering(controllers []string) {
	isArgs := func(s Setting) bool { return s.Name == "compat.reloaderArgs" }
	if len(controllers) > 0 && f.problem == nil && slices.ContainsFunc(f.Adds, isArgs) {
		f.Differing = controllers
		f.problem = fmt.Errorf("compat.reloaderArgs: several of Reloader's controllers have different arguments: %s",
			strings.Join(controllers, "; "))
	}
}

// standing returns the value of a setting that is in force.
func standing(s *config.Settings, name string) []string {
	for _, line := range s.Lines() {
		if line.Name == name {
			return []string{fmt.Sprint(line.Value)}
		}
	}
	return []string{}
}

// edit makes the text of the file with what is added.
func (f *File) edit() {
	text, err := os.ReadFile(f.Path)
	if len(f.Adds) == 0 || f.problem != nil {
		return
	}
	switch {
	case os.IsNotExist(err) || err == nil && len(strings.TrimSpace(string(text))) == 0:
		f.text = []byte(f.Section())
		return
	case err != nil:
		f.problem = fmt.Errorf("read %s: %w", f.Path, files.Cause(err))
		return
	}
	for _, s := range slices.Backward(f.Adds) { // each becomes the first
		d, err := manifest.Parse(text)
		if err != nil {
			f.problem = fmt.Errorf("%s: %w", f.Path, err)
			return
		}
		if d == nil || !d.Root().Valid() { // comments alone
			f.text = []byte(strings.TrimSuffix(string(text), "\n") + "\n" + f.Section())
			return
		}
		edits, err := splice.Set(d.Root(), strings.Split(s.Name, "."), s.value())
		if err != nil {
			f.problem = fmt.Errorf("%s: nothing can be added in place: %w", f.Path, err)
			return
		}
		text = splice.Bytes(text, edits)
	}
	f.text = text
}

// value returns the value as it is written into a file.
func (s *Setting) value() any {
	if s.Name != "compat.reloaderArgs" {
		return s.Value[0]
	}
	out := make([]any, len(s.Value))
	for i, v := range s.Value {
		out[i] = v
	}
	return out
}

// Section returns what is added as a section of a file by itself.
func (f *File) Section() string { return section(f.Adds) }

func section(settings []Setting) string {
	var b strings.Builder
	b.WriteString(compatKey + ":\n")
	for _, s := range settings {
		b.WriteString("  " + strings.TrimPrefix(s.Name, compatKey+".") + ":")
		if s.Name != "compat.reloaderArgs" {
			b.WriteString(" " + s.Value[0] + "\n")
			continue
		}
		b.WriteString("\n")
		for _, v := range s.Value {
			b.WriteString("    - " + quoted(v) + "\n")
		}
	}
	return b.String()
}

// quoted returns a text as YAML has it: as it is where nothing in it means something else.
func quoted(text string) string {
	if strings.HasPrefix(text, "--") && !strings.ContainsAny(text, ":#'\"\\\n\t") && strings.TrimSpace(text) == text {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// Refused returns why the settings cannot be added, with the lines that are to be added by hand; nil where they can.
func (f *File) Refused() error {
	if f.problem == nil {
		return nil
	}
	hint := "Write these lines yourself:\n"
	if len(f.Differing) > 0 {
		hint = "Write these lines yourself, with the arguments of the controller that watches the applications of the file:\n"
	}
	return diag.Usage(f.problem, hint+section(slices.Concat(f.Adds, f.replaces)))
}

// Text returns the file with what is added; nil where nothing is.
func (f *File) Text() []byte { return f.text }
