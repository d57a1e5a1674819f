package memory_test

import (
	"testing"
	"testing/fstest"

	"github.com/rollstamp/rollstamp/internal/memory"
)

func TestTheContainersMemoryIsWhatItsControlGroupSays(t *testing.T) {
	const v2, v1 = "sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"
	for _, c := range []struct {
		file, text string
		want       int64
	}{
		{v2, "2147483648\n", 2 << 30},
		{v2, "max\n", 0},
		{v1, "1073741824\n", 1 << 30},
		{v1, "9223372036854771712\n", 0},
		{v2, "", 0},
		{"elsewhere", "1", 0},
	} {
		if got := memory.OfContainer(fstest.MapFS{c.file: {Data: []byte(c.text)}}); got != c.want {
			t.Errorf("%s with %q: %d bytes, want %d", c.file, c.text, got, c.want)
		}
	}
}

func TestTheLowestLimitAroundTheProcessCounts(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"the group around its own": {map[string]string{
			"proc/self/cgroup":                              "0::/jobs.slice/one.scope\n",
			"sys/fs/cgroup/jobs.slice/memory.max":           "1000\n",
			"sys/fs/cgroup/jobs.slice/one.scope/memory.max": "max\n",
		}, 1000},
		"its own": {map[string]string{
			"proc/self/cgroup":                                          "5:cpu,cpuacct:/x\n4:memory:/jobs/one\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":                "9223372036854771712\n",
			"sys/fs/cgroup/memory/jobs/memory.limit_in_bytes":           "3000\n",
			"sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes":       "2000\n",
			"sys/fs/cgroup/memory/jobs/one/other/memory.limit_in_bytes": "1\n",
			"sys/fs/cgroup/x/memory.max":                                "1\n",
		}, 2000},
		"a container that sees its own as the topmost": {map[string]string{
			"proc/self/cgroup":         "0::/kubepods/pod1/abc\n",
			"sys/fs/cgroup/memory.max": "4000\n",
		}, 4000},
	} {
		root := fstest.MapFS{}
		for file, text := range c.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := memory.OfContainer(root); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}

func TestTheMachinesMemoryIsWhatItsKernelSays(t *testing.T) {
	const text = "MemTotal:       16384 kB\nMemFree:          11 kB\nMemAvailable:    4096 kB\n"
	total, available := memory.OfMachine(fstest.MapFS{"proc/meminfo": {Data: []byte(text)}})
	if total != 16<<20 || available != 4<<20 {
		t.Errorf("%d bytes, of which %d are available", total, available)
	}
	if total, available := memory.OfMachine(fstest.MapFS{}); total != 0 || available != 0 {
		t.Errorf("without a file: %d bytes, of which %d are available", total, available)
	}
}
