package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/internal/workers"
)

// timeoutError is the error of a call whose time is over.
type timeoutError struct{ after time.Duration }

func (l timeoutError) Error() string { return fmt.Sprintf("not finished after %s", l.after) }

func (l timeoutError) Unwrap() error { return context.DeadlineExceeded }

// errStopping is the cause of calls that end because the server does.
var errStopping = errors.New("the plugin's server is stopping")

// failure converts an error to one of gRPC, with a text for the condition in Argo CD's UI.
func failure(err error) error {
	if err == nil {
		return nil
	}
	return status.Error(codeOf(err), message(err))
}

func codeOf(err error) codes.Code {
	var sent interface{ GRPCStatus() *status.Status }
	var ended *workers.Ended
	switch {
	case errors.As(err, &sent): // the stream itself broke
		return sent.GRPCStatus().Code()
	case errors.As(err, new(pausedError)), errors.As(err, new(queueError)):
		return codes.Unavailable
	case errors.Is(err, context.DeadlineExceeded):
		return codes.DeadlineExceeded
	case errors.Is(err, errStopping):
		return codes.Unavailable
	case errors.Is(err, context.Canceled):
		return codes.Canceled
	case errors.Is(err, files.ErrTooLarge), errors.As(err, new(tooLargeError)), errors.As(err, new(outOfMemory)):
		return codes.ResourceExhausted
	case errors.As(err, &ended) && (ended.Cause == workers.OutOfMemory || ended.Cause == workers.TooLarge):
		return codes.ResourceExhausted
	}
	switch diag.ExitOf(err) {
	case diag.ExitUsage, diag.ExitInput:
		return codes.InvalidArgument
	case diag.ExitFindings:
		return codes.FailedPrecondition
	case diag.ExitSource:
		return codes.Unavailable
	}
	return codes.Internal
}

// maxMessage is the size of the largest text of an error, in bytes: the UI shows it in one box, and Redis stores it.
const maxMessage = 2000

// message returns an error's text: the cause first, several errors on a line each, with their hints below them.
func message(err error) string {
	var lines []string
	for _, one := range diag.Unjoin(err) {
		lines = append(lines, one.Error())
		if hint := diag.HintOf(one); hint != "" {
			lines = append(lines, "hint: "+hint)
		}
	}
	return short(plain(strings.Join(lines, "\n")))
}

// plain removes the path of the tree from a text, so that its paths are relative to the repository.
func plain(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, Root+"/", ""), Root, ".")
}

func short(text string) string { return diag.Head(strings.ToValidUTF8(text, "\uFFFD"), maxMessage) }
