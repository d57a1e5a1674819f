package diag

import "errors"

// Message is an error as one process of ours sends it to another: what people read of it, and its exit code.
type Message struct {
	Text   string
	Object string   `json:",omitempty"`
	At     Position `json:",omitzero"`
	Hint   string   `json:",omitempty"`
	Exit   Exit     `json:",omitempty"`
	Plain  bool     `json:",omitempty"` // there is no *Error in it
}

// MessageOf returns an error that is not nil as a message.
func MessageOf(err error) Message {
	//nolint:errorlint // what is wrapped around an Error is a part of the text
	if e, is := err.(*Error); is && e.Err != nil {
		return Message{Text: e.Err.Error(), Object: e.Object, At: e.Pos, Hint: HintOf(err), Exit: e.Exit}
	}
	var within *Error
	return Message{Text: err.Error(), Hint: HintOf(err), Exit: ExitOf(err), Plain: !errors.As(err, &within)}
}

// Err returns the error that was sent, with a cause made of its text.
func (m Message) Err(cause error) error {
	if m.Plain {
		return cause
	}
	return &Error{Exit: m.Exit, Object: m.Object, Pos: m.At, Err: cause, Hint: m.Hint}
}
