package build_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/build"
)

func TestASecretThatIsGeneratedFromCiphertextIsReported(t *testing.T) {
	encrypted := map[string]string{
		"yaml":   "a: ENC[AES256_GCM,data:x]\nsops:\n    mac: ENC[AES256_GCM,data:y]\n",
		"json":   "{\"data\": \"ENC[x]\", \"sops\": {\"mac\": \"ENC[AES256_GCM,data:y]\"}}",
		"dotenv": "A=ENC[AES256_GCM,data:x]\nsops_mac=ENC[AES256_GCM,data:y]\n",
		"ini":    "[a]\nb = ENC[x]\n[sops]\nmac = ENC[y]\n",
	}
	for name, text := range encrypted {
		for _, source := range []string{"files: [f]", "envs: [f]"} {
			if source == "envs: [f]" && name != "dotenv" {
				continue
			}
			root := tree(t, map[string]string{"f": text, "s.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: own}\nstringData: {a: b}\n",
				"kustomization.yaml": "resources: [s.yaml]\nsecretGenerator:\n- {name: s, " + source + "}\n- {name: open, literals: [a=b]}\n"})
			k := kustomization(t, "path: .\ndecryption: {provider: sops}")
			out, err := renderOf(t, k, root)
			if err != nil {
				t.Fatal(err)
			}
			got, err := build.Encrypted(k)(t.Context(), out)
			if err != nil || len(got.Findings) != 1 || len(out.Findings) != 0 {
				t.Errorf("%s, %s: %v, %v", name, source, got.Findings, err)
				continue
			}
			if f := got.Findings[0]; f.Code != diag.GeneratedEncrypted || !strings.HasPrefix(f.Object, "Secret s-") || f.Line == 0 {
				t.Errorf("%s, %s: %v", name, source, f)
			}
			if same, err := build.Encrypted(kustomization(t, "path: ."))(t.Context(), out); same != out || err != nil {
				t.Error("reported without decryption")
			}
		}
	}
}

func TestASecretThatFluxRefusesToApplyIsReported(t *testing.T) {
	const secret, mac = "apiVersion: v1\nkind: Secret\nmetadata: {name: s%s}\nstringData: {a: 'ENC[x]'}\nsops: {%s}\n", "mac: 'ENC[y]'"
	const disabled = ", annotations: {kustomize.toolkit.fluxcd.io/decrypt: disabled}"
	for name, c := range map[string]struct {
		spec, text string
		refused    bool
	}{
		"no decryption":            {"path: .", fmt.Sprintf(secret, "", mac), true},
		"decryption":               {"path: .\ndecryption: {provider: sops}", fmt.Sprintf(secret, "", mac), false},
		"no code over it":          {"path: .\ndecryption: {provider: sops}", fmt.Sprintf(secret, "", "version: 3.9.0"), true},
		"applied as it is":         {"path: .", fmt.Sprintf(secret, disabled, mac), false},
		"not encrypted":            {"path: .", "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n", false},
		"another kind of that key": {"path: .", "apiVersion: example.com/v1\nkind: Secret\nmetadata: {name: s}\nsops: {mac: a}\n", false},
	} {
		k := kustomization(t, c.spec)
		out, err := renderOf(t, k, tree(t, map[string]string{"s.yaml": c.text, "kustomization.yaml": "resources: [s.yaml]\n"}))
		if err != nil {
			t.Fatal(err)
		}
		got, err := build.Refused(k)(t.Context(), out)
		if err != nil || (len(got.Findings) == 1) != c.refused {
			t.Errorf("%s: %v, %v", name, got.Findings, err)
			continue
		}
		if c.refused && (got.Findings[0].Code != diag.FluxDecryption || got.Findings[0].Line == 0) {
			t.Errorf("%s: %v", name, got.Findings[0])
		}
	}
}
