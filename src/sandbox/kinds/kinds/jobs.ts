import type { FieldError, KubeObject } from "../../types.ts";
import { type KindDefinition, raisedBySpec } from "../definition.ts";
import { immutable, invalid, notSupported, required } from "../../fieldErrors.ts";
import { dnsLabel } from "../names.ts";
import { count, fields, type Fields, isEqual, isMissing, text, textMap } from "../values.ts";
import { notNegative } from "../validation/numbers.ts";
import { validatePodTemplate } from "../validation/podSpec.ts";
import { selects, validateLabelSelector } from "../validation/selectors.ts";

const UID_LABELS = ["controller-uid", "batch.kubernetes.io/controller-uid"];
const NAME_LABELS = ["job-name", "batch.kubernetes.io/job-name"];
const NEW_UID_LABEL = "batch.kubernetes.io/controller-uid";
const NAME_WARNING =
  "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended:";

/** A Job selects its Pods by its own UID, so that two Jobs never share Pods. */
function withGeneratedSelector(object: KubeObject): KubeObject {
  const spec = fields(object["spec"]);
  if (spec["manualSelector"] === true) return object;
  const template = fields(spec["template"]);
  const metadata = fields(template["metadata"]);
  const { name, uid = "" } = object.metadata;
  const labels = Object.fromEntries([
    ...NAME_LABELS.map((label) => [label, name]),
    ...UID_LABELS.map((label) => [label, uid]),
  ]) as Record<string, string>;
  const selector = fields(spec["selector"]);
  const own = object.metadata.labels;
  // In the server, labels that a Job took from its template are the same map as the template's, so the Job gets the new
  // labels too. A Job without labels takes the template's labels when it is read again.
  const isShared = own === undefined || Object.keys(own).length === 0 || own === metadata["labels"];
  return {
    ...object,
    metadata: isShared ? { ...object.metadata, labels: { ...labels, ...own } } : object.metadata,
    spec: {
      ...spec,
      selector: { ...selector, matchLabels: { [NEW_UID_LABEL]: uid, ...fields(selector["matchLabels"]) } },
      template: { ...template, metadata: { ...metadata, labels: { ...labels, ...fields(metadata["labels"]) } } },
    },
  };
}

function validateGeneratedSelector({ metadata: { name, uid = "" }, ...object }: KubeObject): FieldError[] {
  const spec = fields(object["spec"]);
  if (spec["manualSelector"] === true || isMissing(spec["selector"])) return [];
  const labels = textMap(fields(fields(spec["template"])["metadata"])["labels"]);
  const expected = Object.fromEntries([
    ...UID_LABELS.map((label) => [label, uid]),
    ...NAME_LABELS.map((label) => [label, name]),
  ]) as Record<string, string>;
  const errors = ["controller-uid", "job-name", NEW_UID_LABEL, "batch.kubernetes.io/job-name"].flatMap((label) => {
    const value = labels[label];
    const at = "spec.template.metadata.labels";
    if (value === undefined) return [required(at, `must be '${expected[label]}'`)];
    return value === expected[label] ? [] : [invalid(at, labels, `must be '${expected[label]}'`)];
  });
  if (selects(spec["selector"], expected) === false) {
    errors.push(invalid("spec.selector", spec["selector"], "`selector` not auto-generated"));
  }
  return errors;
}

