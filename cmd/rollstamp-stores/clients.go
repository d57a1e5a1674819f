package main

import (
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
	"github.com/rollstamp/rollstamp/sources/stores/aws"
	"github.com/rollstamp/rollstamp/sources/stores/azure"
	"github.com/rollstamp/rollstamp/sources/stores/bitwarden"
	"github.com/rollstamp/rollstamp/sources/stores/fake"
	"github.com/rollstamp/rollstamp/sources/stores/file"
	"github.com/rollstamp/rollstamp/sources/stores/gcp"
	"github.com/rollstamp/rollstamp/sources/stores/kubernetes"
	"github.com/rollstamp/rollstamp/sources/stores/onepassword"
	"github.com/rollstamp/rollstamp/sources/stores/vault"
	"github.com/rollstamp/rollstamp/sources/stores/webhook"
)

// clients are what asks each kind of store, by its name in provider.json.
var clients = map[string]func(*stores.Target) (sources.Versions, error){
	"aws-sm":                  aws.OpenSecrets,
	"aws-ssm":                 aws.OpenParameters,
	"azurekv":                 azure.Open,
	"bitwardensecretsmanager": bitwarden.Open,
	"env":                     file.OpenVariables,
	"fake":                    fake.Open,
	"file":                    file.OpenFolder,
	"gcpsm":                   gcp.Open,
	"kubernetes":              kubernetes.Open,
	"onepassword":             onepassword.Open,
	"vault":                   vault.Open,
	"webhook":                 webhook.Open,
}
