package config

import (
	"os"
	"path/filepath"
	"slices"
)

// OperatorVariable returns a variable that the operator's policy file names for a token, or as a place of values.
func OperatorVariable(name string) (string, bool) { return lookup(name) }

// Environment returns the process's environment, as far as Vars declares it for us.
func Environment() Env {
	vars := Vars()
	return func(name string) (string, bool) {
		if !slices.ContainsFunc(vars, func(v Var) bool { return v.Name == name && !v.Indirect }) {
			panic("environment variable " + name + " is not declared")
		}
		return lookup(name)
	}
}

// HelmRegistryConfig returns helm's file of credentials for registries, as helm finds it, or "".
func HelmRegistryConfig(env Env) string {
	if path, ok := env(envHelmRegistry); ok && path != "" {
		return path
	}
	home, ok := env(envHelmConfig)
	if !ok || home == "" {
		user, err := os.UserConfigDir()
		if err != nil {
			return ""
		}
		home = filepath.Join(user, "helm")
	}
	return filepath.Join(home, "registry", "config.json")
}
