package server

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/rollstamp/rollstamp/argocd/announce"
)

// The messages of plugin.proto are encoded and decoded by hand over protowire: they are few, and docs/dependencies.md
// has what generated ones would cost.

//go:embed plugin.proto
var contract string

// Contract returns the text of plugin.proto.
func Contract() string { return contract }

// frame is one encoded message.
type frame struct{ b []byte }

// codec passes frames through, and leaves other messages, those of the health service, to gRPC's own codec.
type codec struct{ encoding.CodecV2 }

func newCodec() codec { return codec{encoding.GetCodecV2(proto.Name)} }

func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if f, ok := v.(*frame); ok {
		return mem.BufferSlice{mem.SliceBuffer(f.b)}, nil
	}
	return c.CodecV2.Marshal(v)
}

// Unmarshal copies the message into the frame, reusing the frame's memory.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	f, ok := v.(*frame)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	f.b = f.b[:0]
	for _, part := range data {
		f.b = append(f.b, part.ReadOnlyData()...)
	}
	return nil
}

// metadata is the first message of a stream.
type metadata struct {
	appRelPath string
	checksum   string
	size       int64
	env        map[string]string
}

// errMessage is the error for bytes that are not a message of the contract.
var errMessage = errors.New("not a message of Argo CD's plugin protocol")

// eachField calls do for the fields with a length, and number for the varints. It skips other types, which a later
// contract may add.
func eachField(b []byte, do func(field protowire.Number, val []byte) error,
	number func(field protowire.Number, n uint64)) error {
	for len(b) > 0 {
		field, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return errMessage
		}
		b = b[size:]
		var err error
		switch kind {
		case protowire.BytesType:
			var val []byte
			if val, size = protowire.ConsumeBytes(b); size >= 0 {
				err = do(field, val)
			}
		case protowire.VarintType:
			var n uint64
			if n, size = protowire.ConsumeVarint(b); size >= 0 && number != nil {
				number(field, n)
			}
		default:
			size = protowire.ConsumeFieldValue(field, kind, b)
		}
		if size < 0 {
			return errMessage
		}
		if err != nil {
			return err
		}
		b = b[size:]
	}
	return nil
}

// readRequest decodes an AppStreamRequest: metadata, or a piece of the archive, which aliases b and is not nil.
func readRequest(b []byte) (meta *metadata, chunk []byte, err error) {
	err = eachField(b, func(field protowire.Number, val []byte) error {
		switch field {
		case 1:
			if chunk = nil; meta == nil {
				meta = &metadata{env: map[string]string{}}
			}
			return meta.read(val)
		case 2:
			if meta = nil; chunk == nil {
				chunk = []byte{}
			}
			return eachField(val, func(field protowire.Number, val []byte) error {
				if field == 1 {
					chunk = val
				}
				return nil
			}, nil)
		}
		return nil
	}, nil)
	return meta, chunk, err
}

func (m *metadata) read(b []byte) error {
	text := func(field protowire.Number, val []byte) error {
		switch field {
		case 2:
			m.appRelPath = string(val)
		case 3:
			m.checksum = string(val)
		case 5:
			name, value, err := readPair(val)
			m.env[name] = value // the last one wins, as in a process's environment
			return err
		}
		return nil
	}
	return eachField(b, text, func(field protowire.Number, n uint64) {
		if field == 4 {
			m.size = int64(n)
		}
	})
}

func readPair(b []byte) (name, value string, err error) {
	err = eachField(b, func(field protowire.Number, val []byte) error {
		switch field {
		case 1:
			name = string(val)
		case 2:
			value = string(val)
		}
		return nil
	}, nil)
	return name, value, err
}

// appendText appends a text field, unless it is empty.
func appendText(b []byte, field protowire.Number, text string) []byte {
	if text == "" {
		return b
	}
	return appendItem(b, field, text)
}

// appendItem appends an item of a list, also if it is empty.
func appendItem[T ~string | ~[]byte](b []byte, field protowire.Number, text T) []byte {
	b = protowire.AppendTag(b, field, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(len(text)))
	return append(b, text...)
}

func appendBool(b []byte, field protowire.Number, is bool) []byte {
	if !is {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), 1)
}

// manifestResponse encodes a ManifestResponse.
func manifestResponse(documents [][]byte) []byte {
	size := 0
	for _, d := range documents {
		size += protowire.SizeTag(1) + protowire.SizeBytes(len(d))
	}
	b := make([]byte, 0, size)
	for _, d := range documents {
		b = appendItem(b, 1, d)
	}
	return b
}

// flags encodes a message of two bools: a RepositoryResponse or a CheckPluginConfigurationResponse.
func flags(first, second bool) []byte { return appendBool(appendBool(nil, 1, first), 2, second) }

// announcementResponse encodes a ParametersAnnouncementResponse.
func announcementResponse(all []announce.Parameter) []byte {
	var b []byte
	for _, a := range all {
		b = appendItem(b, 1, announcement(a))
	}
	return b
}

func announcement(a announce.Parameter) []byte {
	b := appendText(nil, 1, a.Name)
	b = appendText(b, 2, a.Title)
	b = appendText(b, 3, a.Tooltip)
	b = appendBool(b, 4, a.Required)
	b = appendText(b, 5, a.ItemType)
	b = appendText(b, 6, a.CollectionType)
	b = appendText(b, 7, a.String)
	for _, item := range a.Array {
		b = appendItem(b, 8, item)
	}
	for _, name := range slices.Sorted(maps.Keys(a.Map)) {
		b = appendItem(b, 9, appendText(appendText(nil, 1, name), 2, a.Map[name]))
	}
	return b
}

// tooLargeError is the error for an answer that is larger than the repository server accepts.
type tooLargeError struct{ size int }

func (e tooLargeError) Error() string {
	return fmt.Sprintf("the manifests are %d bytes, more than the %d that Argo CD takes", e.size, MaxAnswer)
}

// MaxAnswer is the largest message that the repository server accepts, unless its ARGOCD_GRPC_MAX_SIZE_MB sets another
// limit.
const MaxAnswer = 100 << 20
