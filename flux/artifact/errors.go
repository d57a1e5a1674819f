package artifact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/rollstamp/rollstamp/internal/network"
)

// causeOf returns why a request failed, in words that show no address of a request, and the next step.
func causeOf(err error) (cause error, hint string) {
	var refused *network.RefusedError
	var answer *errcode.ErrorResponse
	var request *url.Error
	var silent *network.SilentError
	switch {
	case errors.Is(err, errNoManifest):
		return errNoManifest, noRegistry
	case errors.Is(err, errOther):
		return errOther, "Take another repository or tag; rollstamp replaces none of others."
	case errors.As(err, &refused):
		return refused, "The registry sends its users there: if it may, pass --allow network=" + refused.Host + "."
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		return errors.New("it wants a user and a password, and there are none for it"), logIn
	case errors.As(err, &answer):
		return answered(answer)
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return errors.New("it took too long, or was interrupted"), ""
	case errors.As(err, &silent):
		return silent, again
	case errors.As(err, &request) && slices.ContainsFunc(ends, func(end error) bool { return errors.Is(err, end) }):
		return errors.New("the connection ended before the answer"), again
	case errors.As(err, &request):
		return request.Err, "Is the registry up, and its name right?"
	case errors.Is(err, content.ErrMismatchedDigest):
		return err, "What came is not what its digest names: does a proxy in between change it?"
	}
	if strings.Contains(err.Error(), "on a different host than the registry") {
		return err, "Uploads go to the registry's own host only: does it, or a proxy before it, know its own address?"
	}
	if strings.Contains(err.Error(), "bearer realm") {
		return err, "Tokens are asked for at no private address but the registry's own: give what issues them a name."
	}
	if strings.Contains(err.Error(), "Content-") || strings.Contains(err.Error(), "invalid character") {
		return err, noRegistry
	}
	return err, ""
}

// ends are the errors of a connection that the other side has closed.
var ends = []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE}

const again = "Run it again: what the registry has is not sent twice, and a tag moves last. Is the registry up?"

const noRegistry = "This is no answer of an OCI registry: is the address that of one, and no web page's or proxy's?"

const logIn = "Log in with docker login, or pass --username and --password-stdin."

// answered returns what an answer with an error is about.
func answered(e *errcode.ErrorResponse) (error, string) {
	reason := http.StatusText(e.StatusCode)
	if len(e.Errors) > 0 && e.Errors[0].Code != "" {
		reason = e.Errors[0].Code
		if e.Errors[0].Message != "" {
			reason += ": " + e.Errors[0].Message
		}
	}
	err := fmt.Errorf("the registry answers %d: %s", e.StatusCode, reason)
	switch e.StatusCode {
	case http.StatusBadRequest, http.StatusUnsupportedMediaType:
		return err, "Does the registry take OCI artifacts of any media type, as OCIRepository of Flux wants them?"
	case http.StatusUnauthorized, http.StatusForbidden:
		return err, logIn
	case http.StatusTooManyRequests:
		return err, "It limits how often it is asked: wait, or log in."
	case http.StatusMethodNotAllowed:
		return err, "Is it a registry that may be written, and no mirror or cache of one?"
	case http.StatusNotFound:
		return err, "Some registries want a repository to be made before it is pushed to."
	}
	if e.StatusCode >= http.StatusInternalServerError {
		return err, again
	}
	return err, ""
}
