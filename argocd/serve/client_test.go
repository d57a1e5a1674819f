package serve_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
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
)

// contract reads plugin.proto, as far as its own style goes, so that the client here speaks what is written there and not what the
// server's own code does.
func contract(t testing.TB) protoreflect.FileDescriptor {
	t.Helper()
	text, err := os.ReadFile("plugin.proto")
	if err != nil {
		t.Fatal(err)
	}
	file := &descriptorpb.FileDescriptorProto{Name: proto.String("plugin.proto"), Package: proto.String("plugin"), Syntax: proto.String("proto3")}
	block := regexp.MustCompile(`(?ms)^message (\w+) \{(.*?)^?\}\n`)
	field := regexp.MustCompile(`(?m)^ +(repeated )?([\w<>, ]+) (\w+) = (\d+);`)
	for _, m := range block.FindAllStringSubmatch(string(text), -1) {
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
	f := &descriptorpb.FieldDescriptorProto{Name: proto.String(name), Number: proto.Int32(int32(n)), JsonName: proto.String(name),
		Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}
	switch scalar, ok := scalars[kind]; {
	case strings.HasPrefix(kind, "map<"):
		entry := &descriptorpb.DescriptorProto{Name: proto.String("MapEntry"), Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)}}
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

// client is one of the repository server's, as far as this service goes.
type client struct {
	conn     *grpc.ClientConn
	contract protoreflect.FileDescriptor
}

func dial(t testing.TB, socket string) *client {
	t.Helper()
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(100<<20)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &client{conn, contract(t)}
}

func (c *client) message(name string) *dynamicpb.Message {
	return dynamicpb.NewMessage(c.contract.Messages().ByName(protoreflect.Name(name)))
}

// fill sets a message from JSON.
func (c *client) fill(name, json string, args ...any) *dynamicpb.Message {
	m := c.message(name)
	if err := protojson.Unmarshal(fmt.Appendf(nil, json, args...), m); err != nil {
		panic(err)
	}
	return m
}

// upload is what one call sends.
type upload struct {
	archive  []byte
	dir      string
	env      map[string]string
	checksum string // "" is the right one
	size     int64  // 0 is the right one
	chunk    int    // bytes of each message; 0 is Argo CD's default
}

// call sends an upload and gives the answer, of the type that is named.
func (c *client) call(ctx context.Context, method string, u upload, answer string) (*dynamicpb.Message, error) {
	stream, err := c.open(ctx, method)
	if err != nil {
		return nil, err
	}
	if err := c.send(stream, u); err != nil {
		return nil, err
	}
	out := c.message(answer)
	return out, stream.RecvMsg(out)
}

func (c *client) open(ctx context.Context, method string) (grpc.ClientStream, error) {
	return c.conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, "/plugin.ConfigManagementPluginService/"+method)
}

// send sends all of an upload. Where the server has ended the call, it says why when it is asked for its answer.
func (c *client) send(stream grpc.ClientStream, u upload) error {
	sum := sha256.Sum256(u.archive)
	if u.checksum == "" {
		u.checksum = hex.EncodeToString(sum[:])
	}
	if u.size == 0 {
		u.size = int64(len(u.archive))
	}
	if u.chunk == 0 {
		u.chunk = 1024
	}
	meta := c.fill("AppStreamRequest", `{"metadata":{"appName":"x","appRelPath":%q,"checksum":%q,"size":"%d"}}`, u.dir, u.checksum, u.size)
	list := meta.Mutable(meta.Descriptor().Fields().ByName("metadata")).Message()
	env := list.Mutable(list.Descriptor().Fields().ByName("env")).List()
	for _, name := range slices.Sorted(maps.Keys(u.env)) {
		e := c.message("EnvEntry")
		e.Set(e.Descriptor().Fields().ByName("name"), protoreflect.ValueOfString(name))
		e.Set(e.Descriptor().Fields().ByName("value"), protoreflect.ValueOfString(u.env[name]))
		env.Append(protoreflect.ValueOfMessage(e))
	}
	if stream.SendMsg(meta) != nil {
		return nil
	}
	for chunk := range slices.Chunk(u.archive, u.chunk) {
		if stream.SendMsg(c.piece(chunk)) != nil {
			return nil
		}
	}
	return stream.CloseSend()
}

func (c *client) piece(chunk []byte) proto.Message {
	f := c.message("File")
	f.Set(f.Descriptor().Fields().ByName("chunk"), protoreflect.ValueOfBytes(chunk))
	m := c.message("AppStreamRequest")
	m.Set(m.Descriptor().Fields().ByName("file"), protoreflect.ValueOfMessage(f))
	return m
}

// manifests calls GenerateManifest.
func (c *client) manifests(ctx context.Context, u upload) ([]string, error) {
	m, err := c.call(ctx, "GenerateManifest", u, "ManifestResponse")
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

// archive packs files, in the order of their names.
func archive(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var heads []tar.Header
	for _, name := range slices.Sorted(maps.Keys(files)) {
		heads = append(heads, tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(files[name])), Mode: 0o644})
	}
	return packed(t, heads, files)
}

func packed(t testing.TB, heads []tar.Header, contents map[string]string) []byte {
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
