//go:build levelproof

package config

// MaxLevel is one above that of the program: the tables have rows by which levels are proven.
const MaxLevel = 2
