import type { DeleteOptions, FieldError, KubeObject } from "../../types.ts";
import { type KindDefinition, raisedBySpec } from "../definition.ts";
import { forbidden, immutable, invalid, required } from "../../fieldErrors.ts";
import { dnsLabel } from "../names.ts";
import { quantityNanos } from "../quantity.ts";
import {
  count,
  fields,
  type Fields,
  fieldsList,
  isEqual,
  isMissing,
  optionalCount,
  text,
  textMap,
  withFieldOf,
} from "../values.ts";
import { validatePodAnnotations, validatePodSpec, validateTolerations } from "../validation/podSpec.ts";

const NAME_WARNING =
  "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended:";
const CHANGEABLE = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");
const MIRROR = "kubernetes.io/config.mirror";

/**
 * Guaranteed: every container limits CPU and memory, and requests equal limits. BestEffort: no requests and no limits.
 * Burstable: any other Pod.
 */
export function qosClass(spec: Fields): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers = [...fieldsList(spec["containers"]), ...fieldsList(spec["initContainers"])];
  const amounts = (resources: unknown, kind: string) =>
    Object.entries(textMap(fields(resources)[kind])).filter(
      ([name, amount]) => (name === "cpu" || name === "memory") && (quantityNanos(amount) ?? 0n) > 0n,
    );
  let isGuaranteed = true;
  let isBestEffort = true;
  for (const { resources } of containers) {
    const limits = new Map(amounts(resources, "limits"));
    const requests = amounts(resources, "requests");
    if (limits.size > 0 || requests.length > 0) isBestEffort = false;
    if (limits.size !== 2 || requests.some(([name, amount]) => limits.get(name) !== amount)) isGuaranteed = false;
  }
  if (isBestEffort) return "BestEffort";
  return isGuaranteed ? "Guaranteed" : "Burstable";
}

