{{- define "gannet.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "gannet.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gannet.labels" -}}
{{ include "gannet.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "gannet.databaseSecret" -}}
{{- if .Values.database.existingSecret -}}
{{ .Values.database.existingSecret }}
{{- else -}}
{{- $_ := required "set database.existingSecret or database.uri" .Values.database.uri -}}
{{ include "gannet.name" . }}-database
{{- end -}}
{{- end -}}

{{- define "gannet.keysSecret" -}}
{{- if .Values.apiKeys.existingSecret -}}
{{ .Values.apiKeys.existingSecret }}
{{- else if .Values.apiKeys.contents -}}
{{ include "gannet.name" . }}-keys
{{- end -}}
{{- end -}}

{{/* The configuration of the chart, with the values of `config` over it. */}}
{{- define "gannet.config" -}}
{{- $hosts := list (include "gannet.name" .) (printf "%s.%s.svc" (include "gannet.name" .) .Release.Namespace) -}}
{{- if .Values.ingress.enabled -}}
{{- $hosts = append $hosts .Values.ingress.host -}}
{{- end -}}
{{- $store := dict "kind" "postgres" "path" "/data/store" "uri" (dict "file" "/etc/gannet/database/database-uri") "cache" .Values.cache.enabled -}}
{{- $auth := dict "required" true -}}
{{- if include "gannet.keysSecret" . -}}
{{- $_ := set $auth "keys_file" "/etc/gannet/keys/keys.json" -}}
{{- end -}}
{{- $server := dict "host" "0.0.0.0" "port" 8085 "allowed_hosts" $hosts "auth" $auth -}}
{{- if .Values.ingress.enabled -}}
{{- /* All requests have the address of the ingress. */ -}}
{{- $_ := set $server "requests_per_minute" 0 -}}
{{- end -}}
{{ toYaml (mergeOverwrite (dict "store" $store "server" $server) (deepCopy .Values.config)) }}
{{- end -}}
