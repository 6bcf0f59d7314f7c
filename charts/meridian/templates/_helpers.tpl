{{- define "meridian.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- /* At most 52 characters: objects append up to 11 more. */ -}}
{{- define "meridian.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains (include "meridian.name" .) .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "meridian.name" .) | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* Names of cluster-scoped objects contain the namespace, because two releases may have one name. */ -}}
{{- define "meridian.clusterName" -}}
{{- if hasPrefix (include "meridian.fullname" .) .Release.Namespace -}}
{{- .Release.Namespace -}}
{{- else -}}
{{- printf "%s-%s" .Release.Namespace (include "meridian.fullname" .) -}}
{{- end -}}
{{- end -}}

{{- define "meridian.selectorLabels" -}}
app.kubernetes.io/name: {{ include "meridian.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "meridian.labels" -}}
{{- $own := dict
  "app.kubernetes.io/name" (include "meridian.name" .)
  "app.kubernetes.io/instance" .Release.Name
  "app.kubernetes.io/version" .Chart.AppVersion
  "app.kubernetes.io/managed-by" .Release.Service
  "app.kubernetes.io/part-of" "meridian"
  "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-") -}}
{{- toYaml (merge $own .Values.commonLabels) -}}
{{- end -}}

{{- /* metadata of an object: (dict "root" $ "name" … "namespace" … "cluster" true "labels" … "annotations" …) */ -}}
{{- define "meridian.metadata" -}}
name: {{ .name }}
{{- if not .cluster }}
namespace: {{ default .root.Release.Namespace .namespace }}
{{- end }}
labels:
  {{- toYaml (merge (include "meridian.labels" .root | fromYaml) (default dict .labels)) | nindent 2 }}
{{- with merge (deepCopy (default dict .annotations)) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "meridian.serviceAccountName" -}}
{{- default (include "meridian.fullname" .) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "meridian.leaseName" -}}
{{- default (include "meridian.fullname" .) .Values.leaderElection.leaseName -}}
{{- end -}}

{{- define "meridian.membersNamespace" -}}
{{- default .Release.Namespace .Values.members.namespace -}}
{{- end -}}

{{- define "meridian.image" -}}
{{- with .Values.image -}}
{{- if .registry }}{{ .registry }}/{{ end }}{{ .repository }}
{{- if .digest }}@{{ .digest }}{{ else }}:{{ default $.Chart.AppVersion .tag }}{{ end }}
{{- end -}}
{{- end -}}

{{- define "meridian.priorityClassName" -}}
{{- if .Values.priorityClass.name -}}
{{- .Values.priorityClass.name -}}
{{- else if .Values.priorityClass.create -}}
{{- include "meridian.clusterName" . -}}
{{- end -}}
{{- end -}}

{{- define "meridian.webhookService" -}}
{{- printf "%s-webhook" (include "meridian.fullname" .) -}}
{{- end -}}

{{- define "meridian.webhookConfiguration" -}}
{{- include "meridian.clusterName" . -}}
{{- end -}}

{{- /* Where the manager keeps its authority: named after the configurations. */ -}}
{{- define "meridian.webhookSecret" -}}
{{- printf "%s-webhooks" (include "meridian.webhookConfiguration" .) -}}
{{- end -}}

{{- define "meridian.certificate" -}}
{{- printf "%s/%s-webhook" .Release.Namespace (include "meridian.fullname" .) -}}
{{- end -}}

{{- /* Annotations that make cert-manager fill in a caBundle. */ -}}
{{- define "meridian.injectCa" -}}
{{- if eq .Values.webhooks.certificates.mode "CertManager" }}
cert-manager.io/inject-ca-from: {{ include "meridian.certificate" . }}
{{- end }}
{{- end -}}

{{- /* Rules of Prometheus for one release: (dict "root" $ "text" …). Other pods of the namespace have more or fewer parts in their names. */ -}}
{{- define "meridian.ofRelease" -}}
{{- $name := include "meridian.fullname" .root -}}
{{- $pods := printf "namespace=%q,pod=~%q" .root.Release.Namespace (printf "%s-[a-z0-9]+-[a-z0-9]+" $name) -}}
{{- $lease := printf "namespace=%q,name=%q" .root.Release.Namespace (include "meridian.leaseName" .root) -}}
{{- $text := .text | replace "job=\"meridian\",name!=\"\"" $lease | replace "job=\"meridian\"" $pods -}}
{{- with .root.Values.prometheusRule.runbooks -}}
{{- $text = $text | replace "charts/meridian/RUNBOOKS.md" . -}}
{{- end -}}
{{- with include "meridian.memoryLimit" .root -}}
{{- $text = $text | replace "512 * 1024 ^ 2" . -}}
{{- end -}}
{{- $text | replace "$NAMESPACE" .root.Release.Namespace | replace "$DEPLOYMENT" $name -}}
{{- end -}}

{{- /* Bytes that a pod of the manager may use, as an expression of Prometheus; empty without a limit. */ -}}
{{- define "meridian.memoryLimit" -}}
{{- $limit := dig "limits" "memory" "" .Values.resources -}}
{{- /* Helm reads a number as a float, whose text has an exponent. */ -}}
{{- $limit = kindIs "float64" $limit | ternary (int64 $limit) $limit | toString -}}
{{- $number := regexFind "^[0-9.]+" $limit -}}
{{- $unit := trimPrefix $number $limit -}}
{{- $powers := list "k" "M" "G" "T" "P" "E" -}}
{{- if $number -}}
{{- $factor := ternary "1000 ^ -1" "1" (eq $unit "m") -}}
{{- range $index, $prefix := $powers -}}
{{- if eq $unit $prefix -}}
{{- $factor = printf "1000 ^ %d" (add1 $index) -}}
{{- else if eq $unit (printf "%si" (upper $prefix)) -}}
{{- $factor = printf "1024 ^ %d" (add1 $index) -}}
{{- end -}}
{{- end -}}
{{- printf "%s * %s" $number $factor -}}
{{- end -}}
{{- end -}}

{{- /* Collectors of traces, and the Prometheus of gates, that the values name: as JSON, a list of URLs. */ -}}
{{- define "meridian.asked" -}}
{{- $urls := list -}}
{{- with .Values.tracing.otlpEndpoint -}}
{{- $urls = append $urls . -}}
{{- end -}}
{{- with .Values.rollout.prometheus.url -}}
{{- $urls = append $urls . -}}
{{- end -}}
{{- range .Values.extraEnv -}}
{{- if and (has .name (list "OTEL_EXPORTER_OTLP_ENDPOINT" "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT" "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")) .value -}}
{{- $urls = append $urls .value -}}
{{- end -}}
{{- end -}}
{{- $before := "" -}}
{{- range .Values.extraArgs -}}
{{- $flag := regexFind "^--(otlp-endpoint|prometheus-url)=" . -}}
{{- if $flag -}}
{{- $urls = append $urls (trimPrefix $flag .) -}}
{{- else if has $before (list "--otlp-endpoint" "--prometheus-url") -}}
{{- $urls = append $urls . -}}
{{- end -}}
{{- $before = . -}}
{{- end -}}
{{- $urls | uniq | toJson -}}
{{- end -}}

{{- /* The port of an address: (dict "url" (urlParse …)). */ -}}
{{- define "meridian.portOf" -}}
{{- regexFind ":[0-9]+$" .url.host | trimPrefix ":" | default (ternary "443" "80" (eq .url.scheme "https")) -}}
{{- end -}}

{{- /* Peers of a NetworkPolicy for a host: (dict "root" $ "host" …). A Service is reached at its pods, anything else at its address. */ -}}
{{- define "meridian.peersOf" -}}
{{- $parts := splitList "." .host -}}
{{- if contains ":" .host }}
- ipBlock: {cidr: {{ printf "%s/128" .host | quote }}}
{{- else if regexMatch "^[0-9.]+$" .host }}
- ipBlock: {cidr: {{ .host }}/32}
{{- else if eq (len $parts) 1 }}
- podSelector: {}
{{- else if and (gt (len $parts) 2) (eq (index $parts 2) "svc") }}
- namespaceSelector:
    matchLabels:
      kubernetes.io/metadata.name: {{ index $parts 1 }}
{{- else }}
{{- if eq (len $parts) 2 }}
- namespaceSelector:
    matchLabels:
      kubernetes.io/metadata.name: {{ index $parts 1 }}
{{- end }}
{{ toYaml (include "meridian.pod" .root | fromYaml).egress.anywhere }}
{{- end }}
{{- end -}}

{{- /* What every pod of a manager is like; generated, since `meridian install --manager` makes the same. */ -}}
{{- define "meridian.pod" -}}
{{- .Files.Get "files/manager.yaml" -}}
{{- end -}}

{{- define "meridian.podSecurityContext" -}}
{{- toYaml (include "meridian.pod" . | fromYaml).podSecurityContext -}}
{{- end -}}

{{- define "meridian.securityContext" -}}
{{- toYaml (include "meridian.pod" . | fromYaml).securityContext -}}
{{- end -}}

{{- /* Port of the query API with TLS; empty for none. */ -}}
{{- define "meridian.queryPort" -}}
{{- if and .Values.queries.enabled .Values.webhooks.enabled }}{{ .Values.queries.port }}{{ end }}
{{- end }}
