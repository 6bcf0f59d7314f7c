import type { FieldError, KubeObject } from "../../types.ts";
import { type KindDefinition, raisedBySpec } from "../definition.ts";
import { forbidden, immutable, invalid, notSupported, required } from "../../fieldErrors.ts";
import { dnsLabel, nameIsDnsLabel } from "../names.ts";
import {
  count,
  fields,
  type Fields,
  fieldsList,
  isEqual,
  isMissing,
  text,
  textMap,
  withFieldOf,
  without,
} from "../values.ts";
import { atMost100Percent, intOrPercent, notNegative, numberOrPercent } from "../validation/numbers.ts";
import { validatePodTemplate } from "../validation/podSpec.ts";
import { selectorSize, selects, validateLabelSelector } from "../validation/selectors.ts";
import { validateReplicaStatus } from "../validation/status.ts";
import { validateClaimSpec } from "../validation/volumeClaims.ts";

const NAME_WARNING =
  "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended:";

function warnOfName({ metadata: { name } }: KubeObject, old: KubeObject | undefined): string[] {
  const wrong = old === undefined ? dnsLabel(name) : [];
  return wrong.length === 0 ? [] : [`${NAME_WARNING} [${wrong.join(" ")}]`];
}

/** Validates the selector and the template that must match it. */
function validateSelected(spec: Fields, kind: string, owner: string): FieldError[] {
  const { selector, template } = spec;
  const errors: FieldError[] = [];
  if (isMissing(selector)) errors.push(required("spec.selector"));
  else {
    errors.push(...validateLabelSelector(selector, "spec.selector"));
    if (selectorSize(selector) === 0) {
      errors.push(invalid("spec.selector", selector, `empty selector is invalid for ${kind}`));
    }
  }
  const labels = textMap(fields(fields(template)["metadata"])["labels"]);
  const matches = isMissing(selector) ? false : selects(selector, labels);
  if (matches === undefined) errors.push(invalid("spec.selector", selector, "invalid label selector"));
  else {
    if (!matches && !isMissing(selector)) errors.push(mismatch(template));
    if (isMissing(selector)) errors.push(mismatch(template));
    errors.push(...validatePodTemplate(template, "spec.template"), ...validateLongRunning(template, owner));
  }
  return errors;
}

function mismatch(template: unknown): FieldError {
  const labels = fields(fields(template)["metadata"])["labels"];
  return invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
}

/** Checks that the Pods run forever: they always restart and have no deadline. */
function validateLongRunning(template: unknown, owner: string): FieldError[] {
  const { restartPolicy, activeDeadlineSeconds } = fields(fields(template)["spec"]);
  const errors: FieldError[] = [];
  if (restartPolicy !== "Always") {
    errors.push(notSupported("spec.template.spec.restartPolicy", text(restartPolicy), ["Always"]));
  }
  if (!isMissing(activeDeadlineSeconds)) {
    const why = `activeDeadlineSeconds in ${owner} is not Supported`;
    errors.push(forbidden("spec.template.spec.activeDeadlineSeconds", why));
  }
  return errors;
}

function selectorIsImmutable(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const selector = fields(object["spec"])["selector"];
  if (old === undefined || isEqual(selector, fields(old["spec"])["selector"])) return [];
  return [immutable("spec.selector", selector)];
}

