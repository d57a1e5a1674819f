package hashing

import "testing"

func TestAPrefixOwnsItsStampsAndNoOtherAnnotation(t *testing.T) {
	t.Parallel()
	mine := NewPrefix("ops.example.com")
	for _, c := range []struct {
		key             string
		mine, byDefault bool
	}{
		{"checksum.rollstamp.dev/configmap.a", true, true},
		{"checksum.rollstamp.dev/anything", true, true},
		{"ops.example.com/configmap.a", true, false},
		{"ops.example.com/secret.a", true, false},
		{mine.Annotation("secrets-store.csi.x-k8s.io", "SecretProviderClass", "a"), true, false},
		{mine.Annotation("", "Vault", "a"), true, false},
		{mine.Combined(), true, false},
		{mine.Restart(), true, false},
		{mine.TargetName(), true, false},
		{"ops.example.com/owner", false, false},
		{"ops.example.com/configmap", false, false},
		{"ops.example.com/secrets", false, false},
		{"ops.example.com/all-of-them", false, false},
		{"x.ops.example.com/configmap.a", false, false},
		{"configmap.a", false, false},
	} {
		if got := mine.Has(c.key); got != c.mine {
			t.Errorf("%s: ours is %v", c.key, got)
		}
		if got := (Prefix{}).Has(c.key); got != c.byDefault {
			t.Errorf("%s: ours without configuration is %v", c.key, got)
		}
		if mine.Has(c.key) && !mine.MayBeIn([]byte("x: {"+c.key+": y}")) {
			t.Errorf("%s is not found in a text", c.key)
		}
	}
}

func TestTheConfiguredDefaultIsTheDefault(t *testing.T) {
	t.Parallel()
	if NewPrefix("checksum.rollstamp.dev") != NewPrefix("") {
		t.Error("they differ")
	}
}
