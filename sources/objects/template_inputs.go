package objects

import (
	"bytes"
	"text/template/parse"

	"github.com/rollstamp/rollstamp/manifest"
)

// inputNames are the inputs that a template names; the zero value is none.
type inputNames struct {
	all   bool // it cannot be followed which
	names map[string]bool
}

// allInputs are those of a template that is not at hand.
func allInputs() inputNames { return inputNames{all: true} }

// inputsOf returns the inputs that the text of a template names. They are the fields of what it is executed with: a
// map of strings, in External Secrets (runtime/template/v2/template.go, execute) and in Sealed Secrets
// (pkg/apis/sealedsecrets/v1alpha1/sealedsecret_expansion.go, Unseal) alike.
func inputsOf(text []byte) inputNames {
	if !hasTemplate(text) {
		return inputNames{}
	}
	trees, err := parseTemplate(text)
	if err != nil {
		return allInputs()
	}
	in := inputNames{names: map[string]bool{}}
	for name, tree := range trees {
		if name != "" { // one that is defined in the text may be executed with anything
			return allInputs()
		}
		in.addList(tree.Root, true)
	}
	return in
}

// parseTemplate returns the templates in a text, its own under "". Which functions there are is the operator's matter.
func parseTemplate(text []byte) (map[string]*parse.Tree, error) {
	trees := map[string]*parse.Tree{}
	tree := parse.New("")
	tree.Mode = parse.SkipFuncCheck
	_, err := tree.Parse(string(text), "", "", trees)
	return trees, err
}

// needs reports whether the input of a name counts.
func (in *inputNames) needs(name string) bool { return in.all || in.names[name] }

// needsOther reports whether an input counts that is no secretKey of a list of data.
func (in *inputNames) needsOther(data manifest.Node) bool {
	if in.all {
		return true
	}
	left := len(in.names)
	seen := map[string]bool{}
	for entry := range data.Items() {
		if key := entry.Get("secretKey").StringValue(); in.names[key] && !seen[key] {
			seen[key], left = true, left-1
		}
	}
	return left > 0
}

// addList adds what nodes name. atRoot is true where the dot is all inputs; in the bodies of with and range it comes
// from what is named already.
func (in *inputNames) addList(list *parse.ListNode, atRoot bool) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.TextNode, *parse.CommentNode, *parse.BreakNode, *parse.ContinueNode:
		case *parse.ActionNode:
			in.addPipe(n.Pipe, atRoot)
		case *parse.IfNode:
			in.addBranch(&n.BranchNode, atRoot, atRoot)
		case *parse.WithNode:
			in.addBranch(&n.BranchNode, atRoot, false)
		case *parse.RangeNode:
			in.addBranch(&n.BranchNode, atRoot, false)
		default:
			in.all = true
		}
	}
}

func (in *inputNames) addBranch(n *parse.BranchNode, atRoot, bodyAtRoot bool) {
	in.addPipe(n.Pipe, atRoot)
	in.addList(n.List, bodyAtRoot)
	in.addList(n.ElseList, atRoot)
}

func (in *inputNames) addPipe(pipe *parse.PipeNode, atRoot bool) {
	for _, variable := range pipe.Decl {
		in.all = in.all || variable.Ident[0] == "$"
	}
	for _, command := range pipe.Cmds {
		args := command.Args
		if key, ok := lookupKey(args, atRoot); ok {
			in.names[key] = true
			args = args[3:]
		}
		for _, arg := range args {
			in.addOperand(arg, atRoot)
		}
	}
}

// lookupKey returns the key of a command that takes one input, which is written: index . "key".
func lookupKey(args []parse.Node, atRoot bool) (key string, ok bool) {
	if len(args) < 3 {
		return "", false
	}
	function, ok := args[0].(*parse.IdentifierNode)
	if !ok || function.Ident != "index" && function.Ident != "get" && function.Ident != "hasKey" {
		return "", false
	}
	switch from := args[1].(type) {
	case *parse.DotNode:
		ok = atRoot
	case *parse.VariableNode:
		ok = len(from.Ident) == 1 && from.Ident[0] == "$"
	default:
		ok = false
	}
	name, isText := args[2].(*parse.StringNode)
	if !ok || !isText {
		return "", false
	}
	return name.Text, true
}

func (in *inputNames) addOperand(node parse.Node, atRoot bool) {
	switch n := node.(type) {
	case *parse.IdentifierNode, *parse.StringNode, *parse.NumberNode, *parse.BoolNode, *parse.NilNode:
	case *parse.DotNode:
		in.all = in.all || atRoot
	case *parse.FieldNode:
		if atRoot {
			in.names[n.Ident[0]] = true
		}
	case *parse.VariableNode:
		switch { // what other variables hold is named where it is assigned
		case n.Ident[0] != "$":
		case len(n.Ident) == 1:
			in.all = true
		default:
			in.names[n.Ident[1]] = true
		}
	case *parse.ChainNode:
		in.addOperand(n.Node, atRoot)
	case *parse.PipeNode:
		in.addPipe(n, atRoot)
	default:
		in.all = true
	}
}

// hasTemplate reports whether a template's text takes anything in.
func hasTemplate(t []byte) bool { return bytes.Contains(t, []byte("{{")) }
