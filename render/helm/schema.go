package helm

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/network"
	"github.com/rollstamp/rollstamp/redact"
)

// schemaURL is where helm says that a chart's schema lies; relative references resolve against it.
const schemaURL = "file:///values.schema.json"

// validate holds the values against the schemas of the chart and its subcharts. Helm's own validation would fetch what
// a schema refers to, and quote values in its errors.
func (r *release) validate(values any) error {
	if r.req.Helm.SkipSchemaValidation {
		return nil
	}
	var failures []string
	if err := r.validateChart(r.chart, values, &failures); err != nil {
		return err
	}
	if len(failures) == 0 {
		return nil
	}
	slices.Sort(failures) // subcharts have no order
	return diag.Input(r.position(path.Join(r.chart.Name(), "values.schema.json"), 0),
		fmt.Errorf("values do not fit the schema: %s", truncate(strings.Join(failures, "; "))),
		r.orSkipSchema("Correct the values"))
}

// orSkipSchema returns the hint to do something, or to leave schemas out.
func (r *release) orSkipSchema(do string) string {
	return do + ", or " + cmp.Or(r.req.Helm.SkipSchemaBy, "pass --skip-schema-validation") + "."
}

func (r *release) validateChart(c *chart.Chart, values any, failures *[]string) error {
	table, ok := asTable(values)
	if !ok {
		*failures = append(*failures, fmt.Sprintf("%s: the values are not a mapping", c.ChartPath()))
		return nil
	}
	if c.Schema != nil {
		err := validateTable(c.Schema, table, r.req.Allow)
		var invalid *jsonschema.ValidationError
		switch {
		case errors.As(err, &invalid):
			*failures = append(*failures, describe(c, invalid)...)
		case err != nil:
			return r.schemaError(c, err)
		}
	}
	for _, sub := range c.Dependencies() {
		if v := table[sub.Name()]; v != nil {
			if err := r.validateChart(sub, v, failures); err != nil {
				return err
			}
		}
	}
	return nil
}

func asTable(v any) (map[string]any, bool) {
	switch t := v.(type) {
	case map[string]any:
		return t, true
	case chartutil.Values:
		return t, true
	}
	return nil, false
}

// validateTable holds the values of one chart against its schema.
func validateTable(schema []byte, values map[string]any, allow config.Permissions) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return err
	}
	if plain, ok := newPlainSchema(doc); ok && plain.fits(values) {
		return nil
	}
	return validateByLibrary(doc, values, allow)
}

func validateByLibrary(schema any, values map[string]any, allow config.Permissions) error {
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(schemaLoader(allow))
	if err := compiler.AddResource(schemaURL, schema); err != nil {
		return err
	}
	compiled, err := compiler.Compile(schemaURL)
	if err != nil {
		return err
	}
	if values == nil {
		values = map[string]any{}
	}
	return compiled.Validate(values)
}

// schemaRefused is the error of a reference that this run may not follow.
type schemaRefused struct{ what, permission string }

func (e *schemaRefused) Error() string { return e.what }

type loaderFunc func(url string) (any, error)

func (f loaderFunc) Load(url string) (any, error) { return f(url) }

// schemaLoader follows references as helm does, as far as they are allowed.
func schemaLoader(allow config.Permissions) jsonschema.URLLoader {
	refuse := func(what, permission string) loaderFunc {
		return func(u string) (any, error) {
			return nil, &schemaRefused{fmt.Sprintf("schema refers to %s, %s", redact.URL(u), what), permission}
		}
	}
	loaders := jsonschema.SchemeURLLoader{
		"file": refuse("outside the chart", "outside-root"),
		"http": refuse("on the network", "network"), "https": refuse("on the network", "network"),
		// Helm takes a URN that nobody resolves for a schema that everything fits.
		"urn": loaderFunc(func(string) (any, error) { return true, nil }),
	}
	if allow.OutsideRoot {
		loaders["file"] = jsonschema.FileLoader{}
	}
	if allow.Network {
		bounded := allow.Hosts.Client()
		bounded.Timeout = 15 * time.Second
		client := chartutil.HTTPURLLoader(*bounded)
		loaders["http"], loaders["https"] = &client, &client
	}
	return loaders
}

func (r *release) schemaError(c *chart.Chart, err error) error {
	at := r.position(path.Join(c.ChartFullPath(), "values.schema.json"), 0)
	var load *jsonschema.LoadURLError
	if errors.As(err, &load) {
		var no *schemaRefused
		if errors.As(load.Err, &no) {
			return diag.Input(at, &diag.Shared{Err: no}, r.orSkipSchema("Allow it with --allow "+no.permission))
		}
		return &diag.Error{Exit: diag.ExitSource, Pos: at,
			Err:  fmt.Errorf("load schema %s: %w", redact.URL(load.URL), withoutURL(load.Err)),
			Hint: network.Hint(load.Err, "")}
	}
	text := err.Error()
	var invalid *jsonschema.ValidationError
	if wrong := (*jsonschema.SchemaValidationError)(nil); errors.As(err, &wrong) && errors.As(wrong.Err, &invalid) {
		text = strings.Join(describe(c, invalid), "; ")
	}
	return diag.Input(at, fmt.Errorf("read schema: %s", truncate(text)),
		r.orSkipSchema("Correct the schema"))
}

// describe returns what is wrong, place by place, in words that quote no value. It is sorted: the library goes through
// the values in another order each time.
func describe(c *chart.Chart, e *jsonschema.ValidationError) []string {
	if len(e.Causes) > 0 {
		var all []string
		for _, cause := range e.Causes {
			all = append(all, describe(c, cause)...)
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	what := ""
	switch k := e.ErrorKind.(type) {
	case *kind.Format:
		what = "not a valid " + k.Want
	case *kind.Pattern:
		what = "does not match the pattern " + k.Want
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
		what = k.LocalizedString(message.NewPrinter(language.English))
	case *kind.Type, *kind.Required, *kind.Enum, *kind.Const, *kind.MinLength, *kind.MaxLength,
		*kind.MinItems, *kind.MaxItems, *kind.MinProperties, *kind.MaxProperties, *kind.Not, *kind.OneOf,
		*kind.DependentRequired:
		what = e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	default:
		what = "fails " + strings.Join(e.ErrorKind.KeywordPath(), "/")
	}
	return []string{fmt.Sprintf("%s: at /%s: %s", c.ChartPath(), strings.Join(e.InstanceLocation, "/"), what)}
}
