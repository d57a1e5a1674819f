package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/diff/sides"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/fleet/results"
	"github.com/rollstamp/rollstamp/hashing"
)

// recordName is the file, in the folder of what a part rendered, that says how that was made.
const recordName = ".rollstamp-part.json"

// renderedPart says how a part was rendered, and what became of it: beside manifests it is what a comparison says of
// itself.
type renderedPart struct {
	diff.Part
	Exit diag.Exit `json:"exit"`
}

// newRenderedPart returns how a part is about to be rendered.
func (p *program) newRenderedPart(f *fleetPart, given *pflag.FlagSet, paths []string) (*renderedPart, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	key, err := keySetting(given, p.env)
	if err != nil {
		return nil, err
	}
	commits, folder, err := sides.CheckedOut(paths, f.folder.Dir)
	if err != nil {
		return nil, err
	}
	with := madeWith(given, p.env, func(string) bool { return false }) // a render is of the files as they are
	with = slices.DeleteFunc(with, func(s diff.Setting) bool {
		return slices.Contains([]string{"--hash-key-file", config.EnvHashKey, config.EnvHashKeyFile}, s.Name) // see key
	})
	return &renderedPart{Part: diff.Part{
		Commits: commits, Paths: sides.NamedPaths(paths),
		Shard:    &diff.Shard{Number: f.number(), Of: f.folder.Of, Release: release},
		MadeWith: slices.Concat(key, with, folder),
	}}, nil
}

// keySetting returns, as a setting, which hash key is in force, by what rollstamp.lock may say of it; none without one.
// Digests of two keys in one folder would restart everything once more when it is rendered again.
func keySetting(given *pflag.FlagSet, env config.Env) ([]diff.Setting, error) {
	flags := config.Flags{}
	if f := given.Lookup("hash-key-file"); f != nil && f.Changed {
		flags[f.Name] = values(f)
	}
	none := config.Place{Given: &config.Given{Name: config.FileName}} // a key never comes from a file of the repository
	settings, err := config.Resolve(config.Inputs{Place: none, Flags: flags, Env: env})
	if err != nil {
		return nil, err
	}
	key, _, err := app.HashKey(settings)
	if err != nil || key == nil {
		return nil, err
	}
	return []diff.Setting{{Name: "a hash key", Bits: hashing.StoreKeyID(key)}}, nil
}

// write writes the record into the folder of what the part rendered.
func (r *renderedPart) write(dir string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	_, err = fleet.WriteBelow(dir, filepath.Join(dir, recordName), bytes.NewBuffer(append(text, '\n')))
	return err
}

// whatIsThere returns what the folder of all parts has of one that failed, and what to do.
func (r *renderedPart) whatIsThere(dir string) string {
	if r.Exit == diag.ExitFindings {
		return "what it rendered is in " + dir + ", and its findings are to fail the run"
	}
	again := "mend it, and do all parts again"
	if r.Exit == diag.ExitSource {
		again = fmt.Sprintf("do that part again: --index %d", r.Shard.Number-1)
	}
	return "of what failed, " + dir + " has what was there before, or nothing; " + again
}

// readRenderedPart reads the record of what a part rendered.
func readRenderedPart(dir string) (*renderedPart, error) {
	at := filepath.Join(dir, recordName)
	text, err := os.ReadFile(at)
	again := "Do that part again with this release of rollstamp."
	if errors.Is(err, fs.ErrNotExist) {
		return nil, diag.Usage(fmt.Errorf("%s does not say how it was made: it has no %s", dir, recordName), again)
	}
	if err != nil {
		return nil, diag.Input(diag.Position{File: at}, fmt.Errorf("read part: %w", files.Cause(err)), "")
	}
	out := &renderedPart{}
	if err := json.Unmarshal(text, out); err != nil {
		return nil, diag.Input(diag.Position{File: at}, fmt.Errorf("read part: %w", err), again)
	}
	if out.Shard == nil {
		return nil, diag.Input(diag.Position{File: at}, errors.New("read part: it has no shard"), again)
	}
	return out, nil
}

// renderedParts returns the records of all parts of a folder. Parts that were not made alike are an error.
func renderedParts(folder results.Folder) ([]*renderedPart, error) {
	var all []*renderedPart
	for _, dir := range folder.AllRendered() {
		one, err := readRenderedPart(dir)
		if err != nil {
			return nil, err
		}
		if all = append(all, one); len(all) == 1 {
			continue
		}
		if err := diff.SameRun(all[0].Part, one.Part); err != nil {
			return nil, diag.Usage(fmt.Errorf("join %s and %s: %w", folder.Rendered(1), dir, err), apart(err))
		}
	}
	return all, nil
}
