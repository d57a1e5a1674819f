package sources

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// Item is a secret that a search found in a store, with its version.
type Item struct{ Name, Version string }

// setHeader and setBytes are part of the contract: the version of what a search finds goes into digests.
const (
	setHeader = "rollstamp-find-v1\n"
	setPrefix = "set-"
	setBytes  = 16
)

// SetVersion returns the version of what a search finds: that of the set of names and versions, whatever their order.
// The version of nothing is one, too.
func SetVersion(items []Item) string {
	items = slices.Clone(items)
	slices.SortFunc(items, func(a, b Item) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.Version, b.Version)
	})
	text := []byte(setHeader)
	for _, i := range slices.Compact(items) {
		for _, s := range []string{i.Name, i.Version} {
			text = append(strconv.AppendInt(text, int64(len(s)), 10), ':')
			text = append(text, s...)
		}
	}
	sum := sha256.Sum256(text)
	return setPrefix + hex.EncodeToString(sum[:setBytes])
}
