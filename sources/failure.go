package sources

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"

	"github.com/rollstamp/rollstamp/diag"
)

// Class is a kind of failure of a store. It is all that is reported of a store's own words, because these may quote a
// value.
type Class string

// The classes.
const (
	NotFound    Class = "not found"
	Deleted     Class = "latest version is deleted"
	Disabled    Class = "latest version is disabled"
	NoIdentity  Class = "no credentials"
	NoLogin     Class = "credentials not accepted"
	NoPermit    Class = "permission denied"
	Throttled   Class = "too many requests"
	Unavailable Class = "store not available"
	TimedOut    Class = "no answer in time"
	GivenUp     Class = "not asked any more after failures of this store"
	Untrusted   Class = "certificate not trusted"
	Redirected  Class = "redirected to another address"
	TooLarge    Class = "answer too large"
	Malformed   Class = "answer not understood"
	Refused     Class = "request not accepted"
	Unlisted    Class = "address not listed by the operator"
	NoVersions  Class = "store has no versions"
	Unpermitted Class = "permission not given"
	NoKey       Class = "value without a hash key"
	Incomplete  Class = "store not described well enough"
	Unsupported Class = "provider not supported"
	NotLocked   Class = "not in the lock"
	Ambiguous   Class = "in the lock for several namespaces"
	OtherKey    Class = "locked with another hash key"
	Cancelled   Class = "interrupted"
)

// Failure is why a reference has no answer. It holds no text of a store and no value.
type Failure struct {
	Class  Class
	Ref    Ref
	Status string // of the protocol: "HTTP 403", "AccessDeniedException"; one of ours, never what a store wrote; or ""
	Next   string // the next step, where it is more exact than the class's own

	cause error // one of ours, or nil
}

func (f *Failure) Unwrap() error { return f.cause }

// Error names the store, the reference, the class and the status.
func (f *Failure) Error() string {
	text := string(f.Class)
	if f.Ref.Store.Kind != "" {
		text = "look up " + f.Ref.ID() + ": " + text
	}
	if f.Status != "" {
		text += " (" + f.Status + ")"
	}
	return text
}

// Hint returns the next step.
func (f *Failure) Hint() string { return cmp.Or(f.Next, nextSteps[f.Class]) }

// Diag returns the failure as an error with its exit code and hint. Whoever knows the object that refers there adds it.
func (f *Failure) Diag() *diag.Error {
	exit := diag.ExitSource
	switch f.Class {
	case Unlisted, NoVersions, Unpermitted, NoKey, Incomplete, Unsupported, NoIdentity, OtherKey:
		exit = diag.ExitUsage
	case NotLocked, Ambiguous:
		exit = diag.ExitInput
	}
	return &diag.Error{Exit: exit, Err: f, Hint: f.Hint()}
}

// LockMayAnswer reports whether the lock's version may be taken where that is wanted: somebody could not be asked, or
// did not know. It may not where the manifests, rules or permissions have to be mended.
func (f *Failure) LockMayAnswer() bool {
	return f.Class == NoIdentity || f.Diag().Exit == diag.ExitSource
}

// IsTransient reports whether the same question may be answered a moment later.
func (f *Failure) IsTransient() bool {
	return f.Class == Throttled || f.Class == Unavailable || f.Class == TimedOut
}

