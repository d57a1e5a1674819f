package lock_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// BenchmarkAThousandKeys reads a lock of a thousand keys and looks each of them up: what a render under the policy lock
// adds.
func BenchmarkAThousandKeys(b *testing.B) {
	var f lock.File
	var refs []sources.Ref
	for i := range 1000 {
		r := ref(fmt.Sprintf("apps/team-%d/secret-%d", i%20, i), "", "")
		refs = append(refs, r)
		f.Set(r, sources.Answer{Version: fmt.Sprint(i)})
	}
	var text strings.Builder
	if _, err := f.WriteTo(&text); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		read, err := lock.Parse("", []byte(text.String()))
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := read.Resolve(context.Background(), refs); err != nil {
			b.Fatal(err)
		}
	}
}
