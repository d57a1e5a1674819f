package hashing

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// variablePrefix begins the name of every environment variable that holds a digest.
const variablePrefix = "ROLLSTAMP_"

// CombinedVariable is the name of the environment variable that holds one digest of all that a pod template consumes.
const CombinedVariable = variablePrefix + "ALL"

// VariablesMark is the annotation of a pod template that says which variables hold a digest because they are read from
// the key __data, and what they were read from.
const VariablesMark = DefaultPrefix + "variables"

// Variable returns the name of the environment variable that holds the digest of an object. A name with other
// characters than letters, digits and dashes ends in a hash of it, because another one could have the same variable.
func Variable(kind, name string) string {
	var out strings.Builder
	out.Grow(len(variablePrefix) + len(kind) + len("_") + len(name))
	out.WriteString(variablePrefix)
	out.WriteString(strings.ToUpper(kind))
	out.WriteByte('_')
	meets := false
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z':
			out.WriteByte(c - 'a' + 'A')
		case c >= '0' && c <= '9':
			out.WriteByte(c)
		default:
			out.WriteByte('_')
			meets = meets || c != '-'
		}
	}
	if meets {
		sum := sha256.Sum256([]byte(name))
		out.WriteString("_" + strings.ToUpper(hex.EncodeToString(sum[:nameBytes])))
	}
	return out.String()
}

// IsVariable reports whether a name is one that Variable returns, or CombinedVariable.
func IsVariable(name string) bool {
	rest, found := strings.CutPrefix(name, variablePrefix)
	if !found {
		return false
	}
	for _, kind := range [...]string{"CONFIGMAP_", "SECRET_", "SECRETPROVIDERCLASS_", "VAULT_"} {
		if strings.HasPrefix(rest, kind) {
			return true
		}
	}
	return name == CombinedVariable
}

// MayHoldVariables reports whether a text may have environment variables of ours.
func MayHoldVariables(text []byte) bool { return bytes.Contains(text, []byte(variablePrefix)) }