/** Validates the spec of a Job or of a CronJob's template. */
function validateJobSpec(spec: Fields, at: string, isTemplate: boolean): FieldError[] {
  const { completionMode, completions, parallelism, template, selector } = spec;
  const errors = [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ].flatMap((field) => notNegative(spec[field], `${at}.${field}`));
  if (!isMissing(spec["maxFailedIndexes"]) && isMissing(spec["backoffLimitPerIndex"])) {
    errors.push(required(`${at}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  }
  if (!isMissing(completionMode)) {
    const modes = ["NonIndexed", "Indexed"];
    if (!modes.includes(text(completionMode))) errors.push(notSupported(`${at}.completionMode`, completionMode, modes));
    if (completionMode === "Indexed") {
      if (isMissing(completions)) errors.push(required(`${at}.completions`, "when completion mode is Indexed"));
      if (count(parallelism) > 100_000) {
        const why = "must be less than or equal to 100000 when completion mode is Indexed";
        errors.push(invalid(`${at}.parallelism`, parallelism, why));
      }
    }
  }
  errors.push(...validatePodTemplate(template, `${at}.template`));
  const policy = text(fields(fields(template)["spec"])["restartPolicy"]);
  if (policy === "" || policy === "Always") {
    errors.push(required(`${at}.template.spec.restartPolicy`, `valid values: "OnFailure", "Never"`));
  } else if (policy !== "OnFailure" && policy !== "Never") {
    errors.push(notSupported(`${at}.template.spec.restartPolicy`, policy, ["OnFailure", "Never"]));
  }
  if (isTemplate) return errors;
  if (isMissing(selector)) return [...errors, required(`${at}.selector`)];
  errors.push(...validateLabelSelector(selector, `${at}.selector`));
  const labels = fields(fields(template)["metadata"])["labels"];
  if (selects(selector, textMap(labels)) === false) {
    const why = "`selector` does not match template `labels`";
    errors.push(invalid(`${at}.template.metadata.labels`, labels, why));
  }
  return errors;
}

function validateUpdate(spec: Fields, old: Fields): FieldError[] {
  const errors: FieldError[] = [];
  const { completionMode, completions, parallelism } = spec;
  if (!isEqual(completions, old["completions"])) {
    if (completionMode !== "Indexed") errors.push(immutable("spec.completions", completions));
    else if (!isMissing(completions) && completions !== parallelism) {
      const why = "can only be modified in tandem with spec.parallelism";
      errors.push(invalid("spec.completions", completions, why));
    }
  }
  if (!isEqual(spec["selector"], old["selector"])) {
    errors.push(immutable("spec.selector", spec["selector"]));
  }
  if (!isEqual(withoutDirectives(spec["template"], old), withoutDirectives(old["template"], old))) {
    errors.push(immutable("spec.template", spec["template"]));
  }
  for (const field of ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"]) {
    if (!isEqual(spec[field], old[field])) errors.push(immutable(`spec.${field}`, spec[field]));
  }
  return errors;
}

/** Scheduling directives of a suspended Job may still change. */
function withoutDirectives(template: unknown, old: Fields): unknown {
  if (old["suspend"] !== true) return template;
  const { metadata: _, spec, ...rest } = fields(template);
  const { nodeSelector: _n, tolerations: _t, schedulingGates: _s, affinity: _a, ...kept } = fields(spec);
  return { ...rest, spec: kept };
}

export const job: KindDefinition = {
  generation: raisedBySpec,
  // Orphan, for older clients: a client has to ask for the deletion of the Pods.
  defaultPropagation: "Orphan",
  prepareForCreate: withGeneratedSelector,
  validate(object, old) {
    const spec = fields(object["spec"]);
    const errors = [...validateGeneratedSelector(object), ...validateJobSpec(spec, "spec", false)];
    if (spec["completionMode"] === "Indexed" && count(spec["completions"]) > 0) {
      const hostname = `${object.metadata.name}-${count(spec["completions"]) - 1}`;
      if (dnsLabel(hostname).length > 0) {
        const why = `will not able to create pod with invalid DNS label: ${hostname}`;
        errors.push(invalid("metadata.name", object.metadata.name, why));
      }
    }
    return old === undefined ? errors : [...errors, ...validateUpdate(spec, fields(old["spec"]))];
  },
  validateStatus: (object) =>
    ["active", "succeeded", "failed", "ready", "terminating"].flatMap((field) =>
      notNegative(fields(object["status"])[field], `status.${field}`),
    ),
  selectableFields: (object) => ({ "status.successful": String(count(fields(object["status"])["succeeded"])) }),
  warnings({ metadata: { name } }, old) {
    const wrong = old === undefined ? dnsLabel(name) : [];
    return wrong.length === 0 ? [] : [`${NAME_WARNING} [${wrong.join(" ")}]`];
  },
};

export const cronJob: KindDefinition = {
  generation: raisedBySpec,
  validate(object, old) {
    const spec = fields(object["spec"]);
    const { schedule, concurrencyPolicy, jobTemplate } = spec;
    const errors = text(schedule) === "" ? [required("spec.schedule")] : validateSchedule(text(schedule));
    errors.push(...notNegative(spec["startingDeadlineSeconds"], "spec.startingDeadlineSeconds"));
    const policies = ["Allow", "Forbid", "Replace"];
    if (!policies.includes(text(concurrencyPolicy))) {
      errors.push(notSupported("spec.concurrencyPolicy", concurrencyPolicy, policies));
    }
    errors.push(
      ...validateJobSpec(fields(fields(jobTemplate)["spec"]), "spec.jobTemplate.spec", true),
      ...notNegative(spec["successfulJobsHistoryLimit"], "spec.successfulJobsHistoryLimit"),
      ...notNegative(spec["failedJobsHistoryLimit"], "spec.failedJobsHistoryLimit"),
    );
    const { name } = object.metadata;
    if (old === undefined && name.length > 52) {
      errors.push(invalid("metadata.name", name, "must be no more than 52 characters"));
    }
    return errors;
  },
};

/** Five fields, or one of the short words. The CronJob controller checks the contents of the fields. */
function validateSchedule(schedule: string): FieldError[] {
  const errors: FieldError[] = [];
  const parts = schedule.trim().split(/\s+/);
  const isWord = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every .+)$/.test(schedule);
  if (schedule.includes("TZ")) {
    const why = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    errors.push(invalid("spec.schedule", schedule, why));
  } else if (!isWord && parts.length !== 5) {
    const why = `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`;
    errors.push(invalid("spec.schedule", schedule, why));
  }
  return errors;
}
