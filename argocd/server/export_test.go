package server

// ReadRequest returns what the server decodes of a message, for tests.
func ReadRequest(b []byte) (env map[string]string, dir, checksum string, size int64, chunk []byte, err error) {
	meta, chunk, err := readRequest(b)
	if meta != nil {
		env, dir, checksum, size = meta.env, meta.appRelPath, meta.checksum, meta.size
	}
	return env, dir, checksum, size, chunk, err
}
