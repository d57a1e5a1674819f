{{- define "almanac.season" }}always{{ end -}}
