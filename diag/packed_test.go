package diag_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

func findingsToPack() (out []diag.Finding) {
	for i := range 40 {
		f := diag.New(diag.UnusedKey, "Secret a/b", fmt.Sprint("message ", i%7)).WithKey(fmt.Sprint(i))
		if i%3 == 0 {
			f = f.WithAbout("ConfigMap c").AsNotice()
		}
		out = append(out, f.At(diag.Position{File: "file", Line: i - 1, RenderLine: i * 1000}))
	}
	return out
}

func TestPackedFindingsAreThoseThatWerePacked(t *testing.T) {
	first, all := diag.New(diag.NoObjects, "", "first"), findingsToPack()
	packed := diag.Pack(all)
	got, err := packed.AppendTo([]diag.Finding{first})
	if want := append([]diag.Finding{first}, all...); err != nil || !slices.Equal(got, want) {
		t.Errorf("they are %v, %v", got, err)
	}
	if packed.Len() != len(all) || diag.Pack(nil).Len() != 0 {
		t.Errorf("there are %d", packed.Len())
	}
	if got, err := diag.Pack(nil).AppendTo(nil); got != nil || err != nil {
		t.Errorf("none are %v, %v", got, err)
	}
}

func TestOtherBytesAreNoPackedFindings(t *testing.T) {
	packed := diag.Pack(findingsToPack())
	for at := range packed {
		if _, err := packed[:at].AppendTo(nil); err == nil && at > 0 {
			t.Fatalf("the first %d bytes are read", at)
		}
		damaged := bytes.Clone(packed)
		damaged[at] ^= 0xff
		_, _ = diag.Packed(damaged).AppendTo(nil) // whatever it is, it ends
	}
	if _, err := slices.Concat(packed, []byte{0}).AppendTo(nil); err == nil {
		t.Error("more than was packed is read")
	}
}