export const pod: KindDefinition = {
  generation: raisedBySpec,
  statusLeavesMetadata: ["ownerReferences"],
  prepareForCreate(object) {
    const spec = fields(object["spec"]);
    const gated = fieldsList(spec["schedulingGates"]).length > 0;
    const condition = {
      type: "PodScheduled",
      status: "False",
      lastProbeTime: null,
      lastTransitionTime: null,
      reason: "SchedulingGated",
      message: "Scheduling is blocked due to non-empty scheduling gates",
    };
    const status = { phase: "Pending", qosClass: qosClass(spec), ...(gated ? { conditions: [condition] } : {}) };
    return { ...object, status };
  },
  prepareForStatusUpdate(object, old) {
    const status = fields(object["status"]);
    if (!isMissing(status["qosClass"])) return object;
    return { ...object, status: withFieldOf(status, fields(old["status"]), "qosClass") };
  },
  validate(object, old) {
    const spec = fields(object["spec"]);
    const annotations = object.metadata.annotations ?? {};
    const errors = [
      ...validatePodAnnotations(annotations, spec, "metadata.annotations"),
      ...validatePodSpec(spec, "spec", { isPod: true }),
    ];
    if (old === undefined) {
      if (fieldsList(spec["ephemeralContainers"]).length > 0) {
        errors.push(forbidden("spec.ephemeralContainers", "cannot be set on create"));
      }
      if (text(spec["nodeName"]) !== "" && fieldsList(spec["schedulingGates"]).length > 0) {
        errors.push(forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
      }
      return errors;
    }
    return [...errors, ...validateMirror(object, old), ...validateSpecUpdate(spec, fields(old["spec"]))];
  },
  validateStatus(object, old) {
    const [status, before] = [fields(object["status"]), fields(old["status"])];
    const errors = validateMirror(object, old);
    if (count(status["observedGeneration"]) < 0) {
      const why = "must be a non-negative integer";
      errors.push(invalid("status.observedGeneration", status["observedGeneration"], why));
    }
    if (!isEqual(status["qosClass"], before["qosClass"])) {
      errors.push(immutable("status.qosClass", text(status["qosClass"])));
    }
    return errors;
  },
  warnings({ metadata: { name } }, old) {
    const wrong = old === undefined ? dnsLabel(name) : [];
    return wrong.length === 0 ? [] : [`${NAME_WARNING} [${wrong.join(" ")}]`];
  },
  gracePeriodSeconds: podGracePeriod,
  selectableFields(object) {
    const spec = fields(object["spec"]);
    const status = fields(object["status"]);
    const podIP = text(fieldsList(status["podIPs"])[0]?.["ip"]) || text(status["podIP"]);
    return {
      "spec.nodeName": text(spec["nodeName"]),
      "spec.restartPolicy": text(spec["restartPolicy"]),
      "spec.schedulerName": text(spec["schedulerName"]),
      "spec.serviceAccountName": text(spec["serviceAccountName"]),
      "spec.hostNetwork": String(spec["hostNetwork"] === true),
      "status.phase": text(status["phase"]),
      "status.podIP": podIP,
      "status.nominatedNodeName": text(status["nominatedNodeName"]),
    };
  },
};

/** A Pod without a node, and an ended Pod, have no processes to stop. */
function podGracePeriod(object: KubeObject, options: DeleteOptions): number {
  const spec = fields(object["spec"]);
  const phase = fields(object["status"])["phase"];
  if (text(spec["nodeName"]) === "" || phase === "Failed" || phase === "Succeeded") return 0;
  const seconds = options.gracePeriodSeconds ?? optionalCount(spec["terminationGracePeriodSeconds"]) ?? 0;
  return seconds < 0 ? 1 : seconds;
}

function validateMirror(object: KubeObject, old: KubeObject): FieldError[] {
  const [now, before] = [object.metadata.annotations?.[MIRROR], old.metadata.annotations?.[MIRROR]];
  if (now === before) return [];
  const what = before === undefined ? "add" : "remove or update";
  return [forbidden(`metadata.annotations[${MIRROR}]`, `may not ${what} mirror pod annotation`)];
}

/** Only a few fields of an existing Pod may change. */
function validateSpecUpdate(spec: Fields, old: Fields): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ["containers", "initContainers"]) {
    const containers = fieldsList(spec[field]);
    if (containers.length !== fieldsList(old[field]).length) {
      return [...errors, forbidden(`spec.${field}`, "pod updates may not add or remove containers")];
    }
    containers.forEach(({ image }, index) => {
      const here = `spec.${field}[${index}].image`;
      if (text(image) === "") errors.push(required(here));
      if (text(image).trim() !== text(image)) {
        errors.push(invalid(here, image, "must not have leading or trailing whitespace"));
      }
    });
  }
  errors.push(...validateDeadlineUpdate(spec["activeDeadlineSeconds"], old["activeDeadlineSeconds"]));
  const tolerations = fieldsList(spec["tolerations"]);
  const isKept = (before: Fields) =>
    tolerations.some((now) => isEqual(withFieldOf(before, now, "tolerationSeconds"), now));
  if (fieldsList(old["tolerations"]).every(isKept)) {
    errors.push(...validateTolerations(spec["tolerations"], "spec.tolerations"));
  } else {
    const why = "existing toleration can not be modified except its tolerationSeconds";
    errors.push(forbidden("spec.tolerations", why));
  }
  const gates = (holder: Fields) => fieldsList(holder["schedulingGates"]).map(({ name }) => text(name));
  for (const gate of gates(spec).filter((name) => !gates(old).includes(name))) {
    errors.push(forbidden("spec.schedulingGates", `only deletion is allowed, but found new scheduling gate '${gate}'`));
  }
  if (!isEqual(withUnchangeable(spec, old), old)) {
    errors.push(forbidden("spec", `pod updates may not change fields other than ${CHANGEABLE}\n`));
  }
  return errors;
}

function validateDeadlineUpdate(now: unknown, before: unknown): FieldError[] {
  const at = "spec.activeDeadlineSeconds";
  if (isMissing(now)) {
    if (isMissing(before)) return [];
    return [invalid(at, null, "must not update from a positive integer to nil value")];
  }
  if (count(now) < 0 || count(now) >= 2 ** 31) {
    return [invalid(at, now, "must be between 0 and 2147483647, inclusive")];
  }
  if (isMissing(before) || count(before) >= count(now)) return [];
  return [invalid(at, now, "must be less than or equal to previous value")];
}

/** The new spec with the old values of all mutable fields. It equals the old spec if no other field changed. */
function withUnchangeable(spec: Fields, old: Fields): Fields {
  let next = spec;
  for (const field of ["containers", "initContainers"]) {
    if (isMissing(spec[field])) continue;
    const before = fieldsList(old[field]);
    const containers = fieldsList(spec[field]).map((container, index) =>
      withFieldOf(container, before[index] ?? {}, "image"),
    );
    next = { ...next, [field]: containers };
  }
  const changeable = ["activeDeadlineSeconds", "schedulingGates", "tolerations", "ephemeralContainers"];
  const grace = "terminationGracePeriodSeconds";
  if (count(old[grace]) < 0 && next[grace] === 1) changeable.push(grace);
  for (const field of changeable) next = withFieldOf(next, old, field);
  const isGated = fieldsList(old["schedulingGates"]).length > 0;
  return isGated ? withFieldOf(withFieldOf(next, old, "nodeSelector"), old, "affinity") : next;
}
