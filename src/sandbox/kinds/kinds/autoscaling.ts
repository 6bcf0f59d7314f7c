import type { FieldError } from "../../types.ts";
import type { KindDefinition } from "../definition.ts";
import { forbidden, invalid, notSupported, required } from "../../fieldErrors.ts";
import { pathSegment } from "../names.ts";
import { quantityNanos } from "../quantity.ts";
import { count, fields, type Fields, fieldsList, isEqual, isMissing, text } from "../values.ts";
import { notNegative } from "../validation/numbers.ts";

const SOURCES: Readonly<Record<string, string>> = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
};

export const horizontalPodAutoscaler: KindDefinition = {
  validate(object, old) {
    const spec = fields(object["spec"]);
    const before = old === undefined ? undefined : fields(old["spec"]);
    const { minReplicas, maxReplicas } = spec;
    const lowest = before?.["minReplicas"] === 0 ? 0 : 1;
    const errors: FieldError[] = [];
    if (!isMissing(minReplicas) && count(minReplicas) < lowest) {
      errors.push(invalid("spec.minReplicas", minReplicas, `must be greater than or equal to ${lowest}`));
    }
    if (count(maxReplicas) < 1) {
      errors.push(invalid("spec.maxReplicas", count(maxReplicas), "must be greater than 0"));
    }
    if (!isMissing(minReplicas) && count(maxReplicas) < count(minReplicas)) {
      const why = "must be greater than or equal to `minReplicas`";
      errors.push(invalid("spec.maxReplicas", count(maxReplicas), why));
    }
    return [
      ...errors,
      ...validateTarget(fields(spec["scaleTargetRef"]), before),
      ...validateMetrics(spec),
      ...validateBehavior(fields(spec["behavior"])),
    ];
  },
  validateStatus: (object) =>
    ["currentReplicas", "desiredReplicas"].flatMap((field) =>
      notNegative(fields(object["status"])[field], `status.${field}`),
    ),
};

function validateReference(reference: Fields, at: string): FieldError[] {
  return ["kind", "name"].flatMap((field) => {
    const value = text(reference[field]);
    if (value === "") return [required(`${at}.${field}`)];
    return pathSegment(value).map((message) => invalid(`${at}.${field}`, value, message));
  });
}

function validateTarget(target: Fields, before: Fields | undefined): FieldError[] {
  const at = "spec.scaleTargetRef";
  const errors = validateReference(target, at);
  const old = fields(before?.["scaleTargetRef"]);
  if (before !== undefined && isEqual(old["apiVersion"], target["apiVersion"]) && old["kind"] === target["kind"]) {
    return errors;
  }
  const apiVersion = text(target["apiVersion"]);
  const [group = ""] = apiVersion.includes("/") ? apiVersion.split("/") : [""];
  if (group !== "" || target["kind"] === "ReplicationController") return errors;
  return [...errors, invalid(`${at}.apiVersion`, apiVersion, "apiVersion must specify API group")];
}

function validateMetrics(spec: Fields): FieldError[] {
  const metrics = fieldsList(spec["metrics"]);
  const errors = metrics.flatMap((metric, index) => validateMetric(metric, `spec.metrics[${index}]`));
  const canBeZero = metrics.some(({ type }) => type === "Object" || type === "External");
  if (spec["minReplicas"] === 0 && !canBeZero) {
    const why = "must specify at least one Object or External metric to support scaling to zero replicas";
    errors.push(forbidden("spec.metrics", why));
  }
  return errors;
}

function validateMetric(metric: Fields, at: string): FieldError[] {
  const type = text(metric["type"]);
  const types = Object.keys(SOURCES);
  const errors: FieldError[] = type === "" ? [required(`${at}.type`, "must specify a metric source type")] : [];
  if (SOURCES[type] === undefined) errors.push(notSupported(`${at}.type`, type, types));
  const present = ["object", "external", "pods", "resource", "containerResource"].filter(
    (source) => !isMissing(metric[source]),
  );
  const [first] = present;
  if (first !== undefined) errors.push(...validateSource(first, fields(metric[first]), `${at}.${first}`));
  const expected = SOURCES[type];
  if (expected === undefined) errors.push(notSupported(`${at}.type`, type, types));
  else if (isMissing(metric[expected])) {
    errors.push(required(`${at}.${expected}`, "must populate information for the given metric source"));
  }
  if (present.length !== 1) {
    for (const source of present.filter((one) => one !== expected)) {
      errors.push(forbidden(`${at}.${source}`, "must populate the given metric source only"));
    }
  }
  return errors;
}

