package memory

import (
	"bytes"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// OfContainer returns the memory limit of the container that the process runs in, in bytes, from the control groups
// below root, which is "/": the lowest of the process's own group and those around it. 0 means no limit.
func OfContainer(root fs.FS) (lowest int64) {
	for _, name := range limitFiles(root) {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			continue
		}
		const unlimited = 1 << 60 // version 1 writes "no limit" as the largest number of pages
		n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
		if err == nil && n > 0 && n < unlimited && (lowest == 0 || n < lowest) {
			lowest = n
		}
	}
	return lowest
}

// limitFiles returns the files that hold the limits of the process's control groups, in both versions. A container may
// see its own group as the topmost one, whatever its name is outside.
func limitFiles(root fs.FS) []string {
	const v2, v1 = "sys/fs/cgroup", "sys/fs/cgroup/memory"
	groups, _ := fs.ReadFile(root, "proc/self/cgroup") // where there is none, the topmost group counts
	out := []string{path.Join(v2, "memory.max"), path.Join(v1, "memory.limit_in_bytes")}
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // ID:CONTROLLERS:PATH
		if len(parts) < 3 {
			continue
		}
		top, file := v2, "memory.max"
		switch {
		case parts[1] == "memory" || strings.Contains(","+parts[1]+",", ",memory,"):
			top, file = v1, "memory.limit_in_bytes"
		case parts[1] != "":
			continue
		}
		for group := path.Clean("/" + parts[2]); group != "/"; group = path.Dir(group) {
			out = append(out, path.Join(top, group, file))
		}
	}
	return out
}
