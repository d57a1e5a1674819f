package plain

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

func unreadable(name string, err error) error {
	err = files.Cause(err)
	hint := files.HintOf(err)
	if errors.Is(err, syscall.EISDIR) {
		hint = "A folder is rendered: rollstamp render " + name
	}
	return diag.Input(diag.Position{File: name}, fmt.Errorf("read: %w", err), hint)
}

func irregular(name string) error {
	return diag.Input(diag.Position{File: name}, errors.New("neither a file nor a folder"),
		"A pipe or device can be passed on standard input: rollstamp stamp < "+name)
}
