{{/* What the container of the service and that of the migration share. */}}
{{- define "gannet.container" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- with .Values.environmentSecret }}
envFrom:
  - secretRef:
      name: {{ . }}
{{- end }}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
volumeMounts:
  - name: config
    mountPath: /etc/gannet/config.yml
    subPath: config.yml
    readOnly: true
  - name: database
    mountPath: /etc/gannet/database
    readOnly: true
  {{- if include "gannet.keysSecret" . }}
  - name: keys
    mountPath: /etc/gannet/keys
    readOnly: true
  {{- end }}
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
{{- end -}}
