place = {{ .Values.place }}
chart = {{ .Chart.Name }} {{ .Chart.Version }}
