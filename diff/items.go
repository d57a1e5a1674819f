package diff

import (
	"fmt"
	"slices"
	"strings"
)

// byItem is a list as a mapping from its items' names to the items.
type byItem struct {
	names []string
	items map[string]any
}

// handles are the fields that identify the items of Kubernetes' lists. The first that all items have and no two share
// counts.
var handles = [][]string{{"name"}, {"mountPath"}, {"containerPort", "protocol"}, {"port", "protocol"},
	{"topologyKey"}, {"key", "operator", "effect"}, {"host"}, {"path"}, {"secretKey"}, {"type"}}

// nameItems reports whether a handle identifies the items of a list.
func nameItems(list []any) (byItem, bool) {
	for _, handle := range handles {
		if out, ok := itemsBy(handle, list); ok {
			return out, true
		}
	}
	return byItem{}, false
}

// itemsBy reports whether these fields identify the items of a list.
func itemsBy(handle []string, list []any) (byItem, bool) {
	out := byItem{items: make(map[string]any, len(list))}
	for _, v := range list {
		name, ok := handleOf(v, handle)
		if _, taken := out.items[name]; !ok || taken {
			return byItem{}, false
		}
		out.names = append(out.names, name)
		out.items[name] = v
	}
	return out, true
}

func handleOf(v any, handle []string) (string, bool) {
	table, ok := v.(map[string]any)
	if !ok {
		return "", false
	}
	var parts []string
	for i, field := range handle {
		value, has := table[field]
		if _, deep := value.(map[string]any); deep || !has && i == 0 {
			return "", false
		}
		switch {
		case has:
			parts = append(parts, fmt.Sprint(value))
		case field == "protocol":
			parts = append(parts, "TCP") // the default
		}
	}
	return strings.Join(parts, "/"), true
}

// order returns the names of both lists, those of the new one first.
func order(from, to byItem) []string {
	out := slices.Clone(to.names)
	for _, name := range from.names {
		if _, both := to.items[name]; !both {
			out = append(out, name)
		}
	}
	return out
}

// partners pairs the items of two runs that correspond to each other: one by one where they are equally long, else
// mappings by their place, and arguments by the name of their flag. A place is -1 where there is no partner.
func partners(from, to []any) []match {
	var out []match
	if len(from) == len(to) || !scalars(from) || !scalars(to) {
		for i := range max(len(from), len(to)) {
			m := match{i, i}
			if i >= len(from) {
				m.from = -1
			}
			if i >= len(to) {
				m.to = -1
			}
			out = append(out, m)
		}
		return out
	}
	flags := map[string]int{}
	for i, v := range from {
		if flag := flagOf(v); flag != "" {
			flags[flag] = i
		}
	}
	taken := map[int]bool{}
	for k, v := range to {
		i, found := flags[flagOf(v)]
		if !found || taken[i] {
			i = -1
		}
		taken[i] = true
		out = append(out, match{i, k})
	}
	for i := range from {
		if !taken[i] {
			out = append(out, match{i, -1})
		}
	}
	return out
}

func scalars(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool {
		switch v.(type) {
		case map[string]any, []any:
			return true
		}
		return false
	})
}

// flagOf returns what stands before the equals sign of an argument or a variable; "" where there is none.
func flagOf(v any) string {
	text, _ := v.(string)
	name, _, ok := strings.Cut(text, "=")
	if !ok {
		return ""
	}
	return name
}
