package main

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// byteUnits are the endings of numbers of bytes, as Kubernetes writes them.
var byteUnits = map[string]int64{
	"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40,
}

// maxMemory returns how many bytes of memory the environment lets a run use; 0 where it does not say.
func maxMemory(env config.Env) (int64, error) {
	text, _ := env(config.EnvMaxMemory)
	if text == "" {
		return 0, nil
	}
	n, ok := parseBytes(text)
	if !ok {
		return 0, diag.Usage(fmt.Errorf("%s is %q, which is no number of bytes", config.EnvMaxMemory, text),
			"Write it as "+cmp.Or(bytesMeant(text), "8Gi, 512Mi or 8589934592")+".")
	}
	return n, nil
}

// parseBytes reads a number of bytes with its unit. More than 0 is wanted.
func parseBytes(text string) (n int64, ok bool) {
	digits := strings.TrimRight(text, "kKMGTi")
	n, err := strconv.ParseInt(digits, 10, 64)
	unit := byteUnits[text[len(digits):]]
	if err != nil || n <= 0 || unit == 0 || n > math.MaxInt64/unit {
		return 0, false
	}
	return n * unit, true
}

// bytesMeant returns a number of bytes that is refused in the units of Kubernetes, such as 400Mi for 400MiB; "" where
// it cannot be seen what is meant.
func bytesMeant(text string) string {
	digits := strings.TrimRight(text, "kKMGTmgtiIbB ")
	unit := strings.TrimRight(strings.TrimSpace(text[len(digits):]), "bB")
	for name := range byteUnits {
		if _, ok := parseBytes(digits + name); ok && name != "" && strings.EqualFold(name, unit) {
			return digits + name
		}
	}
	return ""
}
