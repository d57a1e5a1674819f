package objects

import (
	"fmt"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

func TestAnObjectOfAClassNamesAPlaceInAStore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ provider, parameters, object, want string }{
		{"vault", "vaultAddress: https://v, vaultNamespace: team", "secretPath: kv/data/db, secretKey: a", "vault map[namespace:team server:https://v version:v2] kv/data/db a"},
		{"vault", "", "secretPath: /v1/kv/db, method: get", "vault map[version:v2] kv/db"},
		{"vault", "", "secretPath: 'v1/kv/data/db?version=2'", "vault map[version:v2] kv/data/db 2"},
		{"vault", "", "secretPath: 'kv/data/db?list=true'", "fetched"},
		{"vault", "", "secretPath: 'kv/data/db?a=%zz'", "fetched"},
		{"vault", "", "secretPath: kv/data/db, secretArgs: {a: b}", "fetched"},
		{"vault", "", "secretPath: pki/issue/a, method: POST, secretArgs: {a: b}", "made"},
		{"vault", "", "objectName: a", "fetched"},
		{"openbao", "baoAddress: https://b", "secretPath: kv/data/db", "vault map[server:https://b version:v2] kv/data/db"},
		{"aws", "region: eu-central-1", "objectName: db, objectType: secretsmanager, objectVersionLabel: AWSPREVIOUS", "aws-sm map[region:eu-central-1] secretsmanager/db AWSPREVIOUS"},
		{"aws", "", "objectName: db, objectType: secretsmanager, objectVersion: x, objectVersionLabel: y", "aws-sm map[] secretsmanager/db uuid/x"},
		{"aws", "", "objectName: /a/db, objectType: ssm, objectVersion: 3", "aws-ssm map[] ssmparameter//a/db 3"},
		{"aws", "", "objectName: 'arn:aws:secretsmanager:eu-central-1:1:secret:db-x'", "aws-sm map[] secretsmanager/arn:aws:secretsmanager:eu-central-1:1:secret:db-x"},
		{"aws", "", "objectName: 'arn:aws:ssm:eu-central-1:1:parameter/db'", "aws-ssm map[] ssmparameter/arn:aws:ssm:eu-central-1:1:parameter/db"},
		{"aws", "", "objectName: db", "fetched"},
		{"aws", "", "objectName: 'arn:x', objectType: ''", "fetched"},
		{"azure", "keyvaultName: ' shop ', cloudName: AzureChinaCloud", "objectName: a, objectType: cert", "azurekv map[vaultUrl:https://shop.vault.azure.cn] cert/a"},
		{"azure", "keyvaultName: 'evil.example/', cloudName: ''", "objectName: a, objectType: secret", "azurekv map[] secret/a"},
		{"azure", "keyvaultName: shop, cloudName: AzureStackCloud", "objectName: a, objectType: secret, objectVersion: latest", "azurekv map[] secret/a"},
		{"azure", "keyvaultName: shop", "objectName: a", "fetched"},
		{"gcp", "", "resourceName: projects/p/secrets/a/versions/latest", "gcpsm map[projectID:p] projects/p/secrets/a"},
		{"gcp", "", "resourceName: projects/p/locations/eu/secrets/a/versions/prod", "gcpsm map[location:eu projectID:p] projects/p/locations/eu/secrets/a prod"},
		{"gcp", "", "resourceName: projects/p/locations/eu/parameters/a/versions/1", "fetched"},
		{"gcp", "", "resourceName: a", "fetched"},
	} {
		text := "apiVersion: secrets-store.csi.x-k8s.io/v1\nkind: SecretProviderClass\nmetadata: {name: c, namespace: n}\n" +
			"spec: {provider: " + c.provider + ", parameters: {" + c.parameters + "}, o: {" + c.object + "}}\n"
		x := indexed(t, "", text)
		o, _ := x.Find(sources.ProviderClass, "n", "c")
		spec := o.producers[0].node.Get("spec")
		ref, why := classPlaces[c.provider](sources.Store{Kind: sources.ProviderClass, Namespace: "n", Name: "c", Fields: map[string]string{}}, canonical.Read(spec.Get("parameters")), canonical.Read(spec.Get("o")))
		got := string(why)
		if why == "" {
			got = fmt.Sprintf("%s %v %s", ref.Store.Provider, ref.Store.Fields, ref.Key)
			for _, more := range []string{ref.Property, ref.Version} {
				if more != "" {
					got += " " + more
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", c.provider, c.object, got, c.want)
		}
	}
}
