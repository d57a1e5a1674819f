package objects

import (
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// zalando knows the operator of Zalando: zalando/postgres-operator, pkg/cluster/util.go (credentialSecretName) with the
// default of secret_name_template in pkg/util/config/config.go, and pkg/cluster/cluster.go for the users.
func zalando() operator {
	return operator{rows: map[string][]row{
		"postgresql": {{
			group: "acid.zalan.do", kind: secret, namesOf: zalandoNames, content: inCluster, versionless: Made, yields: true,
		}},
	}}
}

// zalandoNames visits the Secret of each user of a database cluster.
func zalandoNames(o manifest.Object, visit func(kind, name, namespace string)) {
	spec := o.Node.Get("spec")
	user := func(name string) {
		visit(secret, strings.ReplaceAll(name, "_", "-")+"."+o.Name+".credentials.postgresql.acid.zalan.do", "")
	}
	user("postgres")
	user("standby")
	for f := spec.Get("users").Fields(); f.Next(); {
		user(f.Key.Field())
	}
	for f := spec.Get("preparedDatabases").Fields(); f.Next(); {
		if f.Value.Get("defaultUsers").IsTrue() {
			for _, role := range []string{"_owner_user", "_reader_user", "_writer_user"} {
				user(f.Key.Field() + role)
			}
		}
	}
	if spec.Get("enableConnectionPooler").IsTrue() || spec.Get("connectionPooler").IsMap() {
		user("pooler")
	}
}
