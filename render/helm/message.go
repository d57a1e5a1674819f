package helm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/network"
	"github.com/rollstamp/rollstamp/render"
)

// requestMessage is a release whose values and files have been read, as it is sent to a program that renders it. What
// passes between the two is private to one release of ours.
type requestMessage struct {
	Path, Namespace string
	Once            bool
	Options         render.HelmOptions // without those that name values
	Network         bool               // schemas may be followed there
	Hosts           network.Hosts
	OutsideRoot     bool
	Charts          []requestChart // the chart itself first, and those that are added to it
}

// requestChart is a part of a chart. What its files hold follows the request.
type requestChart struct {
	Folder string // "" where it is an archive
	Packed bool
	Names  []string
}

// encodeRequest returns a release as a message.
func encodeRequest(req render.Request, values map[string]any, parts []part) ([]byte, error) {
	o := req.Helm
	o.DropNulls = false // it does so by itself
	o.ValuesFiles, o.Values = nil, nil
	o.Set, o.SetString, o.SetFile, o.SetJSON, o.SetLiteral = nil, nil, nil, nil, nil
	r := requestMessage{Path: req.Path, Namespace: req.Namespace, Once: req.Once, Options: o,
		Network: req.Allow.Network, Hosts: req.Allow.Hosts, OutsideRoot: req.Allow.OutsideRoot}
	size := 0
	for _, p := range parts {
		c := requestChart{Packed: p.folder == nil}
		if p.folder != nil {
			c.Folder = p.folder.shown
		}
		for _, f := range p.files {
			c.Names = append(c.Names, f.Name)
			size += len(f.Data)
		}
		r.Charts = append(r.Charts, c)
	}
	head, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	message := appendBlob(make([]byte, 0, len(head)+size+size/8), head)
	if message, err = appendValue(message, values); err != nil {
		return nil, fmt.Errorf("send values: %w", err)
	}
	for _, p := range parts {
		for _, f := range p.files {
			message = appendBlob(message, f.Data)
		}
	}
	return message, nil
}

// decodeRequest is the other side of encodeRequest.
func decodeRequest(message []byte) (req render.Request, values map[string]any, parts []part, err error) {
	fail := func() (render.Request, map[string]any, []part, error) {
		return render.Request{}, nil, nil, errMessage // the cause would quote it
	}
	head, rest, err := cutBlob(message)
	var r requestMessage
	if err != nil || json.Unmarshal(head, &r) != nil {
		return fail()
	}
	table, rest, err := cutValue(rest)
	values, isTable := table.(map[string]any)
	if err != nil || !isTable {
		return fail()
	}
	for _, c := range r.Charts {
		var p part
		for _, name := range c.Names {
			var data []byte
			if data, rest, err = cutBlob(rest); err != nil {
				return fail()
			}
			p.files = append(p.files, &loader.BufferedFile{Name: name, Data: data})
		}
		if !c.Packed {
			p.folder = &folder{shown: c.Folder, files: p.files}
		}
		parts = append(parts, p)
	}
	req = render.Request{Path: r.Path, Namespace: r.Namespace, Once: r.Once, Helm: r.Options,
		Allow: config.Permissions{Network: r.Network, Hosts: r.Hosts, OutsideRoot: r.OutsideRoot}}
	return req, values, parts, nil
}

// answerMessage is what became of a request. Text and second render follow it.
type answerMessage struct {
	Errors    []diag.Message  `json:",omitempty"` // nothing else counts then
	Namespace string          `json:",omitempty"`
	Origins   []render.Origin `json:",omitempty"`
	Findings  []diag.Finding  `json:",omitempty"`
	Notices   []int           `json:",omitempty"` // which of the findings are notices
	Second    bool            `json:",omitempty"` // there is a second render
}

// encodeAnswer returns an output or an error as a message.
func encodeAnswer(out *render.Output, err error) ([]byte, error) {
	var a answerMessage
	for _, one := range diag.Unjoin(err) {
		a.Errors = append(a.Errors, diag.MessageOf(one))
		out = &render.Output{}
	}
	a.Namespace, a.Origins, a.Findings, a.Second = out.Namespace, out.Origins, out.Findings, out.SecondRender != nil
	for i, f := range out.Findings {
		if f.Notice {
			a.Notices = append(a.Notices, i)
		}
	}
	head, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	message := make([]byte, 0, len(head)+len(out.Text)+len(out.SecondRender)+32)
	return appendBlob(appendBlob(appendBlob(message, head), out.Text), out.SecondRender), nil
}

// decodeAnswer is the other side of encodeAnswer. The text of an error has no values that are hidden, and is cut.
func decodeAnswer(message []byte, hide func(string) string) (*render.Output, error) {
	head, rest, err := cutBlob(message)
	var a answerMessage
	if err != nil || json.Unmarshal(head, &a) != nil {
		return nil, errMessage
	}
	var errs []error
	for _, m := range a.Errors {
		errs = append(errs, m.Err(errors.New(truncate(hide(m.Text)))))
	}
	if len(errs) > 0 {
		return nil, diag.Join(errs)
	}
	for _, i := range a.Notices {
		a.Findings[i].Notice = true
	}
	out := &render.Output{Namespace: a.Namespace, Origins: a.Origins, Findings: a.Findings}
	if out.Text, rest, err = cutBlob(rest); err != nil {
		return nil, err
	}
	second, _, err := cutBlob(rest)
	if err != nil {
		return nil, err
	}
	if a.Second {
		out.SecondRender = second
	}
	out.Text = slices.Clip(out.Text)
	return out, nil
}
