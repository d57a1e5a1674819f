package report

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/rollstamp/rollstamp/plan"
)

// NamedPlan is the plan of one application of several.
type NamedPlan struct {
	Name string
	Plan *plan.Plan
}

// encodedPlans is the JSON of the plans of several applications.
type encodedPlans struct {
	Applications []encodedPlan `json:"applications"`
}

type encodedPlan struct {
	Name string          `json:"name"`
	Plan json.RawMessage `json:"plan"`
}

// WriteExplanations writes the plans of several applications in one of ExplainFormats: as text each below its name, as
// JSON in a list of their names and plans.
func WriteExplanations(out *bytes.Buffer, format string, all []NamedPlan, style Style) error {
	if format == "json" {
		return explanationsJSON(out, all)
	}
	for i, one := range all {
		if i > 0 {
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
		var text bytes.Buffer
		if err := one.Plan.Encode(&text); err != nil {
			return err
		}
		list[i] = encodedPlan{one.Name, text.Bytes()}
	}
	return encode(out, encodedPlans{list})
}
