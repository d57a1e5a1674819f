package rendercache

import (
	"encoding/hex"

	"google.golang.org/protobuf/encoding/protowire"
)

// action is what a cache of Bazel's holds below ac/: the protocol buffer ActionResult, with the bytes of an entry in it
// where they are few, else with one file of them. Servers check that it is one, and that its file is there.
type action struct {
	inline []byte // nil where there is a file
	digest string // of the file, in hex
	size   int64
}

// mostInline is how many bytes stand in the action itself: servers hold it in memory.
const mostInline = 4 << 10

// The numbers of the fields, in build.bazel.remote.execution.v2.
const (
	resultFiles  = 2 // of ActionResult: OutputFile
	resultStdout = 5 // of ActionResult: bytes
	filePath     = 1 // of OutputFile
	fileDigest   = 2 // of OutputFile: Digest
	digestHash   = 1
	digestSize   = 2
)

// append appends the encoding.
func (a action) append(to []byte) []byte {
	if a.inline != nil {
		to = protowire.AppendTag(to, resultStdout, protowire.BytesType)
		return protowire.AppendBytes(to, a.inline)
	}
	digest := protowire.AppendTag(nil, digestHash, protowire.BytesType)
	digest = protowire.AppendString(digest, a.digest)
	digest = protowire.AppendTag(digest, digestSize, protowire.VarintType)
	digest = protowire.AppendVarint(digest, uint64(a.size))
	file := protowire.AppendTag(nil, filePath, protowire.BytesType)
	file = protowire.AppendString(file, "render")
	file = protowire.AppendTag(file, fileDigest, protowire.BytesType)
	file = protowire.AppendBytes(file, digest)
	to = protowire.AppendTag(to, resultFiles, protowire.BytesType)
	return protowire.AppendBytes(to, file)
}

// parseAction reads what append wrote.
func parseAction(text []byte) (a action, ok bool) {
	if inline := fieldOf(text, resultStdout); inline != nil {
		return action{inline: inline}, true
	}
	hash := fieldOf(fieldOf(fieldOf(text, resultFiles), fileDigest), digestHash)
	if _, err := hex.DecodeString(string(hash)); err != nil || len(hash) != 2*len(Name{}) {
		return action{}, false
	}
	return action{digest: string(hash)}, true
}

// fieldOf returns the first field of bytes with a number in a message; nil where there is none or it is no message.
func fieldOf(message []byte, number protowire.Number) []byte {
	for len(message) > 0 {
		n, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return nil
		}
		message = message[size:]
		if n == number && kind == protowire.BytesType {
			value, size := protowire.ConsumeBytes(message)
			if size < 0 {
				return nil
			}
			return value
		}
		if size = protowire.ConsumeFieldValue(n, kind, message); size < 0 {
			return nil
		}
		message = message[size:]
	}
	return nil
}
