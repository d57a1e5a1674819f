package krm

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// ConfigKind and ConfigVersion are what a functionConfig is.
const (
	ConfigKind    = "Stamp"
	ConfigVersion = "rollstamp.dev/v1"
)

const configName = "functionConfig"

// declarations are where a host's user says which program or image a function is, and what it is started with: YAML in
// an annotation, whose older name hosts read, too, or a field of metadata.
var declarations = []string{"config.kubernetes.io/function", "config.k8s.io/function"}

const declarationField = "configFn"

// OperatorFlags are the flags that a function does not have, because the tree that it works on declares its arguments.
var OperatorFlags = []string{"allow", "open-sops", "sealing-key-file"}

// Config returns the settings of the functionConfig, those below its spec; nil where it has none. They have the lines
// that they have in the functionConfig.
func (l *List) Config() (*config.Given, error) {
	n := l.document.Root().Get(configName)
	if !n.Valid() || n.Type() == manifest.Null {
		return nil, nil
	}
	if !n.IsMap() {
		return nil, configError(1, errors.New("it is no mapping"))
	}
	if key := repeatedKey(n); key.Valid() {
		return nil, configError(l.lineIn(n, key), fmt.Errorf("%s is written twice", diag.Quote(key.Text())))
	}
	if err := checkDeclaration(n); err != nil {
		return nil, err
	}
	kind, version := n.Get("kind").StringValue(), n.Get("apiVersion").StringValue()
	switch {
	case kind == "ConfigMap" && version == "v1":
		return fromConfigMap(n), nil
	case kind != ConfigKind || version != ConfigVersion:
		return nil, configError(1, fmt.Errorf("it is %s of %s", orNothing(kind), orNothing(version)))
	}
	return l.fromStamp(n)
}

// CheckStart refuses ResourceLists in a text whose functionConfig declares a function that is started with more than a
// function may have. A text without one, or that cannot be read, is for others to judge.
func CheckStart(text []byte) error {
	if !bytes.Contains(text, []byte(configName)) {
		return nil
	}
	for d, err := range manifest.Documents(text, "-") {
		if err != nil {
			return nil
		}
		root := d.Root()
		if root.Get("kind").StringValue() != listKind {
			continue
		}
		if err := checkDeclaration(root.Get(configName)); err != nil {
			return err
		}
	}
	return nil
}

// checkDeclaration refuses a function that is started with more than a function may have.
func checkDeclaration(n manifest.Node) error {
	metadata := n.Get("metadata")
	if err := checkStart(declarationField, metadata.Get(declarationField)); err != nil {
		return err
	}
	for _, name := range declarations {
		text := metadata.At("annotations", name).StringValue()
		if text == "" {
			continue
		}
		declared, err := manifest.Parse([]byte(text))
		if err != nil {
			return configError(1, fmt.Errorf("%s is no YAML", name))
		}
		if err := checkStart(name, declared.Root()); err != nil {
			return err
		}
	}
	return nil
}

// checkStart looks in all words of a declaration for what only the operator says. That it passes a variable of the host
// on, which is a name without a value, is another matter.
func checkStart(name string, declared manifest.Node) error {
	if !declared.Valid() {
		return nil
	}
	words := operatorWords()
	var found string
	manifest.AnyScalar(declared, func(one manifest.Node) bool {
		if match := words.FindStringSubmatch(one.Text()); match != nil {
			found = match[1] + match[2]
		}
		return found != ""
	})
	if found == "" {
		return nil
	}
	return &diag.Error{Exit: diag.ExitUsage, Pos: diag.Position{File: configName, Line: 1},
		Err:  fmt.Errorf("read the configuration: %s has %s, which only whoever starts the host may give", name, found),
		Hint: "That comes from the environment of whoever starts the host, not from the tree that it works on."}
}

