package convert

import (
	"errors"
	"text/template/parse"
)

// maxBranches bounds the texts that the conditions of a template are looked through for.
const maxBranches = 4096

// branches returns what a template can come to by its conditions and loops, each of which is executed once or not at
// all: texts with no actions but those that print.
func branches(text string) ([]string, error) {
	t := parse.New("templatePatch")
	t.Mode = parse.SkipFuncCheck
	if _, err := t.Parse(text, "", "", map[string]*parse.Tree{}); err != nil {
		return nil, errors.New("cannot be read as a template")
	}
	return branchesOf(t.Root)
}

func branchesOf(list *parse.ListNode) ([]string, error) {
	out := []string{""}
	if list == nil {
		return out, nil
	}
	for _, node := range list.Nodes {
		next, err := branchesOfNode(node)
		if err != nil {
			return nil, err
		}
		if len(out)*len(next) > maxBranches {
			return nil, errors.New("has more conditions than are looked through")
		}
		all := make([]string, 0, len(out)*len(next))
		for _, before := range out {
			for _, then := range next {
				all = append(all, before+then)
			}
		}
		out = all
	}
	return out, nil
}

func branchesOfNode(node parse.Node) ([]string, error) {
	switch n := node.(type) {
	case *parse.TextNode:
		return []string{string(n.Text)}, nil
	case *parse.ActionNode:
		if len(n.Pipe.Decl) > 0 {
			return []string{""}, nil
		}
		return []string{n.String()}, nil
	case *parse.TemplateNode:
		return []string{n.String()}, nil
	case *parse.IfNode:
		return eitherOf(n.List, n.ElseList)
	case *parse.WithNode:
		return eitherOf(n.List, n.ElseList)
	case *parse.RangeNode:
		return eitherOf(n.List, n.ElseList)
	}
	return nil, errors.New("has an action that is not looked through: " + node.String())
}

func eitherOf(list, other *parse.ListNode) ([]string, error) {
	out, err := branchesOf(list)
	if err != nil {
		return nil, err
	}
	more, err := branchesOf(other)
	return append(out, more...), err
}
