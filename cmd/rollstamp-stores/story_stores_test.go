package main

import (
	"fmt"
	"strconv"
)

func number(_ string, n int) string { return strconv.Itoa(n) }

// stories are the providers.
var stories = map[string]story{
	"aws-sm, at an endpoint that the environment names": {
		serve: awsAt("secretsmanager", secretsManager, false), provider: "aws: {service: SecretsManager, region: eu-central-1}",
		version: awsVersion, pinned: "uuid/" + fmt.Sprintf("%032d", 1), search: "{name: {regexp: ^team}}",
		off: `latest version is deleted \(marked for deletion\)`, denied: `permission denied \(AccessDeniedException\)`,
		more: map[string]string{"{key: staged, version: AWSPREVIOUS}": "staged@AWSPREVIOUS version " + awsVersion("staged", 1)},
		asks: []string{"secretsmanager.DescribeSecret", "secretsmanager.ListSecrets"},
	},
	"aws-ssm, at an endpoint that the policy names": {
		serve: awsAt("ssm", parameterStore, true), provider: "aws: {service: ParameterStore, region: eu-central-1}",
		rule:    "  fields: {endpoint: $URL}\n  caFile: $CA\n",
		version: number, pinned: "1", search: "{name: {regexp: ^team}}", denied: `permission denied \(AccessDeniedException\)`,
		more: map[string]string{
			"{key: staged, version: prod}": "staged@prod version 1", `{key: "staged:prod"}`: "staged:prod version 1",
			`{key: "arn:aws:ssm:eu-central-1:1:parameter/staged"}`: "arn:aws:ssm:eu-central-1:1:parameter/staged version 2",
		},
		asks: []string{"AmazonSSM.DescribeParameters", "AmazonSSM.GetParameter"},
	},
	"azurekv, behind a proxy": {
		serve: azureAt(false), provider: `azurekv: {vaultUrl: "$URL"}`, rule: "  addresses: [$URL]\n  caFile: $CA\n",
		version: azureVersion, pinned: fmt.Sprintf("%032d", 1), search: "{name: {regexp: ^team}}",
		off: `latest version is disabled`, denied: `permission denied \(HTTP 403\)`, asks: []string{"list of secrets", "versions of keys", "versions of secrets"},
		more: map[string]string{"{key: key/staged}": "key/staged version " + azureVersion("staged", 2), "{key: cert/staged}": "cert/staged version " + azureVersion("staged", 2)},
	},
	"azurekv, as a workload": {
		serve: azureAt(true), provider: `azurekv: {vaultUrl: "$URL"}`, rule: "  addresses: [$URL]\n  caFile: $CA\n",
		version: azureVersion, denied: `permission denied`, asks: []string{"versions of secrets"},
	},
	"gcpsm, with credentials that the policy names": {
		serve: gcpAt(false), provider: "gcpsm: {projectID: shop-1}",
		rule:    "  fields: {endpoint: $URL}\n  caFile: $CA\n  credentials: {credentialsFile: \"$DIR/google.json\"}\n",
		version: number, pinned: "1", search: "{name: {regexp: ^team}}",
		off: `latest version is disabled \(version 4\)`, denied: `permission denied \(gRPC PermissionDenied\)`, asks: []string{"GetSecretVersion", "ListSecrets"},
		more: map[string]string{"{key: staged, version: prod}": "staged@prod version 1"},
	},
	"gcpsm, with credentials that the environment names": {
		serve: gcpAt(true), provider: "gcpsm: {projectID: shop-1}", rule: "  fields: {endpoint: $URL}\n  caFile: $CA\n",
		version: number, pinned: "1", denied: `permission denied`, asks: []string{"GetSecretVersion"},
	},
	"onepassword": {
		serve: connectAt, provider: `onepassword: {connectHost: "$URL", vaults: {other: 2, shop: 1}}`, rule: "  addresses: [$URL]\n  caFile: $CA\n",
		version: number, search: "{tags: {team: \"\"}}", denied: `permission denied \(HTTP 403\)`, asks: []string{"list items", "list vaults"},
	},
	"bitwardensecretsmanager": {
		serve:    bitwardenAt,
		provider: `bitwardensecretsmanager: {bitwardenServerSDKURL: "$URL", apiURL: "https://api.bitwarden.com", identityURL: "https://identity.bitwarden.com/", organizationID: o, projectID: p}`,
		rule:     "  addresses: [$URL]\n  caFile: $CA\n", version: bitwardenVersion, denied: `permission denied \(HTTP 403\)`,
		more: map[string]string{"{key: " + bitwardenID("staged") + "}": bitwardenID("staged") + " version " + bitwardenVersion("", 2)},
		asks: []string{"secret", "secrets"},
	},
	"kubernetes": {
		serve: kubernetesAt, provider: `kubernetes: {server: {url: "$URL"}, remoteNamespace: remote}`,
		rule:    "  addresses: [$URL]\n  caFile: $CA\n  credentials: {tokenFile: \"$DIR/token\"}\n",
		version: func(name string, n int) string { return fmt.Sprintf("u-%s/%d", name, n) }, search: "{name: {regexp: ^team}}",
		denied: `permission denied \(HTTP 403\)`, asks: []string{"get", "list"},
	},
	"vault": {
		serve: vaultAt, provider: `vault: {server: "$URL", path: kv, version: v2}`,
		rule:    "  addresses: [$URL]\n  caFile: $CA\n  credentials: {tokenFile: \"$DIR/token\"}\n",
		version: number, pinned: "1", search: "{name: {regexp: ^team}}",
		off: `latest version is deleted \(version 4\)`, denied: `permission denied \(HTTP 403\)`, asks: []string{"list", "read"},
	},
	"openBao": {
		serve: vaultAt, provider: `openBao: {server: "$URL", path: kv, version: v2}`,
		rule:    "  addresses: [$URL]\n  caFile: $CA\n  credentials: {tokenFile: \"$DIR/token\"}\n",
		version: number, pinned: "1", denied: `permission denied`, asks: []string{"read"},
	},
	"webhook": {
		serve: webhookAt, provider: `webhook: {url: "https://elsewhere.invalid"}`,
		rule:   "  fields: {url: '$URL/?key={{ .remoteRef.key }}&property={{ .remoteRef.property }}', result.jsonPath: '$.data', headers: '{\"X-Team\": \"shop\"}'}\n  credentials: {tokenEnv: WEBHOOK_TOKEN}\n",
		denied: `permission denied \(HTTP 403\)`, asks: []string{"GET"},
	},
}