function validateStrategy(strategy: Fields): FieldError[] {
  const { type, rollingUpdate } = strategy;
  if (type === "Recreate") {
    if (isMissing(rollingUpdate)) return [];
    return [forbidden("spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (type !== "RollingUpdate") {
    const given = strategy;
    return [notSupported("spec.strategy", given, ["Recreate", "RollingUpdate"])];
  }
  const { maxUnavailable, maxSurge } = fields(rollingUpdate);
  const at = "spec.strategy.rollingUpdate";
  const errors = [...intOrPercent(maxUnavailable, `${at}.maxUnavailable`), ...intOrPercent(maxSurge, `${at}.maxSurge`)];
  if (numberOrPercent(maxUnavailable) === 0 && numberOrPercent(maxSurge) === 0) {
    errors.push(invalid(`${at}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0"));
  }
  return [...errors, ...atMost100Percent(maxUnavailable, `${at}.maxUnavailable`)];
}

export const deployment: KindDefinition = {
  // Annotations are copied to the ReplicaSets, so a change of annotations raises the generation too.
  generation: {
    raisedBy: (object, old) =>
      raisedBySpec.raisedBy(object, old) || !isEqual(object.metadata.annotations ?? {}, old.metadata.annotations ?? {}),
  },
  statusLeavesMetadata: ["labels"],
  validate(object, old) {
    const spec = fields(object["spec"]);
    const { progressDeadlineSeconds, minReadySeconds } = spec;
    const errors = [
      ...notNegative(spec["replicas"], "spec.replicas"),
      ...validateSelected(spec, "deployment", "ReplicaSet"),
      ...validateStrategy(fields(spec["strategy"])),
      ...notNegative(minReadySeconds, "spec.minReadySeconds"),
      ...notNegative(spec["revisionHistoryLimit"], "spec.revisionHistoryLimit"),
      ...notNegative(progressDeadlineSeconds, "spec.progressDeadlineSeconds"),
    ];
    if (!isMissing(progressDeadlineSeconds) && count(progressDeadlineSeconds) <= count(minReadySeconds)) {
      const why = "must be greater than minReadySeconds";
      errors.push(invalid("spec.progressDeadlineSeconds", progressDeadlineSeconds, why));
    }
    return [...errors, ...selectorIsImmutable(object, old)];
  },
  validateStatus: (object, old) =>
    validateReplicaStatus(
      object,
      old,
      [
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
      ],
      ["updatedReplicas", "readyReplicas", "availableReplicas"],
    ),
  warnings: warnOfName,
};

export const replicaSet: KindDefinition = {
  generation: raisedBySpec,
  validate(object, old) {
    const spec = fields(object["spec"]);
    return [
      ...notNegative(spec["replicas"], "spec.replicas"),
      ...notNegative(spec["minReadySeconds"], "spec.minReadySeconds"),
      ...validateSelected(spec, "deployment", "ReplicaSet"),
      ...selectorIsImmutable(object, old),
    ];
  },
  validateStatus: (object, old) =>
    validateReplicaStatus(
      object,
      old,
      ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"],
      ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
    ),
  selectableFields: (object) => ({ "status.replicas": String(count(fields(object["status"])["replicas"])) }),
  warnings: warnOfName,
};

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

function withTemplateGeneration(object: KubeObject, generation: number): KubeObject {
  const annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function templateGeneration(object: KubeObject): number {
  return Number.parseInt(object.metadata.annotations?.[TEMPLATE_GENERATION] ?? "0", 10) || 0;
}

export const daemonSet: KindDefinition = {
  generation: raisedBySpec,
  // The server writes the annotation, and the creator owns it, because decoding adds it before ownership is tracked.
  afterDecode: (object) =>
    object.metadata.annotations?.[TEMPLATE_GENERATION] === undefined ? withTemplateGeneration(object, 0) : object,
  prepareForCreate: (object) => withTemplateGeneration(object, Math.max(1, templateGeneration(object))),
  prepareForUpdate(object, old) {
    const isSame = isEqual(fields(object["spec"])["template"], fields(old["spec"])["template"]);
    return withTemplateGeneration(object, templateGeneration(old) + (isSame ? 0 : 1));
  },
  validate(object, old) {
    const spec = fields(object["spec"]);
    const { selector, template } = spec;
    const errors = old === undefined ? [] : selectorIsImmutable(object, old);
    errors.push(...validateLabelSelector(selector, "spec.selector"));
    const labels = textMap(fields(fields(template)["metadata"])["labels"]);
    if (isMissing(selector) || selects(selector, labels) === false) errors.push(mismatch(template));
    if (!isMissing(selector) && selectorSize(selector) === 0) {
      errors.push(invalid("spec.selector", selector, "empty selector is invalid for daemonset"));
    }
    return [
      ...errors,
      ...validatePodTemplate(template, "spec.template"),
      ...validateLongRunning(template, "DaemonSet"),
      ...notNegative(spec["minReadySeconds"], "spec.minReadySeconds"),
      ...validateDaemonSetStrategy(fields(spec["updateStrategy"])),
      ...notNegative(spec["revisionHistoryLimit"], "spec.revisionHistoryLimit"),
    ];
  },
  validateStatus: (object) =>
    [
      "currentNumberScheduled",
      "numberMisscheduled",
      "desiredNumberScheduled",
      "numberReady",
      "observedGeneration",
      "updatedNumberScheduled",
      "numberAvailable",
      "numberUnavailable",
      "collisionCount",
    ].flatMap((field) => notNegative(fields(object["status"])[field], `status.${field}`)),
};

function validateDaemonSetStrategy(strategy: Fields): FieldError[] {
  const { type, rollingUpdate } = strategy;
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate") {
    const given = strategy;
    return [notSupported("spec.updateStrategy", given, ["RollingUpdate", "OnDelete"])];
  }
  const at = "spec.updateStrategy.rollingUpdate";
  const { maxUnavailable, maxSurge } = fields(rollingUpdate);
  const errors = [
    ...intOrPercent(maxUnavailable, `${at}.maxUnavailable`),
    ...intOrPercent(maxSurge, `${at}.maxSurge`),
    ...atMost100Percent(maxUnavailable, `${at}.maxUnavailable`),
    ...atMost100Percent(maxSurge, `${at}.maxSurge`),
  ];
  const hasSurge = numberOrPercent(maxSurge) !== 0;
  if (numberOrPercent(maxUnavailable) === 0) {
    if (!hasSurge) errors.push(required(`${at}.maxUnavailable`, "cannot be 0 when maxSurge is 0"));
  } else if (hasSurge) {
    errors.push(invalid(`${at}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero"));
  }
  return errors;
}

const STATEFUL_SET_CHANGEABLE = [
  "replicas",
  "template",
  "updateStrategy",
  "minReadySeconds",
  "ordinals",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
];

/** maxUnavailable of a StatefulSet is an alpha feature and off, so the field is dropped unless the old object has it. */
function withoutMaxUnavailable(object: KubeObject, old?: KubeObject): KubeObject {
  const rollingUpdate = ({ spec }: KubeObject) => fields(fields(fields(spec)["updateStrategy"])["rollingUpdate"]);
  if (isMissing(rollingUpdate(object)["maxUnavailable"])) return object;
  if (old !== undefined && !isMissing(rollingUpdate(old)["maxUnavailable"])) return object;
  const spec = fields(object["spec"]);
  const kept = without(rollingUpdate(object), "maxUnavailable");
  return { ...object, spec: { ...spec, updateStrategy: { ...fields(spec["updateStrategy"]), rollingUpdate: kept } } };
}

export const statefulSet: KindDefinition = {
  name: nameIsDnsLabel,
  generation: raisedBySpec,
  prepareForCreate: (object) => withoutMaxUnavailable(object),
  prepareForUpdate: (object, old) => withoutMaxUnavailable(object, old),
  validate(object, old) {
    const spec = fields(object["spec"]);
    const errors = validateStatefulSetSpec(spec, old !== undefined);
    if (old === undefined) return errors;
    let kept: object = spec;
    for (const field of STATEFUL_SET_CHANGEABLE) kept = withFieldOf(kept, fields(old["spec"]), field);
    if (isEqual(kept, old["spec"])) return errors;
    const why =
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
    return [...errors, forbidden("spec", why)];
  },
  validateStatus: (object, old) =>
    validateReplicaStatus(
      object,
      old,
      ["replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas", "observedGeneration"],
      ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
      "cannot be greater than status.readyReplicas",
    ),
};

function validateStatefulSetSpec(spec: Fields, isUpdate: boolean): FieldError[] {
  const { podManagementPolicy, serviceName, ordinals } = spec;
  const claims = fieldsList(spec["volumeClaimTemplates"]);
  const errors: FieldError[] = [];
  if (podManagementPolicy !== "OrderedReady" && podManagementPolicy !== "Parallel") {
    const why = "must be 'OrderedReady' or 'Parallel'";
    errors.push(invalid("spec.podManagementPolicy", podManagementPolicy, why));
  }
  errors.push(...validateStatefulSetStrategy(fields(spec["updateStrategy"])));
  for (const field of ["whenDeleted", "whenScaled"]) {
    const policy = fields(spec["persistentVolumeClaimRetentionPolicy"])[field];
    if (policy === "Retain" || policy === "Delete" || isMissing(policy)) continue;
    const supported = ["Retain", "Delete"];
    errors.push(notSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, policy, supported));
  }
  if (!isUpdate) {
    claims.forEach((claim, index) => {
      errors.push(...validateClaimSpec(fields(claim["spec"]), `spec.volumeClaimTemplates[${index}].spec`));
    });
  }
  errors.push(
    ...notNegative(spec["replicas"], "spec.replicas"),
    ...notNegative(spec["minReadySeconds"], "spec.minReadySeconds"),
    ...notNegative(fields(ordinals)["start"], "spec.ordinals.start"),
  );
  const name = text(serviceName);
  if (!isUpdate && name !== "") {
    errors.push(...dnsLabel(name).map((message) => invalid("spec.serviceName", name, message)));
  }
  return [...errors, ...validateSelected(withClaimedVolumes(spec, claims), "statefulset", "StatefulSet")];
}

/** Each claim template adds a volume of the same name, replacing the Pod template's volume of that name. */
function withClaimedVolumes(spec: Fields, claims: readonly Fields[]): Fields {
  if (claims.length === 0) return spec;
  const template = fields(spec["template"]);
  const podSpec = fields(template["spec"]);
  const names = claims.map((claim) => text(fields(claim["metadata"])["name"]));
  const claimed = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = fieldsList(podSpec["volumes"]).filter((volume) => !names.includes(text(volume["name"])));
  return { ...spec, template: { ...template, spec: { ...podSpec, volumes: [...claimed, ...others] } } };
}

function validateStatefulSetStrategy(strategy: Fields): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const at = "spec.updateStrategy";
  if (type === "OnDelete") {
    if (isMissing(rollingUpdate)) return [];
    return [invalid(`${at}.rollingUpdate`, rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")];
  }
  if (type !== "RollingUpdate") {
    const given = strategy;
    return [invalid(at, given, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  const { partition, maxUnavailable } = fields(rollingUpdate);
  const errors = notNegative(partition, `${at}.rollingUpdate.partition`);
  if (isMissing(maxUnavailable)) return errors;
  const here = `${at}.rollingUpdate.maxUnavailable`;
  errors.push(...intOrPercent(maxUnavailable, here));
  if (numberOrPercent(maxUnavailable) === 0) errors.push(invalid(here, maxUnavailable, "cannot be 0"));
  return [...errors, ...atMost100Percent(maxUnavailable, here)];
}

export const controllerRevision: KindDefinition = {
  validate(object, old) {
    const errors = notNegative(object["revision"], "revision");
    const { data } = object;
    if (old !== undefined) return isEqual(data, old["data"]) ? errors : [...errors, immutable("data", data)];
    if (isMissing(data)) return [...errors, required("data", "data is mandatory")];
    if (typeof data !== "object") return [...errors, required("data", "data must be a valid JSON object")];
    return errors;
  },
};