var nextSteps = map[Class]string{
	NotFound:    "Create it in the store, or correct the key in the manifest.",
	Deleted:     "Write a new version in the store, or pin an older one with remoteRef.version.",
	Disabled:    "Enable it in the store, or pin an older version with remoteRef.version.",
	NoIdentity:  "Give them in the environment, or with credentials under stores in the operator's policy file (ROLLSTAMP_POLICY).",
	NoLogin:     "Check the credentials that the operator's policy file or the environment gives for this store.",
	NoPermit:    "Grant these credentials the right to read the metadata of this key; the value is not needed.",
	Throttled:   "Run it again later; --on-error last-known takes the lock's version meanwhile.",
	Unavailable: "Run it again when the store answers; --on-error last-known takes the lock's version meanwhile.",
	TimedOut:    "Run it again when the store answers; --on-error last-known takes the lock's version meanwhile.",
	GivenUp:     "Mend what the other errors of this store say.",
	Untrusted:   "Name the authority with caFile in the operator's policy file, or renew the store's certificate.",
	Redirected:  "Give the address that the store itself has; credentials are never sent on to another one.",
	TooLarge:    "Check that the address is the store's: no answer about a version is that long.",
	Malformed:   "Check that the address is the store's, and no proxy answers in its place.",
	Refused:     "Check the key and the store's fields in the manifest.",
	Unlisted:    "If it is right, list it with addresses under stores in the operator's policy file (ROLLSTAMP_POLICY), in an entry that matches this store; if the store has another address from here, set that with fields.",
	NoVersions:  "Permit store-values, so that a keyed digest of the value stands for its version; or use secrets.policy spec.",
	NoKey:       "Make a hash key with 'rollstamp hash-key new' and pass it with --hash-key-file.",
	Incomplete:  "Render the store together with the application, name its manifests in context, or give provider and fields under stores in the operator's policy file. secrets.stores in .rollstamp.yaml can let its manifests count.",
	Unsupported: "Use secrets.policy spec for it, or pin remoteRef.version.",
	OtherKey:    "Pass the hash key and hashDomain that the lock was made with. If this key is to take its place, 'rollstamp lock --rekey' writes such lines again, and what reads them restarts once.",
	Ambiguous:   "Name the namespace with --namespace, in the manifest, or in apps: of the configuration file.",
	NotLocked:   "Ask for its version with 'rollstamp lock' and commit the lock; secrets: {notLocked: spec} lets its manifest count meanwhile.",
}

// Errors of a transport that is careful with credentials; see Reason.
var (
	ErrRedirected = errors.New("redirected")
	ErrTooLarge   = errors.New("too large")
)

// NotAllowedError says that a run may not ask stores. It names one of the references that the run would ask for.
type NotAllowedError struct {
	Ref Ref
	By  string // who does not allow it, as the text ends; or ""
}

func (e *NotAllowedError) Error() string {
	return "ask for " + e.Ref.ID() + ": asking stores is not allowed" + e.By
}

// ErrNoProperty is in the chain of a failure that concerns one property of a key, not the key.
var ErrNoProperty = errors.New("no such property")

// Fail makes a failure without a reference, which the resolver adds.
func Fail(class Class, status string) *Failure { return &Failure{Class: class, Status: status} }

// Reason finds the class of an error of a client's library or of the network. Nothing of its text is kept.
func Reason(err error) *Failure {
	var f *Failure
	var invalid *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var record tls.RecordHeaderError
	var timeout net.Error
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, ErrRedirected):
		return Fail(Redirected, "")
	case errors.Is(err, ErrTooLarge):
		return Fail(TooLarge, "")
	case errors.As(err, &invalid), errors.As(err, &unknown), errors.As(err, &record),
		errors.Is(err, http.ErrSchemeMismatch):
		return Fail(Untrusted, "TLS")
	case errors.Is(err, context.Canceled):
		return Fail(Cancelled, "")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return Fail(TimedOut, "")
	case errors.As(err, &dns):
		return Fail(Unavailable, "name not found")
	case errors.Is(err, syscall.ECONNREFUSED):
		return Fail(Unavailable, "connection refused")
	case errors.As(err, &op), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return Fail(Unavailable, "connection broken")
	}
	return Fail(Malformed, "")
}

// ByStatus finds the class of an HTTP status that is no success.
func ByStatus(status int) *Failure {
	class := Refused
	switch {
	case status == http.StatusUnauthorized:
		class = NoLogin
	case status == http.StatusForbidden:
		class = NoPermit
	case status == http.StatusNotFound:
		class = NotFound
	case status == http.StatusGone:
		class = Deleted
	case status == http.StatusRequestTimeout:
		class = TimedOut
	case status == http.StatusTooManyRequests:
		class = Throttled
	case status >= 500:
		class = Unavailable
	case status >= 300 && status < 400:
		class = Redirected
	case status < 300:
		class = Malformed
	}
	return Fail(class, fmt.Sprintf("HTTP %d", status))
}

// NoProperty is a failure that concerns one property of a key, not the key.
func NoProperty(status string) *Failure {
	return &Failure{Class: NotFound, Status: status, cause: ErrNoProperty}
}
