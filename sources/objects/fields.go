package objects

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
)

// readFields takes what the fields of a ConfigMap or Secret hold that is what containers read.
func (c *Content) readFields(kind string, node manifest.Node) {
	for _, f := range contentFields[kind] {
		n := node.Get(f.name)
		if n.Valid() && !n.IsMap() && n.Type() != manifest.Null {
			c.fail(n, "", f.name+" is not a mapping")
		}
		pairs, failed := len(c.Pairs), len(c.Invalid)
		taken := c.takenKeys(f, n)
		for e := n.Fields(); e.Next(); {
			key := e.Key.Field()
			value, problem := c.value(e.Value, f)
			if problem != "" {
				c.fail(e.Value, key, fmt.Sprintf("the value of key %q in %s is %s", key, f.name, problem))
				continue
			}
			if taken[key] {
				c.fail(e.Value, key, fmt.Sprintf("key %q is in both data and binaryData", key))
			}
			c.Pairs = append(c.Pairs, Pair{Key: key, Value: redact.New(value)})
			if isBankVaults(value) {
				c.addUnversioned(Unversioned{Why: Fetched})
			}
		}
		if len(c.Invalid) > failed {
			c.dropReplaced(n, pairs, failed)
		}
	}
	c.Pairs = lastOfEach(c.Pairs)
	slices.SortStableFunc(c.Invalid, func(a, b Invalid) int { return strings.Compare(a.Key, b.Key) })
}

// takenKeys returns the keys that a field cannot have because an earlier one has them; nil where there are none.
func (c *Content) takenKeys(f field, n manifest.Node) map[string]bool {
	if len(c.Pairs) == 0 || f.replaces || n.Len() == 0 {
		return nil
	}
	taken := map[string]bool{}
	for _, p := range c.Pairs {
		taken[p.Key] = true
	}
	return taken
}

// dropReplaced takes out what is invalid in a field and written again later in it, and what is valid and then written
// again as invalid. pairs and invalid are how many there were before the field.
func (c *Content) dropReplaced(n manifest.Node, pairs, invalid int) {
	last := map[string]int{}
	for e := n.Fields(); e.Next(); {
		last[e.Key.Field()] = e.Value.Offset()
	}
	failed := map[string]bool{}
	left := c.Invalid[:invalid]
	for _, v := range c.Invalid[invalid:] {
		if at, written := last[v.Key]; !written || at == v.Offset {
			left = append(left, v)
			failed[v.Key] = true
		}
	}
	c.Invalid = left
	valid := slices.DeleteFunc(c.Pairs[pairs:], func(p Pair) bool { return failed[p.Key] })
	c.Pairs = append(c.Pairs[:pairs], valid...)
}

func (c *Content) fail(n manifest.Node, key, problem string) {
	c.Invalid = append(c.Invalid, Invalid{Key: key, Problem: problem, Offset: n.Offset()})
}

// value returns the bytes of one value, or what is wrong with it.
func (c *Content) value(v manifest.Node, f field) (value []byte, problem string) {
	switch v.Type() {
	case manifest.Null:
		return nil, ""
	case manifest.String:
	case manifest.Other:
		return nil, "not a string but a mapping or sequence"
	default:
		return nil, "not a string but a number or boolean"
	}
	value, c.buf = v.AppendValue(c.buf)
	if !f.base64 {
		return value, ""
	}
	from := len(c.buf)
	buf, err := base64.StdEncoding.AppendDecode(c.buf, value)
	if err != nil {
		return nil, "invalid base64" // the library's error would name a position in the value
	}
	c.buf = buf
	return buf[from:len(buf):len(buf)], ""
}

// lastOfEach sorts pairs by key and keeps the last of those with one key.
func lastOfEach(ps []Pair) []Pair {
	byKey := func(a, b Pair) int { return strings.Compare(a.Key, b.Key) }
	if !slices.IsSortedFunc(ps, byKey) {
		slices.SortStableFunc(ps, byKey)
	}
	out := ps[:0]
	for i, p := range ps {
		if i+1 == len(ps) || ps[i+1].Key != p.Key {
			out = append(out, p)
		}
	}
	return out
}
