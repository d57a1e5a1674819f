package config

import "strings"

// Example returns a configuration file in which every setting is given, as the rows' examples do.
func Example() string {
	var out strings.Builder
	inside := ""
	for _, r := range table {
		section, name, deep := strings.Cut(r.Name, ".")
		switch {
		case r.In&InFile == 0:
			continue
		case !deep:
			section, name = "", r.Name
		}
		if section != inside && section != "" {
			out.WriteString(section + ":\n")
		}
		if inside = section; r.field != nil {
			writeExample(&out, name, r.Example, strings.Repeat("  ", strings.Count(r.Name, ".")))
		}
	}
	return out.String()
}

// writeExample writes a field with its value, which may be a block.
func writeExample(out *strings.Builder, name, value, indent string) {
	out.WriteString(indent + name + ":")
	if !strings.Contains(value, "\n") {
		out.WriteString(" " + value + "\n")
		return
	}
	for line := range strings.Lines("\n" + value + "\n") {
		if line != "\n" {
			out.WriteString(indent + "  ")
		}
		out.WriteString(line)
	}
}
