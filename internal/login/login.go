// Package login reads which credentials docker and helm have for registries.
package login

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
)

// Helper asks one of docker's credential helpers, the program docker-credential-NAME, for what it has for the address
// of a registry. Its errors name the helper, and nothing that it said.
type Helper func(ctx context.Context, name, address string) (auth.Credential, error)

// Source is where credentials come from that the user of this machine has.
type Source struct {
	Docker string // docker's file; "" where there is none
	Ask    Helper
	Cloud  Helper // asks a cloud by its name what this machine's identity is for a host
}

// ErrUnreadable is all that is said of a file of credentials that is none.
var ErrUnreadable = errors.New("what it has cannot be read")

// File is a file of credentials in docker's form, which helm uses, too.
type File struct {
	plain   credentials.Store
	helpers helpers
}

// helpers are the programs that a file names: one for each address, and one for all others.
type helpers struct {
	Store   string            `json:"credsStore"`
	Address map[string]string `json:"credHelpers"`
}

// Read reads a file. One that is not there has nothing.
func Read(path string) (*File, error) {
	var f File
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = []byte("{}"), nil
	}
	if err != nil || json.Unmarshal(text, &f.helpers) != nil {
		return nil, ErrUnreadable
	}
	if f.plain, err = credentials.NewFileStore(path); err != nil {
		return nil, ErrUnreadable
	}
	return &f, nil
}

// Credential returns what the file has for a host, or the helper that it names; the zero value where that is nothing.
// Only ask starts a program.
func (f *File) Credential(ctx context.Context, host string, ask Helper) (auth.Credential, error) {
	address := credentials.ServerAddressFromHostname(host)
	if name := f.helper(address); name != "" {
		return ask(ctx, name, address)
	}
	found, err := f.plain.Get(ctx, address)
	if err != nil {
		return auth.EmptyCredential, ErrUnreadable
	}
	return found, nil
}

// helper returns the name of the helper for an address, "" where what the file has is in the file.
func (f *File) helper(address string) string {
	if name := f.helpers.Address[address]; name != "" {
		return name
	}
	return f.helpers.Store
}
