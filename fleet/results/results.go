// Package results names the files in the folder that the parts of a divided run share, and says which are there.
package results

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// Folder is the folder of a run that is divided into parts.
type Folder struct {
	Dir string
	Of  int // how many parts there are
}

// What the parts are joined into.
const (
	report    = "report.json"
	manifests = "manifests"
)

// Result returns the file of what a part reported. Its name sorts as the parts do.
func (f Folder) Result(number int) string { return f.Rendered(number) + ".json" }

// Rendered returns the folder of what a part rendered.
func (f Folder) Rendered(number int) string {
	digits := len(fmt.Sprint(f.Of))
	return filepath.Join(f.Dir, fmt.Sprintf("part-%0*d-of-%d", digits, number, f.Of))
}

// AllRendered returns the folders of all parts.
func (f Folder) AllRendered() []string {
	out := make([]string, f.Of)
	for i := range out {
		out[i] = f.Rendered(i + 1)
	}
	return out
}

// Report returns the file that the results are joined into.
func (f Folder) Report() string { return filepath.Join(f.Dir, report) }

// Manifests returns the folder that the folders are joined into.
func (f Folder) Manifests() string { return filepath.Join(f.Dir, manifests) }

// Begin makes the folder in which a part renders before it has ended: what is killed leaves nothing that looks
// complete, and a part that is done twice at once, as one whose node was thought lost, is in no other's way.
func (f Folder) Begin(number int) (unfinished string, err error) {
	if err := os.MkdirAll(f.Dir, 0o777); err != nil {
		return "", notWritten(f.Dir, err)
	}
	unfinished = fmt.Sprintf("%s.unfinished-%016x", f.Rendered(number), rand.Uint64())
	if err := os.Mkdir(unfinished, 0o777); err != nil { // machines share the volume, and may be of several users
		return "", notWritten(unfinished, err)
	}
	return unfinished, nil
}

// Missing returns the parts that have not ended: those without the file or folder that the function names.
func (f Folder) Missing(file func(number int) string) ([]int, error) {
	var out []int
	for n := 1; n <= f.Of; n++ {
		_, err := os.Stat(file(n))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			out = append(out, n)
		case err != nil:
			return nil, diag.Input(diag.Position{File: file(n)}, fmt.Errorf("read part: %w", files.Cause(err)), "")
		}
	}
	return out, nil
}

// ofPart are the names of what parts write.
var ofPart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^part-[0-9]+-of-([0-9]+)(\.json|\.unfinished-[0-9a-f]+)?$`)
})

// Check returns an error where the folder holds what no part of this run writes: parts of another number, or what
// parts rendered where this run compares. Such parts never meet.
func (f Folder) Check(isRender bool) error {
	entries, err := os.ReadDir(f.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return diag.Input(diag.Position{File: f.Dir}, fmt.Errorf("read results: %w", files.Cause(err)), "")
	}
	command := map[bool]string{true: "render", false: "diff"}[isRender]
	for _, e := range entries {
		m, path := ofPart().FindStringSubmatch(e.Name()), filepath.Join(f.Dir, e.Name())
		switch {
		case m == nil:
		case m[1] != strconv.Itoa(f.Of):
			return diag.Usage(fmt.Errorf("%s is a part of %s, and this one is of %d", path, m[1], f.Of),
				"Pass the same --shards to each part. Give each run a folder of --results of its own.")
		case (m[2] == ".json") == isRender:
			return diag.Usage(fmt.Errorf("%s is not what --command %s writes", path, command),
				"Pass the same --command to each part. Give each run a folder of --results of its own.")
		}
	}
	return nil
}

// Finish renames what a part rendered, now that it is complete. Where the part was done before, and other parts may be
// reading that, it does nothing and reports so.
func (f Folder) Finish(number int, unfinished string) (wasDone bool, err error) {
	at := f.Rendered(number)
	switch err := os.Rename(unfinished, at); {
	case errors.Is(err, fs.ErrExist):
		return true, nil
	case err != nil:
		return false, notWritten(at, err)
	}
	return false, nil
}

func notWritten(at string, err error) error {
	return diag.Input(diag.Position{File: at}, fmt.Errorf("write part: %w", files.Cause(err)), "")
}

// ResultsIn returns the files of what parts reported in a folder, of whatever run, in the order of their names.
func ResultsIn(dir string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(escaped(dir), "part-*-of-*.json"))
	if err != nil || len(found) > 0 {
		return found, err
	}
	if rendered, _ := filepath.Glob(filepath.Join(escaped(dir), "part-*-of-*")); len(rendered) > 0 {
		return nil, diag.Usage(fmt.Errorf("%s holds what parts rendered, of which there is no report", dir),
			"What they rendered is in "+filepath.Join(dir, manifests)+". A report is made of parts of --command diff.")
	}
	return nil, diag.Usage(fmt.Errorf("%s holds no part-*-of-*.json", dir),
		"Name the folder into which rollstamp fleet part wrote, which has the Job's uid.")
}

// escaped returns a path that a pattern takes as it stands.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
