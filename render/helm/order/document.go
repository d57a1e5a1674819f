package order

import (
	"strings"

	helmrelease "helm.sh/helm/v3/pkg/release"
)

// Document is one document of a rendered template, with what Helm's order depends on.
type Document struct {
	Template string // as in "# Source: "
	Text     string
	Head     Head
	rank     int
	alone    bool // it stays one document in a stream
}

// Head is what Helm reads of a document to order it.
type Head struct {
	Kind   string
	hook   bool
	Events string // the hook annotation's value
}

// unknownEvent reports whether one of the hook's events is none of Helm's.
func (h Head) unknownEvent() bool {
	for e := range strings.SplitSeq(h.Events, ",") {
		if !hookEvents[strings.ToLower(strings.TrimSpace(e))] {
			return true
		}
	}
	return false
}

// IsTest reports whether the hook is a test, which --skip-tests leaves out.
func (h Head) IsTest() bool {
	for e := range strings.SplitSeq(h.Events, ",") {
		if e = strings.ToLower(strings.TrimSpace(e)); e == string(helmrelease.HookTest) || e == testSuccess {
			return true
		}
	}
	return false
}

// testSuccess is Helm 2's word for a test.
const testSuccess = "test-success"

var hookEvents = map[string]bool{
	string(helmrelease.HookPreInstall): true, string(helmrelease.HookPostInstall): true,
	string(helmrelease.HookPreDelete): true, string(helmrelease.HookPostDelete): true,
	string(helmrelease.HookPreUpgrade): true, string(helmrelease.HookPostUpgrade): true,
	string(helmrelease.HookPreRollback): true, string(helmrelease.HookPostRollback): true,
	string(helmrelease.HookTest): true, testSuccess: true,
}

// ParseError is a rendered document that is not the YAML of an object.
type ParseError struct {
	Template string
	Err      error // the YAML library's
}

// Error leaves the cause out: it may quote the document.
func (e *ParseError) Error() string { return "parse rendered YAML of " + e.Template }

func (e *ParseError) Unwrap() error { return e.Err }
