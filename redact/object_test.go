package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/redact"
)

func TestSecretValuesOutsideOfSecretsAreHidden(t *testing.T) {
	for name, object := range map[string]string{
		"connection details":      "apiVersion: apiextensions.crossplane.io/v1\nkind: Composition\nspec: {resources: [{name: open, connectionDetails: [{name: x, type: FromValue, value: canary}]}]}",
		"values of a release":     "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec: {values: {db: {password: canary, user: open}, list: [{apiKey: canary}], auth: {existingSecret: open}}}",
		"values in a text":        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec: {source: {repoURL: open, helm: {values: 'db: {}\n\n  password: canary'}}}",
		"parameters":              "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec: {source: {helm: {parameters: [{name: db.password, value: canary}, {name: db.user, value: open}]}}}",
		"variables":               "apiVersion: apps/v1\nkind: Deployment\nspec: {template: {spec: {containers: [{env: [{name: DB_PASSWORD, value: canary}, {name: TOKEN_URL, value: open}, {name: SECRET_NAME, value: open}]}]}}}",
		"a header of a probe":     "apiVersion: v1\nkind: Pod\nspec: {containers: [{readinessProbe: {httpGet: {path: open, httpHeaders: [{name: Authorization, value: canary}]}}}]}",
		"short names":             "kind: Pod\nspec: {containers: [{env: [{name: DB_PASS, value: canary}, {name: DB_PW, value: canary}, {name: dbPwd, value: canary}, {name: API_DSN, value: canary}, {name: REDIS_AUTH, value: canary}, {name: BYPASS, value: open}, {name: AUTH_MODE, value: open}]}]}",
		"tables of secrets":       "kind: Application\nspec: {source: {helm: {valuesObject: {secret: {x: canary, name: open, key: open, db: {y: canary}}, extraEnv: {DB_PASS: canary, A: open}, tokens: [canary], extraSecrets: [open], secretName: open, db: {existingSecret: open, secretKeyRef: {name: open, key: open}}}}}}",
		"a table in a text":       "kind: Application\nspec: {source: {repoURL: open, helm: {values: \"secret:\\n  x: canary\"}}}",
		"no table in a text":      "kind: Application\nspec: {source: {repoURL: open, helm: {values: \"secret:\\n  name: open\\nx: open\"}}}",
		"fields":                  "kind: GrafanaDatasource\nspec: {datasource: {name: open, basicAuth: {password: canary, user: open}, basicAuthPassword: canary, secureJsonData: {a: canary}}}",
		"references in fields":    "kind: Any\nspec: {secretName: open, passwordSecretRef: {name: open, key: open}, password: {name: open, key: open}, secret: open, data: [{secretKey: open}], tokenAudiences: [open], imagePullSecrets: [{name: open}], credentials: open, token: $(open)}",
		"annotations":             "kind: Pod\nmetadata: {annotations: {vault.token: canary, example.com/api-token: canary, checksum/secret: open, checksum.rollstamp.dev/secret.api-token: open, checksum/token: open, nginx.ingress.kubernetes.io/auth-secret: open}, labels: {api-token: open}}",
		"behind -p":               "kind: Pod\nspec: {containers: [{args: [-u, open, -p, canary, -p, --x, open]}]}",
		"flags of programs":       "kind: Pod\nspec: {containers: [{command: [mysql, -uroot, -pcanary, -h, open]}, {command: [/bin/redis-cli], args: [-a, canary, -p, '6379', open]}, {command: [nc, -p, '10323', open]}, {command: [docker, login, -p, '1234canary', -u, open]}]}",
		"flags of images":         "kind: Pod\nspec: {containers: [{image: 'open/mysql:8', args: [-uroot, -pcanary]}, {image: 'web:1', args: [-u, -pcanary1, -parallel, -p9090, -path=open1, '-p1234567']}]}",
		"a Secret's values":       "kind: HelmRelease\nspec: {values: {stringData: {a: canary}, x: {stringData: {b: canary}}}, valuesFrom: [{name: open}]}",
		"values in a long text":   "kind: Application\nspec: {source: {repoURL: open, helm: {values: \"stringData:\\n  x: canary\"}}}",
		"a schema":                "kind: CustomResourceDefinition\nspec: {stringData: {type: object, description: open, additionalProperties: {type: open}}}",
		"users of programs":       "kind: Pod\nspec: {containers: [{command: [curl, -u, 'me:canary', open]}, {args: [--basic-auth, 'me:canary', -u, '1000:open']}]}",
		"names of keys":           "kind: Pod\nspec: {env: [{name: GITHUB_PAT, value: canary}, {name: LICENSE_KEY, value: canary}, {name: CLASSPATH, value: open}], serviceKey: canary, routing_key: canary}",
		"switches and paths":      "kind: Pod\nspec: {containers: [{env: [{name: ENABLE_API_KEYS, value: 'true'}, {name: APPLICATION_CREDENTIALS, value: /var/run/secrets/open.json}, {name: A_TOKEN, value: canary}, {name: B_TOKEN, value: $(params.open)}, {name: TOKEN_THRESHOLD, value: open}]}]}",
		"images and names":        "kind: RoleBinding\nmetadata: {name: 'token-manager:open'}\nspec: {image: 'ghcr.io/a/external-secrets:open', password: canary}",
		"a random label":          "kind: Pod\nmetadata: {labels: {api-token: canary0123456789canary, app: open0123456789open}}",
		"a class of secrets":      "kind: SecretProviderClass\nspec: {parameters: {objects: '- secretKey: open'}, x: {password: canary}}",
		"a script":                "kind: ConfigMap\ndata: {clean-secrets.sh: \"open\\npassword=canary\\n\", secrets.yaml: canary, NONSECRET: open}",
		"a generator's files":     "kind: ksops\nfiles: [secret.yaml=open.enc.yaml, password=canary]",
		"annotations of Reloader": "kind: Pod\nmetadata: {annotations: {secret.reloader.stakater.com/reload: open, a/token: canary}}",
		"keys of connections":     "kind: HelmRelease\nspec: {values: {tls: {key: canaryKEY, cert: open, secretName: ''}, encryption: {key: canaryKEY}, ssl: {ref: {name: x, key: open-longer}, keyData: canaryKEY}}}",
		"a parameter of a key":    "kind: Application\nspec: {source: {helm: {parameters: [{name: tls.key, value: canaryKEY}, {name: tls.cert, value: open}]}}}",
		"a key in a ConfigMap":    "kind: ConfigMap\ndata: {a.yaml: \"x: open\\ntls:\\n  key: canaryKEY\\nencryption: {key: canaryKEY}\\n\"}",
		"amounts":                 "kind: HelmRelease\nspec: {values: {maxTokens: 10, tokenTTL: 24h, on: open}, env: [{name: AWS_ACCESS_KEY_ID, value: canary}, {name: LICENSE, value: canary12}, {name: MAX_TOKENS, value: '109'}], routingKey: canary12}",
		"lists of commands":       "kind: Pod\nspec: {containers: [{command: [sqlcmd, -S, open, -P, canary]}, {command: [ldapsearch, -w, canary]}, {command: [openssl, enc, -k, canary]}, {args: ['--user=u:canary', '--user=open']}]}",
		"passwords in numbers":    "kind: HelmRelease\nspec: {values: {MAX_PASSWORD: 47110000, minPassword: '47110000', PASSWORD_MAX_AGE: 90, tokens: 12, on: open}, env: [{name: MAX_PASSWORD, value: '47110000'}, {name: MAX_TOKEN, value: 'canary1'}, {name: PASSWORD_MIN, value: '8'}, {name: open, value: '8'}]}",
		"keys beside names":       "kind: Any\nspec: {tls: {name: open, key: canaryKEY12345, ref: {name: open, key: open-longer}}, ssl: {path: open, keyData: canary12, a: {b: {privateKey: canary}}, key: OPEN_KEY_1}, encryption: {secretName: open, server: {key: canary12}}}",
		"literals of kubectl":     "kind: Pod\nspec: {containers: [{command: [kubectl, create, secret, generic, open, --from-literal=a=canary, --from-literal, b=canary, --from-literal=open=$(OPEN)]}, {command: [kubectl], args: [create, configmap, open, --from-literal=a=open]}, {image: 'bitnami/kubectl', args: [-n, open, create, secret, generic, open, '--from-literal=a=canary canary']}]}",
		"places in commands":      "kind: Pod\nspec: {containers: [{command: [vault, login, canary1]}, {command: [vault, login], args: [-no-print, canary1]}, {command: [vault, login, '-method=open', 'username=open']}, {image: 'hashicorp/vault:1', args: [login, canary1]}, {command: [/bin/htpasswd, -b, open, open, canary]}, {command: [htpasswd, -nbB, open, canary]}, {args: [htpasswd, -B, open, open]}, {args: [vault, login, canary1]}, {image: open, args: [/bin/vault, login, canary1]}, {command: [tini, --, vault, login, canary1]}]}",
		"sources of Envoy":        "kind: EnvoyFilter\nspec: {patch: {value: {private_key: {inline_string: canary}, token_secret: {inlineBytes: canary}, generic_secret: {secret: {inline_string: canary}}, password: {value: canary}, body: {inline_string: open}, a: 'private_key: {inline_string: \"canary canary\"}', b: \"password:\\n  inline_string: canary\\nbody:\\n  inline_string: open\\n\", secret: {name: open}}}}",
		"values by key":           "kind: Application\nspec: {source: {repoURL: open, helm: {values: \"replicas: open\\nimagePullSecrets: []\\ndb:\\n  password: 'canary' # open\\n  user: open\\nsecret:\\n  x: canary\\n  y: |\\n    canary\\n    canary\\n  on: true\\n  name: open\\n  ref:\\n    a: open\\ntokens: [canary, canary]\\napiKeys:\\n- canary\\nafter: open\\n\"}}}",
		"values of k3s":           "kind: HelmChart\nspec: {valuesContent: \"a: open\\nadminPassword: canary\\nb: open\\n\"}",
		"a plugin's parameters":   "kind: Application\nspec: {source: {plugin: {parameters: [{name: api-token, string: canary}, {name: open, string: open}, {name: all, map: {token: canary, a: open}}]}}}",
		"a list of PgBouncer's":   "kind: ConfigMap\ndata: {userlist.txt: '\"a\" \"canary\"', APP_KEY: canary0123456789, CACHE_KEY: open0123456789abc}",
		"keys of variables":       "kind: Pod\nspec: {containers: [{env: [{name: APP_KEY, value: 'base64:canary0123456789=='}, {name: SORT_KEY, value: open}, {name: HMAC, value: canary}, {name: HMAC, value: SHA256}]}]}",
		"descriptions of fields":  "kind: CustomResourceDefinition\nspec: {schema: {password: {type: string, description: 'token: open'}}}",
		"an action":               "kind: Any\nspec: {password: '{{ .open }}'}",
		"a number":                "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec: {values: {token: 4711, on: open}}",
		"what is no secret":       "apiVersion: v1\nkind: Pod\nmetadata: {name: my-token, labels: {secret: open}}\nspec: {automountServiceAccountToken: true, volumes: [{name: db-secret, secret: {secretName: open}}], imagePullSecrets: [{name: open}]}",
	} {
		t.Run(name, func(t *testing.T) {
			var decoded map[string]any
			if err := yaml.Unmarshal([]byte(object), &decoded); err != nil {
				t.Fatal(err)
			}
			redact.HideValues(decoded, nil, func(any) string { return "MASK" })
			out := fmt.Sprint(decoded)
			if strings.Contains(out, "canary") || strings.Contains(out, "4711") {
				t.Errorf("shown: %s", out)
			}
			if got, want := strings.Count(out, "open"), strings.Count(object, "open"); got != want {
				t.Errorf("%d of %d others are left: %s", got, want, out)
			}
			if hidden := strings.Contains(out, "MASK"); hidden != (strings.Contains(object, "canary") || strings.Contains(object, "4711")) {
				t.Errorf("hidden %v: %s", hidden, out)
			}
		})
	}
}
