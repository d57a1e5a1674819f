package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/plan"
)

// NamedPlan is the plan of one application of several, or why there is none.
type NamedPlan struct {
	Name  string
	Plan  *plan.Plan // nil with an Error
	Error string
}

// encodedPlans is the JSON of the plans of several applications.
type encodedPlans struct {
	Applications []encodedPlan `json:"applications"`
}

type encodedPlan struct {
	Name  string          `json:"name"`
	Plan  json.RawMessage `json:"plan,omitempty"`
	Error string          `json:"error,omitempty"`
}

// WriteExplanations writes the plans of several applications in one of ExplainFormats: as text each below its name,
// after those that failed, as JSON in a list of their names and plans or errors.
func WriteExplanations(out *bytes.Buffer, format string, all []NamedPlan, style Style) error {
	if format == "json" {
		return explanationsJSON(out, all)
	}
	for _, one := range all {
		if one.Error != "" {
			fmt.Fprintf(out, "%s: could not be rendered\n", one.Name)
			for line := range strings.Lines(one.Error) {
				fmt.Fprintf(out, "  %s\n", visible(strings.TrimSpace(line)))
			}
		}
	}
	for _, one := range all {
		if one.Plan == nil {
			continue
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(out, "%s:\n\n", one.Name)
		if err := WriteExplanation(out, format, one.Plan, style); err != nil {
			return err
		}
	}
	return nil
}

func explanationsJSON(out *bytes.Buffer, all []NamedPlan) error {
	list := make([]encodedPlan, len(all))
	for i, one := range all {
		list[i] = encodedPlan{Name: one.Name, Error: one.Error}
		if one.Plan == nil {
			continue
		}
		var text bytes.Buffer
		if err := one.Plan.Encode(&text); err != nil {
			return err
		}
		list[i].Plan = text.Bytes()
	}
	return encode(out, encodedPlans{list})
}
