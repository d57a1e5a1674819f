// Package reference holds the tree of the program's commands, and writes the page about them.
package reference

// Command is a command with its flags and the commands below it. Hidden commands and flags are left out.
type Command struct {
	Path     string    `json:"path"`  // as it is typed: rollstamp argocd render
	Usage    string    `json:"usage"` // the path with its arguments; "" where the command only holds others
	Short    string    `json:"short"`
	Long     string    `json:"long,omitempty"`
	Example  string    `json:"example,omitempty"`
	Flags    []Flag    `json:"flags,omitempty"` // in the order of help
	Commands []Command `json:"commands,omitempty"`
}

// Flag is a flag of a command.
type Flag struct {
	Name    string `json:"name"`
	Short   string `json:"short,omitempty"` // one letter
	Value   string `json:"value,omitempty"` // the kind of its value, "" for a switch
	Usage   string `json:"usage"`
	Default string `json:"default,omitempty"`
	Group   string `json:"group"`             // its heading in help
	Setting string `json:"setting,omitempty"` // the setting that it sets, which the configuration may hold too
	Global  bool   `json:"global,omitempty"`  // the commands below take it, too
}

// All returns a command and those below it, each before its own.
func All(c *Command) []*Command {
	out := []*Command{c}
	for i := range c.Commands {
		out = append(out, All(&c.Commands[i])...)
	}
	return out
}
