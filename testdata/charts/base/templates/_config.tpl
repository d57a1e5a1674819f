{{- define "base.config" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "base.name" . }}
data:
  {{- range $key, $value := .Values.config }}
  {{ $key }}: {{ tpl (toString $value) $ | quote }}
  {{- end }}
{{- end }}
{{- define "base.name" -}}
{{ .Values.nameOverride | default (printf "%s-%s" .Release.Name .Chart.Name) | trunc 63 | trimSuffix "-" }}
{{- end }}
