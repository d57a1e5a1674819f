package onepassword

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

// vaultsField is what the fields of a store begin with that number its vaults.
const vaultsField = "vaults."

// Open returns the client of a store.
func Open(t *stores.Target) (sources.Versions, error) {
	client, err := stores.Client(t.CAFile)
	if err != nil {
		return nil, err
	}
	vaults, err := vaultsOf(t.Fields)
	if err != nil {
		return nil, err
	}
	return New(Options{
		Host: t.Fields["connectHost"], Vaults: vaults, Token: t.Token(config.EnvConnectToken), HTTP: client,
	}), nil
}

// vaultsOf returns the names of a store's vaults in the order in which External Secrets looks into them.
func vaultsOf(fields map[string]string) ([]string, error) {
	type numbered struct {
		name   string
		number int
	}
	var all []numbered
	for field, text := range fields {
		name, is := strings.CutPrefix(field, vaultsField)
		if !is {
			continue
		}
		number, err := strconv.Atoi(text)
		if err != nil {
			return nil, sources.Fail(sources.Refused, "number of a vault")
		}
		all = append(all, numbered{name, number})
	}
	slices.SortFunc(all, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.number, b.number), strings.Compare(a.name, b.name))
	})
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].name
	}
	return names, nil
}
