package stamp

import (
	"testing"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/redact"
)

// docs/digest-v1.md has the plain one as its example.
func TestACombinedStampIsTheDigestOfTheSingleOnes(t *testing.T) {
	t.Parallel()
	key, err := hashing.KeyFromBytes(redact.New([]byte("0123456789abcdef")), "test")
	if err != nil {
		t.Fatal(err)
	}
	settings := plan.Wanted{Key: "checksum.rollstamp.dev/configmap.settings", Value: "v1-c06c81642004b827", Reason: plan.Digest}
	db := plan.Wanted{Key: "checksum.rollstamp.dev/secret.db", Value: "v1-5f2c104e9581f900", Reason: plan.Digest}
	keyed, gone := db, plan.Wanted{Key: "checksum.rollstamp.dev/secret.gone", Reason: plan.Unknown}
	keyed.Value = "v1k-5f2c104e9581f900"
	restart := plan.Wanted{Key: "checksum.rollstamp.dev/restart", Value: "now", Reason: plan.Restart}
	pairs := func(secret string) []hashing.Pair {
		return []hashing.Pair{{Key: "configmap.settings", Value: redact.New([]byte("v1-c06c81642004b827"))},
			{Key: "secret.db", Value: redact.New([]byte(secret))}}
	}
	for _, c := range []struct {
		name   string
		wanted []plan.Wanted
		want   string
	}{
		{"plain", []plan.Wanted{settings, db}, "v1-c43a85464827883f"},
		{"plain under a key", []plan.Wanted{settings, db, gone}, hashing.Value("", "", pairs(db.Value), nil)},
		{"keyed", []plan.Wanted{settings, keyed}, hashing.Value("", "all", pairs(keyed.Value), &key)},
		{"none known", []plan.Wanted{gone}, ""},
	} {
		got := combine(append(c.wanted[:len(c.wanted):len(c.wanted)], restart), hashing.Prefix{}, &key)
		if len(got) != 2 || got[0].Key != (hashing.Prefix{}).Combined() || got[0].Value != c.want || got[1] != restart {
			t.Errorf("%s: %+v, want %q", c.name, got, c.want)
		}
	}
	if got := combine([]plan.Wanted{restart}, hashing.Prefix{}, nil); len(got) != 1 || got[0] != restart {
		t.Errorf("without an object: %+v", got)
	}
}
