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
