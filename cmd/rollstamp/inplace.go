package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/render/plain"
)

// writeBack writes each file's new text into it, which content returns. All the new texts are ready before the first is
// written.
func writeBack(p *program, pieces []plain.Piece, content func(plain.Piece) ([]byte, error)) error {
	texts := make([][]byte, 0, len(pieces))
	for _, piece := range pieces {
		if len(piece.Added) > 0 {
			return diag.Input(diag.Position{File: piece.Name}, errors.New("several JSON values cannot be written back in place"),
				"Put them into a List, or between --- lines.")
		}
		text, err := content(piece)
		if err != nil {
			return err
		}
		texts = append(texts, piece.Restore(text))
	}
	for i, piece := range pieces {
		changed, err := fleet.WriteFile(piece.Name, bytes.NewBuffer(texts[i]))
		if err != nil {
			return fmt.Errorf("%d of %d files are done: %w", i, len(pieces), err)
		}
		if changed {
			p.say("%s is written", piece.Name)
		}
	}
	return nil
}
