package lint

import "sync"

// ignoredShape is what Argo CD reads of spec.ignoreDifferences.
var ignoredShape = sync.OnceValue(func() *shape {
	return &shape{is: list, item: &shape{is: mapping, fields: map[string]*shape{
		"group": textShape, "kind": textShape, "name": textShape, "namespace": textShape,
		"jsonPointers": textsShape, "jqPathExpressions": textsShape, "managedFieldsManagers": textsShape,
	}}}
})

// syncShape is what Argo CD reads of spec.syncPolicy.
var syncShape = sync.OnceValue(func() *shape {
	return &shape{is: mapping, fields: map[string]*shape{
		"automated": {is: mapping, fields: map[string]*shape{
			"prune": truthShape, "selfHeal": truthShape, "allowEmpty": truthShape, "enabled": truthShape,
		}},
		"syncOptions": textsShape,
		"retry": {is: mapping, fields: map[string]*shape{
			"limit": textShape, "refresh": truthShape,
			"backoff": {is: mapping, fields: map[string]*shape{
				"duration": textShape, "factor": textShape, "maxDuration": textShape,
			}},
		}},
		"managedNamespaceMetadata": {is: mapping, fields: map[string]*shape{
			"labels": {is: mapping}, "annotations": {is: mapping},
		}},
	}}
})
