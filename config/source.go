package config

import "strings"

// Source reports who said a value: "flag --namespace", "env ROLLSTAMP_HASH_DOMAIN", "/repo/.rollstamp.yaml:3" or
// "default".
type Source string

// Default is the source of what nobody said.
const Default Source = "default"

// ByOperator reports whether a flag or the environment said it: neither comes from the rendered tree.
func (s Source) ByOperator() bool {
	return strings.HasPrefix(string(s), "flag ") || strings.HasPrefix(string(s), "env ")
}

// Setting is a value with its source.
type Setting[T any] struct {
	Value  T      `json:"value"`
	Source Source `json:"source"`
}
