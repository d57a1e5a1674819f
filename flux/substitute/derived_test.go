package substitute_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/flux/substitute"
	"github.com/rollstamp/rollstamp/redact"
)

func TestWhatExpressionsMakeOfSecretValuesIsHidden(t *testing.T) {
	for expression, made := range map[string]string{
		"${S^^}":                    "CANARY.EXAMPLE",
		"${S:0:6}":                  "canary",
		"${S/./-}":                  "canary-example",
		"cfg-${S/./-}-tls":          "cfg-canary-example-tls",
		"${S%.example}":             "canary",
		"${NO:-${S^^}}":             "CANARY.EXAMPLE",
		"${V:+on} ${S:0:6}":         "canary",
		"cfg${S:0:6}":               "cfgcanary",
		"${S//a/_}":                 "c_n_ry.ex_mple",
		"pre ${S/example/${V}} ${V": "",
	} {
		values := vars("V=open")
		values["S"] = substitute.Var{Value: "canary.example", Secrecy: redact.HoldsSecret}
		out, err := run(t, configMap(`"`+expression+`"`), values, substitute.Options{})
		if made == "" {
			if err == nil {
				t.Errorf("%s is no error", expression)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		if shown := out.Secrets().In("of " + made); shown == "of "+made {
			t.Errorf("%s: %q is shown", expression, shown)
		}
		if shown := out.Secrets().In("open on example"); shown != "open on example" {
			t.Errorf("%s: what is open is hidden: %q", expression, shown)
		}
	}
}
