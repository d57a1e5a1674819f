package diff

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// isSchedule reports whether a CronJob can have a schedule, its time zone aside.
func isSchedule(text string) bool {
	if duration, ok := strings.CutPrefix(text, "@every "); ok {
		_, err := time.ParseDuration(duration)
		return err == nil
	}
	if strings.HasPrefix(text, "@") {
		words := []string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}
		return slices.Contains(words, text)
	}
	fields := strings.Fields(text)
	if len(fields) != 5 {
		return false
	}
	months := []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
	days := []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
	for i, b := range []bounds{{0, 59, nil}, {0, 23, nil}, {1, 31, nil}, {1, 12, months}, {0, 6, days}} {
		for _, one := range strings.FieldsFunc(fields[i], func(r rune) bool { return r == ',' }) {
			if !b.hold(one) {
				return false
			}
		}
	}
	return true
}

// bounds are what the numbers of a field of a schedule lie between, and the words for them.
type bounds struct {
	low, high int
	names     []string
}

// hold reports whether one of the expressions of a field is within the bounds.
func (b bounds) hold(text string) bool {
	of, step, isStepped := strings.Cut(text, "/")
	if n, err := strconv.Atoi(step); isStepped && (err != nil || n < 1) {
		return false
	}
	first, last, isRange := strings.Cut(of, "-")
	if first == "*" || first == "?" {
		return true
	}
	from := b.number(first)
	to := from
	if isRange {
		to = b.number(last)
	}
	return from >= b.low && from <= to && to <= b.high
}

// number returns what a word stands for; below the bounds where it is no number and no word for one.
func (b bounds) number(text string) int {
	if i := slices.Index(b.names, strings.ToLower(text)); i >= 0 {
		return b.low + i
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return b.low - 1
	}
	return n
}
