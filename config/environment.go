package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// DockerFile returns docker's file of credentials for registries, as docker finds it, or "".
func DockerFile(env Env) string {
	folder, _ := env(envDockerConfig)
	if folder == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		folder = filepath.Join(home, ".docker")
	}
	return filepath.Join(folder, "config.json")
}

// runtimeVariables are what Go's runtime reads before a program begins.
var runtimeVariables = []string{"GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GODEBUG", "GOTRACEBACK", "GOCOVERDIR"}

// EnvironmentForWorkers returns the environment of a worker process of this program: what it is started with, which
// everybody on the machine may be able to read, and all of it, which it is sent.
func EnvironmentForWorkers() (start, all []string) {
	all = environment()
	for _, entry := range all {
		if name, _, _ := strings.Cut(entry, "="); slices.Contains(runtimeVariables, name) {
			start = append(start, entry)
		}
	}
	return start, all
}

// ReplaceEnvironment makes these the variables of this process.
func ReplaceEnvironment(all []string) {
	os.Clearenv()
	for _, entry := range all {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			_ = os.Setenv(name, value) // it was the environment of a process already
		}
	}
}
