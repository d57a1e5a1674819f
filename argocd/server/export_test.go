package server

import "github.com/rollstamp/rollstamp/files"

// StillHolds tells tests whether what look saw of one tree holds on another.
func StillHolds(look func(files.System), before, after files.System) bool {
	t := newTrace(before)
	look(t)
	return t.record().holds(after)
}

// ReadRequest returns tests what the server reads of a message.
func ReadRequest(b []byte) (env map[string]string, dir, checksum string, size int64, chunk []byte, err error) {
	meta, chunk, err := readRequest(b)
	if meta != nil {
		env, dir, checksum, size = meta.env, meta.appRelPath, meta.checksum, meta.size
	}
	return env, dir, checksum, size, chunk, err
}
