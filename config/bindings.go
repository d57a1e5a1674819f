package config

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// BindingForm is how a binding lets containers read an object.
type BindingForm string

// The forms.
const (
	BindEnvFrom BindingForm = "envFrom"
	BindEnv     BindingForm = "env"
	BindVolume  BindingForm = "volume"
)

// Choices lists the values.
func (BindingForm) Choices() []string {
	return []string{string(BindEnvFrom), string(BindEnv), string(BindVolume)}
}

// UnmarshalText takes one of Choices.
func (f *BindingForm) UnmarshalText(b []byte) error { return choose(f, string(b)) }

// EnvironmentField is what a name has in place of the environment of a workload's namespace.
const EnvironmentField = "{environment}"

// BindingRule adds a ConfigMap or Secret to workloads.
type BindingRule struct {
	// Which workloads get it.
	Match Match `yaml:"match" json:"match" schema:"required"`
	// Kind of the object.
	Kind ContentKind `yaml:"kind" json:"kind" schema:"required"`
	// Name of the object, in which {environment} stands for the environment of the workload's namespace.
	Name NonEmpty `yaml:"name" json:"name" schema:"required"`
	// How containers read it: all keys as variables, some keys as variables, or files.
	As BindingForm `yaml:"as" json:"as" schema:"required"`
	// Keys that are read: those of variables, or of files; a volume has all where absent.
	Keys []NonEmpty `yaml:"keys,omitempty" json:"keys,omitempty"`
	// Names of variables with their keys, where these are called otherwise.
	Variables map[string]NonEmpty `yaml:"variables,omitempty" json:"variables,omitempty"`
	// What the names of all variables begin with.
	Prefix NonEmpty `yaml:"prefix,omitempty" json:"prefix,omitempty"`
	// Folder of a volume in the containers.
	MountPath NonEmpty `yaml:"mountPath,omitempty" json:"mountPath,omitempty"`
	// Globs of the names of containers, init containers among them; all that are no init containers where absent.
	Containers []Glob `yaml:"containers,omitempty" json:"containers,omitempty"`
	// Whether pods start without the object.
	Optional bool `yaml:"optional,omitempty" json:"optional,omitempty"`
	// Environments of namespaces, for {environment} in the name: workloads in other namespaces get nothing.
	Environments map[string]NonEmpty `yaml:"environments,omitempty" json:"environments,omitempty"`
}

func (b *BindingRule) check() error {
	usesEnvironment := strings.Contains(string(b.Name), EnvironmentField)
	switch rest := strings.ReplaceAll(string(b.Name), EnvironmentField, ""); {
	case strings.ContainsAny(rest, "{}/ "):
		return fmt.Errorf("name: %q is no name; only %s is put into one", b.Name, EnvironmentField)
	case usesEnvironment && len(b.Environments) == 0:
		return fmt.Errorf("name has %s, and environments names none", EnvironmentField)
	case !usesEnvironment && len(b.Environments) > 0:
		return fmt.Errorf("environments has no effect: the name has no %s", EnvironmentField)
	}
	if err := b.checkNames(); err != nil {
		return err
	}
	return b.checkForm()
}

// checkNames refuses names that no object can have.
func (b *BindingRule) checkNames() error {
	check := func(field, name string) error {
		if len(validation.IsDNS1123Subdomain(name)) == 0 {
			return nil
		}
		return fmt.Errorf("%s: no %s can be called %q: a name has lower-case letters, digits, dashes and dots", field, b.Kind,
			name)
	}
	if len(b.Environments) == 0 {
		return check("name", string(b.Name))
	}
	for _, namespace := range slices.Sorted(maps.Keys(b.Environments)) {
		name, _ := b.ObjectName(namespace)
		if err := check("environments."+namespace, name); err != nil {
			return err
		}
	}
	return nil
}

// checkForm refuses fields that the form does not have, and misses those that it needs.
func (b *BindingRule) checkForm() error {
	variables := len(b.Keys) + len(b.Variables)
	switch {
	case b.As == BindEnv && variables == 0:
		return errors.New("as: env needs keys or variables; envFrom takes all keys")
	case b.As == BindEnvFrom && variables > 0:
		return errors.New("as: envFrom takes all keys; env takes some")
	case b.As == BindVolume && len(b.Variables) > 0:
		return errors.New("variables are for as: env")
	case b.As == BindVolume && b.MountPath == "":
		return errors.New("as: volume needs a mountPath")
	case b.As != BindVolume && b.MountPath != "":
		return errors.New("mountPath is for as: volume")
	case b.As == BindVolume && b.Prefix != "":
		return errors.New("prefix is for variables")
	case b.MountPath != "" && (!path.IsAbs(string(b.MountPath)) || strings.ContainsAny(string(b.MountPath), ": \t\n")):
		return fmt.Errorf("mountPath: %q is no path from the root without colons and blanks", b.MountPath)
	}
	for _, key := range b.Keys {
		if len(validation.IsConfigMapKey(string(key))) > 0 {
			return fmt.Errorf("keys: %q is no key", key)
		}
	}
	for name := range b.Variables {
		if name == "" || strings.ContainsAny(name, "= \t\n") {
			return fmt.Errorf("variables: %q is no name of a variable", name)
		}
	}
	return nil
}

// ObjectName returns the name of the object for workloads in a namespace, and whether there is one.
func (b *BindingRule) ObjectName(namespace string) (name string, ok bool) {
	if len(b.Environments) == 0 {
		return string(b.Name), true
	}
	environment, ok := b.Environments[namespace]
	return strings.ReplaceAll(string(b.Name), EnvironmentField, string(environment)), ok
}

// BindsContainer reports whether a container gets the object.
func (b *BindingRule) BindsContainer(name string, isInit bool) bool {
	for _, g := range b.Containers {
		if g.Match(name) {
			return true
		}
	}
	return len(b.Containers) == 0 && !isInit
}
