package stores

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources"
)

// Token finds a token where the operator says: a file, a variable, or the ambient variable of that name.
func (t *Target) Token(ambient string) func() (string, error) {
	switch c := t.Credentials; {
	case c.TokenFile != "":
		return FileToken(string(c.TokenFile))
	case c.TokenEnv != "":
		return variable(string(c.TokenEnv), config.OperatorVariable)
	}
	if ambient == "" {
		return func() (string, error) { return "", sources.Fail(sources.NoIdentity, "the policy file names no token") }
	}
	return variable(ambient, t.Operator.Env)
}

func variable(name string, env func(string) (string, bool)) func() (string, error) {
	return func() (string, error) {
		token, _ := env(name)
		if token = strings.TrimSpace(token); token == "" {
			return "", sources.Fail(sources.NoIdentity, name+" is not set")
		}
		return token, nil
	}
}

// maxToken is the size of the largest token that is read.
const maxToken = 64 << 10

// FileToken finds a token in a file.
func FileToken(path string) func() (string, error) {
	return func() (string, error) {
		f, err := os.Open(path)
		if err != nil {
			return "", unreadable(path)
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxToken+1))
		token := strings.TrimSpace(string(text))
		if err != nil || token == "" || len(text) > maxToken {
			return "", unreadable(path)
		}
		return token, nil
	}
}

func unreadable(path string) error {
	f := sources.Fail(sources.NoIdentity, "no token in "+path)
	f.Next = fmt.Sprintf("Put the token into %s, readable for this process.", path)
	return f
}
