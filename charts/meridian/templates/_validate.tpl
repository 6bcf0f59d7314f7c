{{- /* Values that are missing or contradict each other: refused here, in words that say what to change. */ -}}
{{- define "meridian.validate" -}}
{{- $v := .Values -}}
{{- $wrong := list -}}
{{- if not $v.image.repository -}}
{{- $wrong = append $wrong "image.repository is empty: these sources come without an image. Build and push one with `npm run image -- --tag registry.example.com/platform/meridian:TAG --push`, and set image.registry=registry.example.com, image.repository=platform/meridian and image.tag=TAG" -}}
{{- end -}}
{{- if and (not $v.leaderElection.enabled) (or (gt (int $v.replicas) 1) $v.autoscaling.enabled) -}}
{{- $wrong = append $wrong "leaderElection.enabled=false allows one manager only: set replicas=1 and autoscaling.enabled=false, or leave leader election on" -}}
{{- end -}}
{{- if le (int $v.leaderElection.leaseDurationSeconds) (int $v.leaderElection.renewDeadlineSeconds) -}}
{{- $wrong = append $wrong "leaderElection.leaseDurationSeconds must be greater than leaderElection.renewDeadlineSeconds" -}}
{{- end -}}
{{- if le (int $v.leaderElection.renewDeadlineSeconds) (int $v.leaderElection.retryPeriodSeconds) -}}
{{- $wrong = append $wrong "leaderElection.renewDeadlineSeconds must be greater than leaderElection.retryPeriodSeconds" -}}
{{- end -}}
{{- $prometheus := $v.rollout.prometheus -}}
{{- if and $prometheus.secretKeys (not (and $prometheus.url $prometheus.secretName)) -}}
{{- $wrong = append $wrong "rollout.prometheus.secretKeys needs rollout.prometheus.url and rollout.prometheus.secretName: set both, or empty the list" -}}
{{- end -}}
{{- if and (has "token" $prometheus.secretKeys) (not (hasPrefix "https:" $prometheus.url)) -}}
{{- $wrong = append $wrong "rollout.prometheus.secretKeys names a token, which is never sent in the clear: set rollout.prometheus.url to an https address" -}}
{{- end -}}
{{- if and $prometheus.secretName (not $prometheus.url) -}}
{{- $wrong = append $wrong "rollout.prometheus.secretName is for the Prometheus of rollout.prometheus.url, which is empty: set the address too, or remove the name" -}}
{{- end -}}
{{- range include "meridian.asked" . | fromJsonArray -}}
{{- $url := urlParse . -}}
{{- $port := include "meridian.portOf" (dict "url" $url) | int -}}
{{- if or (lt $port 1) (gt $port 65535) -}}
{{- $wrong = append $wrong (printf "%s has the port %d: ports go from 1 to 65535" . $port) -}}
{{- end -}}
{{- end -}}
{{- if and $v.queries.apiService.enabled (not (and $v.queries.enabled $v.webhooks.enabled (eq $v.webhooks.certificates.mode "CertManager"))) -}}
{{- $wrong = append $wrong "queries.apiService.enabled needs queries.enabled, webhooks.enabled and webhooks.certificates.mode=CertManager, since cert-manager keeps its CA bundle: set them, or leave the APIService off" -}}
{{- end -}}
{{- if and $v.queries.members.enabled (not $v.queries.enabled) -}}
{{- $wrong = append $wrong "queries.members.enabled needs queries.enabled: set it, or leave the members out" -}}
{{- end -}}
{{- $ports := list (int $v.metrics.port) (int $v.webhooks.port) -}}
{{- if and $v.queries.enabled $v.webhooks.enabled (has (int $v.queries.port) $ports) -}}
{{- $wrong = append $wrong (printf "queries.port is %d, as metrics.port or webhooks.port is: give each a port of its own" (int $v.queries.port)) -}}
{{- end -}}
{{- if and $v.image.tag $v.image.digest -}}
{{- $wrong = append $wrong "image.tag and image.digest are both set: a digest already says which image, so remove the tag" -}}
{{- end -}}
{{- if and (ne $v.rbac.secrets.mode "Listed") $v.rbac.secrets.namespaces -}}
{{- $wrong = append $wrong (printf "rbac.secrets.namespaces counts only with rbac.secrets.mode=Listed, and the mode is %s: change one of the two" $v.rbac.secrets.mode) -}}
{{- end -}}
{{- if and (not $v.rbac.create) $v.localMember.enabled -}}
{{- $wrong = append $wrong "localMember.enabled=true only adds rights, and rbac.create=false creates none: turn one of the two" -}}
{{- end -}}
{{- if and (not $v.serviceAccount.create) (not $v.serviceAccount.name) -}}
{{- $wrong = append $wrong "serviceAccount.create=false needs serviceAccount.name: the manager never runs as the namespace's default account" -}}
{{- end -}}
{{- if and (eq $v.webhooks.certificates.mode "SelfManaged") $v.webhooks.certificates.issuerRef -}}
{{- $wrong = append $wrong "webhooks.certificates.issuerRef counts only with webhooks.certificates.mode=CertManager" -}}
{{- end -}}
{{- if and (not $v.webhooks.enabled) (eq $v.webhooks.certificates.mode "CertManager") -}}
{{- $wrong = append $wrong "webhooks.certificates.mode=CertManager has nothing to certify while webhooks.enabled=false" -}}
{{- end -}}
{{- if and $v.webhooks.enabled (eq (int $v.webhooks.port) (int $v.metrics.port)) -}}
{{- $wrong = append $wrong "webhooks.port and metrics.port are the same" -}}
{{- end -}}
{{- if and $v.serviceMonitor.enabled (not $v.metrics.service.enabled) -}}
{{- $wrong = append $wrong "serviceMonitor.enabled=true needs metrics.service.enabled=true: it scrapes through the Service" -}}
{{- end -}}
{{- $interval := $v.serviceMonitor.interval -}}
{{- $number := int (regexFind "^[0-9]+" $interval) -}}
{{- $isLong := or (hasSuffix "h" $interval) (and (hasSuffix "m" $interval) (gt $number 0)) -}}
{{- if and (hasSuffix "s" $interval) (gt $number (ternary 30000 30 (hasSuffix "ms" $interval))) -}}
{{- $isLong = true -}}
{{- end -}}
{{- if and $v.serviceMonitor.enabled $v.prometheusRule.enabled $isLong -}}
{{- $wrong = append $wrong (printf "serviceMonitor.interval=%s is too long for prometheusRule.enabled=true: its rules count the errors of 75 seconds, so set 30s or less" $interval) -}}
{{- end -}}
{{- if and $v.autoscaling.enabled (gt (int $v.autoscaling.minReplicas) (int $v.autoscaling.maxReplicas)) -}}
{{- $wrong = append $wrong "autoscaling.minReplicas is greater than autoscaling.maxReplicas" -}}
{{- end -}}
{{- $min := toString $v.podDisruptionBudget.minAvailable -}}
{{- if and $min (toString $v.podDisruptionBudget.maxUnavailable) -}}
{{- $wrong = append $wrong "podDisruptionBudget.minAvailable and podDisruptionBudget.maxUnavailable exclude each other: set one" -}}
{{- end -}}
{{- $fewest := ternary (int $v.autoscaling.minReplicas) (int $v.replicas) $v.autoscaling.enabled -}}
{{- if and $v.podDisruptionBudget.enabled (regexMatch "^[0-9]+$" $min) (gt $fewest 1) (ge (int $min) $fewest) -}}
{{- $wrong = append $wrong (printf "podDisruptionBudget.minAvailable=%s of %d managers would let no node be drained" $min $fewest) -}}
{{- end -}}
{{- if and $v.podDisruptionBudget.enabled (regexMatch "^[0-9]+%$" $min) (gt $fewest 1) (ge (int (trimSuffix "%" $min)) 100) -}}
{{- $wrong = append $wrong (printf "podDisruptionBudget.minAvailable=%s would let no node be drained" $min) -}}
{{- end -}}
{{- $own := dict "--metrics-port" "metrics.port" "--lease-name" "leaderElection.leaseName" "--leader-elect" "leaderElection.enabled" "--webhook-port" "webhooks.port" -}}
{{- range $v.extraArgs -}}
{{- $flag := regexFind "^--[a-z-]+" . -}}
{{- with get $own $flag -}}
{{- $wrong = append $wrong (printf "extraArgs sets %s, which probes, rules and Services do not follow: set %s" $flag .) -}}
{{- end -}}
{{- end -}}
{{- if $wrong -}}
{{- fail (printf "\n\nThese values cannot work:\n  - %s\n" (join "\n  - " $wrong)) -}}
{{- end -}}
{{- end -}}
