package hashing

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/redact"
)

func TestTheDigestOfAStoresValueIsOfItsReferenceValueAndKey(t *testing.T) {
	t.Parallel()
	one, two := givenKey(t, "0123456789abcdef").ForStores(), givenKey(t, "0123456789abcdeg").ForStores()
	domain := givenKey(t, "0123456789abcdef").InDomain("d").ForStores()
	seen := map[string]bool{}
	for _, c := range []struct {
		ref, value string
		key        StoreKey
	}{{"a", "x", one}, {"b", "x", one}, {"a", "y", one}, {"a", "x", two}, {"a", "x", domain}, {"", "1:ax", one}, {"a1:x", "", one}} {
		d := StoreValue(c.ref, redact.New([]byte(c.value)), c.key)
		if seen[d] || len(d) != 32 {
			t.Errorf("%+v: %s is there already", c, d)
		}
		seen[d] = true
	}
	// Frozen: it stands in locks and goes into digests.
	if got := StoreValue("ClusterSecretStore/vault a#b", redact.New([]byte("hunter2")), one); got != "6898f7ab62f61ced411e52fb382babe5" {
		t.Errorf("got %s", got)
	}
}

func TestAnIDTellsKeysAndDomainsApart(t *testing.T) {
	t.Parallel()
	key, other := givenKey(t, "0123456789abcdef"), givenKey(t, "0123456789abcdeg")
	domain := key.InDomain("d")
	seen := map[string]bool{}
	for _, k := range []*Key{nil, key, other, &domain} {
		seen[StoreKeyID(k)] = true
	}
	if len(seen) != 4 || StoreKeyID(nil) != "" {
		t.Errorf("got %v", seen)
	}
	// It stands in locks. By hand: HMAC-SHA-256 of the header, with the HMAC-SHA-256 of the other header with the hash
	// key.
	if got := StoreKeyID(key); got != "6f97990f4d5dba65" {
		t.Errorf("got %s", got)
	}
}

func TestAStoreKeyIsLentAndGivesNoOtherDigest(t *testing.T) {
	t.Parallel()
	key := givenKey(t, "0123456789abcdef")
	s := key.ForStores()
	if got := StoreValue("r", redact.New([]byte("v")), *Borrow(s.Lend())); got != StoreValue("r", redact.New([]byte("v")), s) {
		t.Error("borrowed, it is another key")
	}
	if Borrow(nil) != nil || Borrow([]byte{}) != nil {
		t.Error("nothing is a key")
	}
	borrowed, err := KeyFromBytes(redact.New(s.Lend()), "test")
	if err != nil {
		t.Fatal(err)
	}
	if Value("Secret", "x", pairs("a", "1"), key) == Value("Secret", "x", pairs("a", "1"), &borrowed) {
		t.Error("the key of stores makes digests of pods")
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		if out := fmt.Sprintf(verb, s); strings.Contains(out, string(s.Lend())) {
			t.Errorf("%s shows %s", verb, out)
		}
	}
}
