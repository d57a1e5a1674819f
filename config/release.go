package config

import (
	"cmp"
	"runtime/debug"
)

// Release returns the version of the running program: linked is what the linker set, "" where it set nothing.
func Release(linked string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return cmp.Or(linked, info.Main.Version, "(devel)")
}
