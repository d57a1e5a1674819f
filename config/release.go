package config

import (
	"cmp"
	"runtime/debug"
	"sync"
)

// Release returns the version of the running program: linked is what the linker set, "" where it set nothing.
func Release(linked string) string { return cmp.Or(linked, mainVersion(), "(devel)") }

// mainVersion returns the version that Go built into the program; "" where it is not known.
var mainVersion = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Version
})
