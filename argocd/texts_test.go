package argocd_test

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd"
)

func TestParametersThatAreWrongWithAnyFilesAreRefusedByThemselves(t *testing.T) {
	for parameter, want := range map[string]string{
		`{"name":"parameters","map":{"a[x":"canary"}}`:                                      "parameters a[x: an index does not fit",
		`{"name":"parameters.a[-1]","string":"canary"}`:                                     "parameters a[-1]: an index does not fit",
		`{"name":"parameters","map":{"a":"{canary"}}`:                                       "parameters a: a list in braces is not closed",
		`{"name":"parameters","map":{"a.":"canary"}}`:                                       "parameters a.: a key has no value",
		`{"name":"forceStringParameters","map":{"a,b":"canary"}}`:                           "parameters a: a key has no value",
		`{"name":"fileParameters","map":{"a[":"f"}}`:                                        "fileParameters a[: an index does not fit",
		`{"name":"parameters","map":{"a":"x,y","b.c":"{d,$e}","l[0].m":"n","o\\\\.p":"q"}}`: "",
		`{"name":"kubeVersion","string":"new"}`:                                             "kubeVersion: could not parse kubernetes version",
		`{"name":"kubeVersion","string":"v1.34.2-eks"}`:                                     "",
		`{"name":"images","array":["nginx"]}`:                                               "set image nginx: write an image as ",
		`{"name":"images","array":["nginx=$ARGOCD_ENV_IMAGE","a:1"]}`:                       "",
		`{"name":"replicas","map":{"web":"many"}}`:                                          "replicas web: ",
		`{"name":"patches","array":["patch: 5"]}`:                                           "want patch to be of type string, found one of type number",
		`{"name":"patches","array":["{patch: '[]', target: {name: y}}"]}`:                   "want target.name to be of type string, found one of type bool: put it in quotes",
		`{"name":"patches","array":["pach: canary"]}`:                                       "add patch 0: it needs one of patch and path",
		`{"name":"patches","array":["{path: a.yaml}"]}`:                                     "",
		`{"name":"include","string":"["}`:                                                   `include: "[" is not a glob`,
		`{"name":"exclude","string":"{a,b}/*.yaml"}`:                                        "",
		`{"name":"libs","array":["a/../../x"]}`:                                             `libs: "a/../../x" leads out of the repository`,
		`{"name":"libs","array":["a/../x"]}`:                                                "",
		`{"name":"refs","map":{"values":"env"}}`:                                            "",
	} {
		err := argocd.CheckParameter([]byte(parameter))
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", parameter, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: got %v, want %s", parameter, err, want)
		}
	}
	if err := argocd.CheckVariable("ROLLSTAMP_IMAGES", "nginx"); err == nil {
		t.Error("an image in a variable is taken")
	}
}
