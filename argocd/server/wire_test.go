package server_test

import (
	"bytes"
	"maps"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/rollstamp/rollstamp/argocd/server"
	"github.com/rollstamp/rollstamp/argocd/server/servetest"
)

// FuzzRequestsAreReadAsTheContractSays holds the reader of messages to the protobuf library, which knows plugin.proto.
func FuzzRequestsAreReadAsTheContractSays(f *testing.F) {
	contract := servetest.Contract(f).Messages().ByName("AppStreamRequest")
	c := servetest.Dial(f, "/nowhere")
	for _, json := range []string{
		`{}`, `{"file":{}}`, `{"file":{"chunk":"eHl6"}}`, `{"metadata":{}}`,
		`{"metadata":{"appName":"a","appRelPath":"b/c","checksum":"d","size":"-5","env":[{"name":"A","value":"1"},{"name":"A","value":"2"},{}]}}`,
	} {
		b, err := proto.Marshal(c.Fill("AppStreamRequest", "%s", json))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(append([]byte{0x1d, 1, 2, 3, 4}, b...)) // a later field, of another type
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m := dynamicpb.NewMessage(contract)
		wrong := proto.Unmarshal(b, m)
		env, dir, checksum, size, chunk, err := server.ReadRequest(b)
		if wrong != nil {
			return // texts that are no UTF-8 among them: Argo CD's own library takes those
		}
		if err != nil {
			t.Fatalf("the library takes it, we say %v", err)
		}
		file, meta := field(m, "file"), field(m, "metadata")
		if (chunk != nil) != m.Has(file) || (env != nil) != m.Has(meta) {
			t.Fatalf("chunk %v, metadata %v; want %v", chunk, env, m)
		}
		if m.Has(file) && !bytes.Equal(chunk, value(m.Get(file).Message(), "chunk").Bytes()) {
			t.Fatalf("chunk %q, want %v", chunk, m)
		}
		if !m.Has(meta) {
			return
		}
		in := m.Get(meta).Message()
		want := map[string]string{}
		for list, i := value(in, "env").List(), 0; i < list.Len(); i++ {
			want[value(list.Get(i).Message(), "name").String()] = value(list.Get(i).Message(), "value").String()
		}
		if !maps.Equal(env, want) || dir != value(in, "appRelPath").String() ||
			checksum != value(in, "checksum").String() || size != value(in, "size").Int() {
			t.Fatalf("%v %q %q %d, want %v", env, dir, checksum, size, m)
		}
	})
}

func field(m protoreflect.Message, name protoreflect.Name) protoreflect.FieldDescriptor {
	return m.Descriptor().Fields().ByName(name)
}

func value(m protoreflect.Message, name protoreflect.Name) protoreflect.Value {
	return m.Get(field(m, name))
}