function validateSource(kind: string, source: Fields, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (kind === "object") errors.push(...validateReference(fields(source["describedObject"]), `${at}.describedObject`));
  if (kind === "containerResource" && text(source["container"]) === "") {
    errors.push(required(`${at}.container`, "must specify a container"));
  }
  if (kind === "resource" || kind === "containerResource") {
    if (text(source["name"]) === "") errors.push(required(`${at}.name`, "must specify a resource name"));
  } else {
    const name = text(fields(source["metric"])["name"]);
    if (name === "") errors.push(required(`${at}.metric.name`, "must specify a metric name"));
    else errors.push(...pathSegment(name).map((message) => invalid(`${at}.metric.name`, name, message)));
  }
  const target = fields(source["target"]);
  errors.push(...validateMetricTarget(target, `${at}.target`));
  const has = (field: string) => !isMissing(target[field]);
  if (kind === "resource" || kind === "containerResource") {
    if (!has("averageUtilization") && !has("averageValue")) {
      const why = "must set either a target raw value or a target utilization";
      errors.push(required(`${at}.target.averageUtilization`, why));
    }
    if (has("averageUtilization") && has("averageValue")) {
      const why = "may not set both a target raw value and a target utilization";
      errors.push(forbidden(`${at}.target.averageValue`, why));
    }
  } else if (kind === "pods") {
    if (!has("averageValue")) {
      errors.push(required(`${at}.target.averageValue`, "must specify a positive target averageValue"));
    }
  } else if (!has("value") && !has("averageValue")) {
    const why =
      kind === "object"
        ? "must set either a target value or averageValue"
        : "must set either a target value for metric or a per-pod target";
    errors.push(required(`${at}.target.averageValue`, why));
  }
  return errors;
}

function validateMetricTarget(target: Fields, at: string): FieldError[] {
  const type = text(target["type"]);
  const errors: FieldError[] = type === "" ? [required(`${at}.type`, "must specify a metric target type")] : [];
  if (type !== "Utilization" && type !== "Value" && type !== "AverageValue") {
    errors.push(invalid(`${at}.type`, type, "must be either Utilization, Value, or AverageValue"));
  }
  for (const field of ["value", "averageValue"]) {
    const value = target[field];
    if (!isMissing(value) && (quantityNanos(text(value)) ?? 0n) <= 0n) {
      errors.push(invalid(`${at}.${field}`, value, "must be positive"));
    }
  }
  const utilization = target["averageUtilization"];
  if (!isMissing(utilization) && count(utilization) < 1) {
    errors.push(invalid(`${at}.averageUtilization`, utilization, "must be greater than 0"));
  }
  return errors;
}

const LONGEST_WINDOW = 3600;
const LONGEST_PERIOD = 1800;

function validateBehavior(behavior: Fields): FieldError[] {
  return ["scaleUp", "scaleDown"].flatMap((direction) => {
    const rules = behavior[direction];
    if (isMissing(rules)) return [];
    const at = `spec.behavior.${direction}`;
    const { stabilizationWindowSeconds: window, selectPolicy, policies } = fields(rules);
    const errors = notNegative(window, `${at}.stabilizationWindowSeconds`);
    if (count(window) > LONGEST_WINDOW) {
      const why = `must be less than or equal to ${LONGEST_WINDOW}`;
      errors.push(invalid(`${at}.stabilizationWindowSeconds`, window, why));
    }
    const selections = ["Disabled", "Max", "Min"];
    if (!isMissing(selectPolicy) && !selections.includes(text(selectPolicy))) {
      errors.push(notSupported(`${at}.selectPolicy`, selectPolicy, selections));
    }
    if (fieldsList(policies).length === 0) errors.push(required(`${at}.policies`, "must specify at least one Policy"));
    fieldsList(policies).forEach(({ type, value, periodSeconds }, index) => {
      const here = `${at}.policies[${index}]`;
      if (type !== "Pods" && type !== "Percent") errors.push(notSupported(`${here}.type`, type, ["Percent", "Pods"]));
      if (count(value) <= 0) errors.push(invalid(`${here}.value`, count(value), "must be greater than zero"));
      if (count(periodSeconds) <= 0) {
        errors.push(invalid(`${here}.periodSeconds`, count(periodSeconds), "must be greater than zero"));
      }
      if (count(periodSeconds) > LONGEST_PERIOD) {
        const why = `must be less than or equal to ${LONGEST_PERIOD}`;
        errors.push(invalid(`${here}.periodSeconds`, periodSeconds, why));
      }
    });
    return errors;
  });
}
