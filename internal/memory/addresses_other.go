//go:build !linux

package memory

// addressLimit returns 0, no limit: there is none, or it is not asked for.
func addressLimit() int64 { return 0 }
