package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// Flags are the flags of the command line that were given, by their names without dashes, each with its values as
// they were written: one for a text, "true" or "false" for a switch, any number for a list.
type Flags map[string][]string

// Inputs are what settings are resolved from.
type Inputs struct {
	Place Place // where the configuration file is looked for, and the policy file must not lie
	Flags Flags
	Env   Env // Environment(), but for tests
}

// Resolve finds the configuration file of a place and returns what is in force. Errors are *diag.Error with exit code
// 2 (of several mistakes, joined ones) and, for a file, with the line.
func Resolve(in Inputs) (*Settings, error) {
	file, err := Load(in.Place)
	if err != nil {
		return nil, err
	}
	r := &resolver{in: in, file: file, s: New()}
	r.s.place, r.s.where = in.Place, file.where
	r.policy = r.readPolicy()
	for i := range table {
		if row := &table[i]; row.field != nil {
			r.resolve(row)
		}
	}
	r.derive()
	r.permissions()
	return r.s, errors.Join(r.errs...)
}

// Check returns what is wrong with flags and the environment, whatever files say. Errors are those of Resolve.
func Check(flags Flags, env Env) error {
	r := &resolver{in: Inputs{Flags: flags, Env: env}, file: newFile(""), policy: emptyPolicy(), s: New()}
	for i := range table {
		if row := &table[i]; row.field != nil {
			r.resolve(row)
		}
	}
	r.permissions()
	return errors.Join(r.errs...)
}

// CheckVariable returns what is wrong with one variable of an environment, whatever files and other variables say.
func CheckVariable(name, value string) error {
	return Check(nil, func(asked string) (string, bool) {
		if asked != name {
			return "", false
		}
		return value, true
	})
}

type resolver struct {
	in     Inputs
	file   *File
	policy *policy
	s      *Settings
	errs   []error
}

// fail records a mistake in what a source said.
func (r *resolver) fail(from Source, err error) {
	r.errs = append(r.errs, diag.Usage(fmt.Errorf("%s: %w", from, err), ""))
}

// readPolicy reads the policy file that the environment names; what it returns is empty where there is none.
func (r *resolver) readPolicy() *policy {
	path, _ := r.in.Env(EnvPolicy)
	if path == "" {
		return emptyPolicy()
	}
	p, err := loadPolicy(path, r.in.Place.Root)
	if err != nil {
		r.fail("env "+EnvPolicy, err)
		return emptyPolicy()
	}
	return p
}

// resolve sets one row: the default, then what each source says, from the least to the one that counts first.
func (r *resolver) resolve(row *Row) {
	row.field.reset(r.s)
	if row.In&InFile != 0 {
		r.take(row, r.file.given, r.file.where)
	}
	if row.In&InPolicy != 0 {
		r.take(row, r.policy.given, r.policy.where)
	}
	for _, v := range row.Env {
		if text, set := r.in.Env(v.Name); set && !(row.optional && text == "") {
			r.parse(row, []string{text}, Source("env "+v.Name))
		}
	}
	texts, given := r.in.Flags[row.Flag]
	if row.Flag == "" || !given || row.optional && row.Kind() == Text && texts[0] == "" {
		return
	}
	r.parse(row, texts, Source("flag --"+row.Flag))
}

// take copies what a document sets.
func (r *resolver) take(row *Row, given *Settings, where map[string]diag.Position) {
	if pos, ok := where[row.Name]; ok {
		row.field.copy(r.s, given)
		*row.field.source(r.s) = Source(pos.String())
	}
}

func (r *resolver) parse(row *Row, texts []string, from Source) {
	if err := row.field.parse(r.s, texts, from); err != nil {
		r.fail(from, err)
	}
}

// derive sets what follows from the file, the machine and several settings together.
func (r *resolver) derive() {
	s := r.s
	if r.file.path != "" {
		s.File = Setting[string]{r.file.path, "nearest " + FileName}
	}
	if s.CacheDir.Source == Default {
		if base, err := os.UserCacheDir(); err == nil {
			s.CacheDir.Value = filepath.Join(base, "rollstamp")
		}
	}
	for _, file := range s.sealingKeys.Value {
		if file == "" {
			r.fail(s.sealingKeys.Source, errors.New("names no file"))
		}
	}
	if s.decryptSOPS.Source == Default && s.sopsRule.Source != Default {
		s.decryptSOPS = Setting[bool]{true, s.sopsRule.Source}
	}
	if s.decryptSOPS.Value {
		s.sops = withKeys(s.sopsRule.Value, r.in.Env)
	}
}

// permissions joins what policy, environment and flags allow, and takes away what the file denies.
func (r *resolver) permissions() {
	granted := r.grants()
	for i := range table {
		row := &table[i]
		if row.Permission == "" || row.field == nil {
			continue
		}
		value, source := row.field.pointer(r.s).(*bool), row.field.source(r.s)
		if from, ok := granted[row.Permission]; ok {
			*value, *source = true, from
		}
		if from, ok := r.file.denied[row.Permission]; ok {
			*value, *source = false, Source(from.String())
		}
	}
}

// grants returns who allows what; of several the last. It notes for which hosts the network is allowed.
func (r *resolver) grants() map[Permission]Source {
	out, everywhere := map[Permission]Source{}, false
	var hosts Setting[[]NonEmpty]
	add := func(g Grant, from Source) {
		out[g.Permission] = from
		if g.Permission == PermitNetwork && g.Host == "" {
			everywhere = true
		} else if g.Host != "" {
			hosts = Setting[[]NonEmpty]{append(hosts.Value, NonEmpty(g.Host)), from}
		}
		if g.Variable != "" {
			r.s.PluginVariables = Setting[[]NonEmpty]{append(r.s.PluginVariables.Value, NonEmpty(g.Variable)), from}
		}
	}
	for i, g := range r.policy.given.allowed.Value {
		add(g, Source(r.policy.where[fmt.Sprintf("allow[%d]", i)].String()))
	}
	grant := func(names string, from Source) {
		all, err := parseGrants(names)
		if err != nil {
			r.fail(from, err)
		}
		for _, g := range all {
			add(g, from)
		}
	}
	if text, _ := r.in.Env(EnvAllow); text != "" {
		grant(text, "env "+EnvAllow)
	}
	if texts := r.in.Flags["allow"]; len(texts) > 0 {
		grant(strings.Join(texts, ","), "flag --allow")
	}
	for _, row := range table {
		if row.field == nil && row.Permission != "" && slices.Equal(r.in.Flags[row.Flag], []string{"true"}) {
			out[row.Permission] = Source("flag --" + row.Flag)
		}
	}
	if !everywhere && hosts.Value != nil {
		r.s.Hosts = hosts
	}
	return out
}
