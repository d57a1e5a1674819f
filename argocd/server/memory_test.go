package server_test

import (
	"testing"
	"testing/fstest"

	"github.com/rollstamp/rollstamp/argocd/server"
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
		if got := server.ContainerMemory(fstest.MapFS{c.file: {Data: []byte(c.text)}}); got != c.want {
			t.Errorf("%s with %q: %d bytes, want %d", c.file, c.text, got, c.want)
		}
	}
}
