package publish

import (
	"maps"
	"slices"
	"strings"
)

// IgnoreFile is the name of the file in a folder that leaves others out of what Flux reads of it.
const IgnoreFile = ".sourceignore"

// header begins what is ours in an ignore file; what stands above it stays.
const header = "# Written by rollstamp render --output-dir: these files are to be read, and not for Flux to apply."

// Ignored is an ignore file, read. The zero value is an empty one.
type Ignored struct {
	above string          // what is not ours
	files map[string]bool // from its folder, with slashes
}

// ReadIgnored reads an ignore file.
func ReadIgnored(text []byte) Ignored {
	above, own, _ := strings.Cut(string(text), header)
	out := Ignored{above, map[string]bool{}}
	for line := range strings.Lines(own) {
		if file, ok := strings.CutPrefix(strings.TrimSpace(line), "/"); ok {
			out.files[file] = true
		}
	}
	return out
}

// Files returns the files that are left out, from the folder of the file, with slashes; sorted.
func (i Ignored) Files() []string { return slices.Sorted(maps.Keys(i.files)) }

// Covers reports whether each of the files that are not published is left out, and no other one. Published has the
// files of a run.
func (i Ignored) Covers(published map[string]bool) bool {
	for file, is := range published {
		if is == i.files[file] {
			return false
		}
	}
	return true
}

// With returns the ignore file after a run. Lines of other runs stay as long as their files are there.
func (i Ignored) With(published map[string]bool, isThere func(file string) bool) Ignored {
	out := Ignored{i.above, map[string]bool{}}
	for file := range i.files {
		if _, own := published[file]; !own && isThere(file) {
			out.files[file] = true
		}
	}
	for file, is := range published {
		if !is {
			out.files[file] = true
		}
	}
	return out
}

// Text returns the text of the file, "" for none.
func (i Ignored) Text() string {
	if len(i.files) == 0 {
		return i.above
	}
	var out strings.Builder
	out.WriteString(i.above)
	if i.above != "" && !strings.HasSuffix(i.above, "\n") {
		out.WriteByte('\n')
	}
	out.WriteString(header + "\n")
	for _, file := range slices.Sorted(maps.Keys(i.files)) {
		out.WriteString("/" + file + "\n")
	}
	return out.String()
}
