import type { FieldError } from "../../types.ts";
import { forbidden, invalid, notSupported, required } from "../../fieldErrors.ts";
import { dnsLabel, dnsSubdomain, labelValue } from "../names.ts";
import { validateAnnotations, validateLabelKey, validateLabels } from "../objectMeta.ts";
import { count, fields, fieldsList, isMissing, text, textMap, type Fields } from "../values.ts";
import { validateAffinity } from "./affinity.ts";
import { validateContainers, validateId, validateInitContainers } from "./containers.ts";
import { validateLabelSelector } from "./selectors.ts";
import { validateVolumes } from "./volumes.ts";

const DNS_POLICIES = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const TAINT_EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** Validates a Pod template: labels, annotations, spec. */
export function validatePodTemplate(template: unknown, at: string): FieldError[] {
  const { metadata, spec } = fields(template);
  const annotations = textMap(fields(metadata)["annotations"]);
  const errors = [
    ...validateLabels(textMap(fields(metadata)["labels"]), `${at}.labels`),
    ...validateAnnotations(annotations, `${at}.annotations`),
    ...validatePodAnnotations(annotations, spec, `${at}.annotations`),
    ...validatePodSpec(fields(spec), `${at}.spec`, { isPod: false }),
  ];
  if (fieldsList(fields(spec)["ephemeralContainers"]).length > 0) {
    errors.push(forbidden(`${at}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template"));
  }
  return errors;
}

/** Validates the annotations that the server interprets. */
export function validatePodAnnotations(
  annotations: Readonly<Record<string, string>>,
  spec: unknown,
  at: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const mirror = annotations["kubernetes.io/config.mirror"];
  if (mirror !== undefined && text(fields(spec)["nodeName"]) === "") {
    const why = "must set spec.nodeName if mirror pod annotation is set";
    errors.push(invalid(`${at}[kubernetes.io/config.mirror]`, mirror, why));
  }
  const cost = annotations["controller.kubernetes.io/pod-deletion-cost"];
  if (cost !== undefined && !/^(0|-?[1-9]\d{0,9})$/.test(cost)) {
    errors.push(invalid(`${at}[controller.kubernetes.io/pod-deletion-cost]`, cost, "must be a 32bit integer"));
  }
  return errors;
}

export function validatePodSpec(spec: Fields, at: string, { isPod }: { isPod: boolean }): FieldError[] {
  const volumes = validateVolumes(spec["volumes"], `${at}.volumes`);
  const grace = spec["terminationGracePeriodSeconds"];
  return [
    ...(isMissing(grace) ? [required(`${at}.terminationGracePeriodSeconds`)] : []),
    ...volumes.errors,
    ...validateContainers(spec["containers"], volumes.names, `${at}.containers`),
    ...validateInitContainers(spec["initContainers"], spec["containers"], volumes.names, `${at}.initContainers`),
    ...validateHostNetwork(spec, at, isPod),
    ...oneOf(spec["restartPolicy"], ["Always", "OnFailure", "Never"], `${at}.restartPolicy`),
    ...oneOf(spec["dnsPolicy"], DNS_POLICIES, `${at}.dnsPolicy`),
    ...validateLabels(textMap(spec["nodeSelector"]), `${at}.nodeSelector`),
    ...validateSecurityContext(spec["securityContext"], `${at}.securityContext`),
    ...validateAffinity(spec["affinity"], `${at}.affinity`),
    ...validateSpread(spec["topologySpreadConstraints"], `${at}.topologySpreadConstraints`),
    ...named(spec["serviceAccountName"], dnsSubdomain, `${at}.serviceAccountName`),
    ...named(spec["nodeName"], dnsSubdomain, `${at}.nodeName`),
    ...validateDeadline(spec["activeDeadlineSeconds"], `${at}.activeDeadlineSeconds`),
    ...named(spec["hostname"], dnsLabel, `${at}.hostname`),
    ...named(spec["subdomain"], dnsLabel, `${at}.subdomain`),
    ...validateTolerations(spec["tolerations"], `${at}.tolerations`),
    ...named(spec["priorityClassName"], dnsSubdomain, `${at}.priorityClassName`),
    ...named(spec["runtimeClassName"], dnsSubdomain, `${at}.runtimeClassName`),
  ];
}

function oneOf(value: unknown, supported: readonly string[], at: string): FieldError[] {
  if (text(value) === "") return [required(at)];
  return supported.includes(text(value)) ? [] : [notSupported(at, value, supported)];
}

function named(value: unknown, form: (name: string) => string[], at: string): FieldError[] {
  const name = text(value);
  return name === "" ? [] : form(name).map((message) => invalid(at, name, message));
}

function validateDeadline(seconds: unknown, at: string): FieldError[] {
  if (isMissing(seconds) || (count(seconds) >= 1 && count(seconds) < 2 ** 31)) return [];
  return [invalid(at, seconds, "must be between 1 and 2147483647, inclusive")];
}

/** With hostNetwork a container's port is the node's port. A template may leave hostPort empty. */
function validateHostNetwork(spec: Fields, at: string, isPod: boolean): FieldError[] {
  if (spec["hostNetwork"] !== true) return [];
  return fieldsList(spec["containers"]).flatMap((container, index) =>
    fieldsList(container["ports"]).flatMap((port, portIndex) => {
      const hostPort = count(port["hostPort"]);
      if ((!isPod && hostPort === 0) || hostPort === count(port["containerPort"])) return [];
      const why = "must match `containerPort` when `hostNetwork` is true";
      return [invalid(`${at}.containers[${index}].ports[${portIndex}].hostPort`, hostPort, why)];
    }),
  );
}

function validateSecurityContext(context: unknown, at: string): FieldError[] {
  return ["fsGroup", "runAsUser", "runAsGroup"].flatMap((field) =>
    validateId(fields(context)[field], `${at}.${field}`),
  );
}

function validateSpread(constraints: unknown, at: string): FieldError[] {
  const all = fieldsList(constraints);
  return all.flatMap((constraint, index) => {
    const here = `${at}[${index}]`;
    const { maxSkew, topologyKey, whenUnsatisfiable, labelSelector } = constraint;
    const errors = count(maxSkew) > 0 ? [] : [invalid(`${here}.maxSkew`, count(maxSkew), "must be greater than zero")];
    if (text(topologyKey) === "") errors.push(required(`${here}.topologyKey`, "can not be empty"));
    else errors.push(...validateLabelKey(text(topologyKey), `${here}.topologyKey`));
    const supported = ["DoNotSchedule", "ScheduleAnyway"];
    if (!supported.includes(text(whenUnsatisfiable))) {
      errors.push(notSupported(`${here}.whenUnsatisfiable`, text(whenUnsatisfiable), supported));
    }
    const isRepeated = all
      .slice(index + 1)
      .some((other) => other["topologyKey"] === topologyKey && other["whenUnsatisfiable"] === whenUnsatisfiable);
    if (isRepeated) {
      errors.push({
        reason: "FieldValueDuplicate",
        field: `${here}.{topologyKey, whenUnsatisfiable}`,
        message: `Duplicate value: "{${text(topologyKey)}, ${text(whenUnsatisfiable)}}"`,
      });
    }
    return [...errors, ...validateLabelSelector(labelSelector, `${here}.labelSelector`)];
  });
}

export function validateTolerations(tolerations: unknown, at: string): FieldError[] {
  return fieldsList(tolerations).flatMap((toleration, index) => {
    const here = `${at}[${index}]`;
    const [key, operator, value, effect] = ["key", "operator", "value", "effect"].map((field) =>
      text(toleration[field]),
    );
    const errors = key === "" ? [] : validateLabelKey(key ?? "", `${here}.key`);
    if (key === "" && operator !== "Exists") {
      const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(invalid(`${here}.operator`, operator, why));
    }
    if (!isMissing(toleration["tolerationSeconds"]) && effect !== "NoExecute") {
      const why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      errors.push(invalid(`${here}.effect`, effect, why));
    }
    if (operator === "Equal" || operator === "") {
      const wrong = labelValue(value ?? "");
      if (wrong.length > 0) errors.push(invalid(`${here}.operator`, value, wrong.join(";")));
    } else if (operator === "Exists") {
      const why = "value must be empty when `operator` is 'Exists'";
      if (value !== "") errors.push(invalid(`${here}.operator`, value, why));
    } else {
      const known = ["Equal", "Exists", ...(operator === "Lt" || operator === "Gt" ? ["Lt", "Gt"] : [])];
      errors.push(notSupported(`${here}.operator`, operator, known));
    }
    if (effect !== "") errors.push(...validateTaintEffect(effect ?? "", `${here}.effect`));
    return errors;
  });
}

export function validateTaintEffect(effect: string, at: string): FieldError[] {
  return TAINT_EFFECTS.includes(effect) ? [] : [notSupported(at, effect, TAINT_EFFECTS)];
}
