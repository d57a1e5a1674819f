// Package servetest is a client of a plugin's socket, for tests: it does what the repository server does, according to
// plugin.proto.
package servetest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/rollstamp/rollstamp/argocd/server"
)

// Contract parses plugin.proto, in the style that this file is written in, so that the client follows the contract and
// not the server's own code.
func Contract(t testing.TB) protoreflect.FileDescriptor {
	t.Helper()
	text := server.Contract()
	file := &descriptorpb.FileDescriptorProto{Name: proto.String("plugin.proto"), Package: proto.String("plugin"),
		Syntax: proto.String("proto3")}
	block := regexp.MustCompile(`(?ms)^message (\w+) \{(.*?)^?\}\n`)
	field := regexp.MustCompile(`(?m)^ +(repeated )?([\w<>, ]+) (\w+) = (\d+);`)
	for _, m := range block.FindAllStringSubmatch(text, -1) {
		message := &descriptorpb.DescriptorProto{Name: proto.String(m[1])}
		for _, f := range field.FindAllStringSubmatch(m[2], -1) {
			addField(message, f[1] != "", f[2], f[3], f[4])
		}
		file.MessageType = append(file.MessageType, message)
	}
	out, err := protodesc.NewFile(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var scalars = map[string]descriptorpb.FieldDescriptorProto_Type{
	"string": descriptorpb.FieldDescriptorProto_TYPE_STRING, "bytes": descriptorpb.FieldDescriptorProto_TYPE_BYTES,
	"bool": descriptorpb.FieldDescriptorProto_TYPE_BOOL, "int64": descriptorpb.FieldDescriptorProto_TYPE_INT64,
}

func addField(message *descriptorpb.DescriptorProto, repeated bool, kind, name, number string) {
	n, _ := strconv.Atoi(number)
	f := &descriptorpb.FieldDescriptorProto{Name: proto.String(name), Number: proto.Int32(int32(n)),
		JsonName: proto.String(name),
		Label:    descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}
	switch scalar, ok := scalars[kind]; {
	case strings.HasPrefix(kind, "map<"):
		entry := &descriptorpb.DescriptorProto{Name: proto.String("MapEntry"),
			Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)}}
		addField(entry, false, "string", "key", "1")
		addField(entry, false, "string", "value", "2")
		message.NestedType = append(message.NestedType, entry)
		repeated, kind = true, message.GetName()+".MapEntry"
		fallthrough
	case !ok:
		f.Type, f.TypeName = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), proto.String(".plugin."+kind)
	default:
		f.Type = scalar.Enum()
	}
	if repeated {
		f.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
	}
	message.Field = append(message.Field, f)
}

// Client is a client of the repository server's plugin service.
type Client struct {
	Conn     *grpc.ClientConn
	contract protoreflect.FileDescriptor
}

// Dial makes a client of a socket, which need not be there yet.
func Dial(t testing.TB, socket string) *Client {
	t.Helper()
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(100<<20)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &Client{conn, Contract(t)}
}

// Message makes an empty message of the contract.
func (c *Client) Message(name string) *dynamicpb.Message {
	return dynamicpb.NewMessage(c.contract.Messages().ByName(protoreflect.Name(name)))
}

// Fill sets a message from JSON.
func (c *Client) Fill(name, json string, args ...any) *dynamicpb.Message {
	m := c.Message(name)
	if err := protojson.Unmarshal(fmt.Appendf(nil, json, args...), m); err != nil {
		panic(err)
	}
	return m
}

// Upload is what one call sends.
type Upload struct {
	Archive  []byte
	Dir      string
	Env      map[string]string
	Checksum string // "" is the right one
	Size     int64  // 0 is the right one
	Chunk    int    // bytes of each message; 0 is Argo CD's default
}

// Call sends an upload and returns the answer, of the type that is named.
func (c *Client) Call(ctx context.Context, method string, u Upload, answer string) (*dynamicpb.Message, error) {
	stream, err := c.Open(ctx, method)
	if err != nil {
		return nil, err
	}
	if err := c.Send(stream, u); err != nil {
		return nil, err
	}
	out := c.Message(answer)
	return out, stream.RecvMsg(out)
}

// Open begins a call that sends a stream.
func (c *Client) Open(ctx context.Context, method string) (grpc.ClientStream, error) {
	return c.Conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, "/plugin.ConfigManagementPluginService/"+method)
}

// Send sends all of an upload. If the server has ended the call, receiving its answer returns the reason.
func (c *Client) Send(stream grpc.ClientStream, u Upload) error {
	sum := sha256.Sum256(u.Archive)
	if u.Checksum == "" {
		u.Checksum = hex.EncodeToString(sum[:])
	}
	if u.Size == 0 {
		u.Size = int64(len(u.Archive))
	}
	if u.Chunk == 0 {
		u.Chunk = 1024
	}
	meta := c.Fill("AppStreamRequest", `{"metadata":{"appName":"x","appRelPath":%q,"checksum":%q,"size":"%d"}}`,
		u.Dir, u.Checksum, u.Size)
	list := meta.Mutable(meta.Descriptor().Fields().ByName("metadata")).Message()
	env := list.Mutable(list.Descriptor().Fields().ByName("env")).List()
	for _, name := range slices.Sorted(maps.Keys(u.Env)) {
		e := c.Message("EnvEntry")
		e.Set(e.Descriptor().Fields().ByName("name"), protoreflect.ValueOfString(name))
		e.Set(e.Descriptor().Fields().ByName("value"), protoreflect.ValueOfString(u.Env[name]))
		env.Append(protoreflect.ValueOfMessage(e))
	}
	if stream.SendMsg(meta) != nil {
		return nil
	}
	for chunk := range slices.Chunk(u.Archive, u.Chunk) {
		if stream.SendMsg(c.Piece(chunk)) != nil {
			return nil
		}
	}
	return stream.CloseSend()
}

// Piece is the message for a piece of an archive.
func (c *Client) Piece(chunk []byte) proto.Message {
	f := c.Message("File")
	f.Set(f.Descriptor().Fields().ByName("chunk"), protoreflect.ValueOfBytes(chunk))
	m := c.Message("AppStreamRequest")
	m.Set(m.Descriptor().Fields().ByName("file"), protoreflect.ValueOfMessage(f))
	return m
}

// Manifests calls GenerateManifest.
func (c *Client) Manifests(ctx context.Context, u Upload) ([]string, error) {
	m, err := c.Call(ctx, "GenerateManifest", u, "ManifestResponse")
	if err != nil {
		return nil, err
	}
	var out []string
	list := m.Get(m.Descriptor().Fields().ByName("manifests")).List()
	for i := range list.Len() {
		out = append(out, list.Get(i).String())
	}
	return out, nil
}

// Archive packs files, in the order of their names.
func Archive(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var heads []tar.Header
	for _, name := range slices.Sorted(maps.Keys(files)) {
		heads = append(heads, tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(files[name])), Mode: 0o644})
	}
	return Pack(t, heads, files)
}

// Pack packs entries, with contents by their names.
func Pack(t testing.TB, heads []tar.Header, contents map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, h := range heads {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(contents[h.Name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