// operatorWords finds a flag or the assignment of a variable that sets what no file of a tree may set, in whatever line
// of a shell.
func operatorWords() *regexp.Regexp {
	var names []string
	for _, v := range config.OperatorVars() {
		names = append(names, v.Pattern())
	}
	return regexp.MustCompile(`(?i)(?:^|[^\w-])(?:(--(?:` + strings.Join(append(config.OperatorFlags(), "findings"), "|") +
		`))(?:$|[^\w-])|((?:` + strings.Join(names, "|") + `)=))`)
}

// fromConfigMap returns the settings of a ConfigMap, as kpt passes those of its command line: values are YAML.
func fromConfigMap(n manifest.Node) *config.Given {
	var text strings.Builder
	for k, v := range n.Get("data").Entries() {
		value := strings.TrimRight(v.Text(), "\n")
		if strings.Contains(value, "\n") {
			value = "\n  " + strings.ReplaceAll(value, "\n", "\n  ")
		}
		text.WriteString(k.Text() + ": " + value + "\n")
	}
	if text.Len() == 0 {
		return nil
	}
	return &config.Given{Name: configName, Text: []byte(text.String())}
}

// fromStamp returns the settings of an object of our own kind.
func (l *List) fromStamp(n manifest.Node) (*config.Given, error) {
	for field := range n.Entries() {
		if key := field.Text(); key != "apiVersion" && key != "kind" && key != "metadata" && key != "spec" {
			return nil, configError(l.lineIn(n, field), fmt.Errorf("there is no field %s; settings stand below spec%s",
				diag.Quote(key), settingMeant(key)))
		}
	}
	spec := n.Get("spec")
	if !spec.Valid() || spec.Type() == manifest.Null {
		return nil, nil
	}
	if !spec.IsMap() {
		return nil, configError(l.lineIn(n, spec), errors.New("spec is no mapping"))
	}
	text, err := l.textOf(spec)
	if err != nil {
		return nil, err
	}
	blank := bytes.Repeat([]byte("\n"), l.lineIn(n, spec)-1)
	return &config.Given{Name: configName, Text: append(blank, text...)}, nil
}

// settingMeant returns "; did you mean x?" for a word that is no setting and near one.
func settingMeant(word string) string {
	var names []string
	for _, row := range config.Table() {
		name, _, _ := strings.Cut(row.Name, ".")
		if name == word {
			return ""
		}
		if row.In&config.InFile != 0 && name != "" {
			names = append(names, name)
		}
	}
	return config.Suggest(word, names)
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return diag.Quote(s)
}

func configError(line int, err error) error {
	return &diag.Error{Exit: diag.ExitUsage, Pos: diag.Position{File: configName, Line: line},
		Err: fmt.Errorf("read the configuration: %w", err),
		Hint: "Want apiVersion: " + ConfigVersion + ", kind: " + ConfigKind +
			", and below spec what .rollstamp.yaml may hold."}
}

// lineIn returns the line of a node, counted from the first one of another.
func (l *List) lineIn(of, n manifest.Node) int {
	return 1 + bytes.Count(l.document.Text()[of.Offset():max(of.Offset(), n.Offset())], []byte("\n"))
}

// textOf returns a node's text as a document of its own.
func (l *List) textOf(n manifest.Node) ([]byte, error) {
	text := l.document.Text()
	if end := n.End(); end > 0 {
		begin := n.Offset()
		if !n.IsFlow() {
			begin = bytes.LastIndexByte(text[:begin], '\n') + 1
		}
		return text[begin:end], nil
	}
	var list struct {
		Config struct{ Spec yaml.Node } `yaml:"functionConfig"`
	}
	if err := yaml.Unmarshal(text, &list); err != nil {
		return nil, configError(1, errors.New("it cannot be read"))
	}
	out, err := yaml.Marshal(&list.Config.Spec)
	if err != nil {
		return nil, configError(1, errors.New("it cannot be read"))
	}
	return out, nil
}
