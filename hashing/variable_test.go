package hashing

import "testing"

func TestObjectsHaveVariablesOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, c := range []struct{ kind, name, want string }{
		{"ConfigMap", "app-config", "ROLLSTAMP_CONFIGMAP_APP_CONFIG"},
		{"ConfigMap", "app.config", "ROLLSTAMP_CONFIGMAP_APP_CONFIG_9EC9D39F"},
		{"ConfigMap", "other_app-config", ""},
		{"Secret", "app-config", "ROLLSTAMP_SECRET_APP_CONFIG"},
		{"SecretProviderClass", "app", "ROLLSTAMP_SECRETPROVIDERCLASS_APP"},
		{"Vault", "app", "ROLLSTAMP_VAULT_APP"},
	} {
		got := Variable(c.kind, c.name)
		if c.want != "" && got != c.want {
			t.Errorf("%s %s: %s, want %s", c.kind, c.name, got, c.want)
		}
		if other, has := seen[got]; has {
			t.Errorf("%s has the variable of %s", c.name, other)
		}
		seen[got] = c.name
		if !IsVariable(got) {
			t.Errorf("%s is not one of ours", got)
		}
	}
	for _, name := range []string{"ROLLSTAMP_HASH_KEY_FILE", "ROLLSTAMP_SECRETS", "ROLLSTAMP_ALLOW", "CONFIGMAP_A", ""} {
		if IsVariable(name) {
			t.Errorf("%q is one of ours", name)
		}
	}
}
