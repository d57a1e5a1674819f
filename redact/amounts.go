package redact

import (
	"slices"
	"strings"
)

// isAmount reports whether a value is a number or duration that a name counts or measures, such as MAX_TOKENS, tokenTTL
// and PASSWORD_MAX_AGE. A number may as well be a password: one under a name that ends in what it is, as MAX_PASSWORD
// does, is an amount for tokens only, and only where it is small.
func isAmount(name, value string) bool {
	value = strings.TrimSpace(value)
	if !isNumberOrDuration().MatchString(value) {
		return false
	}
	parts := nameParts(name)
	last := parts[len(parts)-1]
	isMeasure := slices.ContainsFunc(parts, isAmountWord)
	switch {
	case last == "tokens" && !isMeasure, last == "token" && isMeasure:
		return len(value) <= mostDigits
	case slices.ContainsFunc(parts, isCounted):
		return isMeasure
	}
	return isAmountWord(last) && len(value) <= fewDigits
}

// The most digits of a number that is an amount by some doubt: of tokens, and of what is known of a password.
const mostDigits, fewDigits = 6, 4

// isCounted reports whether amounts are common of what a word of a name says.
func isCounted(word string) bool { return word == "token" || word == "tokens" || word == "cookie" }

func isAmountWord(word string) bool { return slices.Contains(amountWords, word) }

var (
	isNumberOrDuration = pattern(`^-?[0-9]{1,9}(?:\.[0-9]{1,3})?(?:ns|us|ms|[smhdwy])?(?:[0-9]{1,5}(?:ms|[smh]))*$`)

	amountWords = []string{
		"max", "min", "maximum", "minimum", "num", "per", "lifespan", "lifetime", "ttl", "age", "validity", "period",
		"expires", "expire", "refresh", "retries", "attempts", "rounds", "iterations", "window", "skew", "leeway",
		"budget", "quota", "rate",
	}
)
