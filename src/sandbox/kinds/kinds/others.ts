import { timestamp } from "../../timestamp.ts";
import type { FieldError, KubeObject } from "../../types.ts";
import { type KindDefinition, raisedBySpec } from "../definition.ts";
import { forbidden, immutable, invalid, notSupported, required } from "../../fieldErrors.ts";
import { dnsSubdomain } from "../names.ts";
import { quantityNanos } from "../quantity.ts";
import {
  count,
  fields,
  type Fields,
  fieldsList,
  isEqual,
  isMissing,
  text,
  textMap,
  texts,
  withFieldOf,
} from "../values.ts";
import { atMost100Percent, intOrPercent, notNegative } from "../validation/numbers.ts";
import { validateLabelSelector } from "../validation/selectors.ts";
import { accessModes, validateClaimSpec, volumeModes } from "../validation/volumeClaims.ts";

export const lease: KindDefinition = {
  allowsAnyFinalizer: true,
  allowsCreateOnUpdate: true,
  allowsUnconditionalUpdate: false,
  // Coordinated leader election is off by default, so its fields are dropped.
  prepareForCreate: withoutCoordination,
  prepareForUpdate: withoutCoordination,
  validate(object) {
    const { leaseDurationSeconds, leaseTransitions } = fields(object["spec"]);
    const errors: FieldError[] = [];
    if (!isMissing(leaseDurationSeconds) && count(leaseDurationSeconds) <= 0) {
      errors.push(invalid("spec.leaseDurationSeconds", leaseDurationSeconds, "must be greater than 0"));
    }
    return [...errors, ...notNegative(leaseTransitions, "spec.leaseTransitions")];
  },
};

function withoutCoordination(object: KubeObject): KubeObject {
  const { strategy, preferredHolder, ...spec } = fields(object["spec"]);
  return strategy === undefined && preferredHolder === undefined ? object : { ...object, spec };
}

export const podDisruptionBudget: KindDefinition = {
  generation: raisedBySpec,
  allowsUnconditionalUpdate: false,
  validate(object) {
    const spec = fields(object["spec"]);
    const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec;
    const errors: FieldError[] = [];
    if (!isMissing(minAvailable) && !isMissing(maxUnavailable)) {
      errors.push(invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set"));
    }
    for (const [field, value] of Object.entries({ minAvailable, maxUnavailable })) {
      errors.push(...intOrPercent(value, `spec.${field}`), ...atMost100Percent(value, `spec.${field}`));
    }
    errors.push(...validateLabelSelector(selector, "spec.selector"));
    const policies = ["AlwaysAllow", "IfHealthyBudget"];
    if (!isMissing(unhealthyPodEvictionPolicy) && !policies.includes(text(unhealthyPodEvictionPolicy))) {
      errors.push(notSupported("spec.unhealthyPodEvictionPolicy", unhealthyPodEvictionPolicy, policies));
    }
    return errors;
  },
  validateStatus: (object) =>
    ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"].flatMap((field) =>
      notNegative(fields(object["status"])[field], `status.${field}`),
    ),
};

export const persistentVolumeClaim: KindDefinition = {
  validate(object, old) {
    const spec = fields(object["spec"]);
    const errors = validateClaimSpec(spec, "spec");
    return old === undefined ? errors : [...errors, ...validateClaimChange(spec, old)];
  },
  selectableFields: (object) => ({ name: object.metadata.name }),
};

const CLAIM_TEXT =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n";

/** Changes allowed for a claim: the size once it is bound, and the volume name once. */
function validateClaimChange(spec: Fields, old: KubeObject): FieldError[] {
  const before = fields(old["spec"]);
  const requests = (holder: Fields) => fields(fields(holder["resources"])["requests"]);
  let next = isMissing(before["volumeName"]) ? withFieldOf(spec, before, "volumeName") : spec;
  if (fields(old["status"])["phase"] === "Bound") {
    const resources = {
      ...fields(next["resources"]),
      requests: withFieldOf(requests(next), requests(before), "storage"),
    };
    next = withFieldOf({ ...next, resources }, before, "volumeAttributesClassName");
  }
  const errors = isEqual(next, before) ? [] : [forbidden("spec", CLAIM_TEXT)];
  const size = (holder: Fields) => quantityNanos(text(requests(holder)["storage"])) ?? 0n;
  const capacity = quantityNanos(text(fields(fields(old["status"])["capacity"])["storage"])) ?? 0n;
  if (size(spec) < size(before) && size(spec) <= capacity) {
    errors.push(forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
  }
  if (!isEqual(spec["volumeMode"], before["volumeMode"])) errors.push(immutable("volumeMode", spec["volumeMode"]));
  return errors;
}

export const persistentVolume: KindDefinition = {
  prepareForCreate: (object, env) => ({
    ...object,
    status: { phase: "Pending", lastPhaseTransitionTime: timestamp(env.now()) },
  }),
  prepareForStatusUpdate(object, old, env) {
    const [status, before] = [fields(object["status"]), fields(old["status"])];
    const time = "lastPhaseTransitionTime";
    if (status["phase"] === before["phase"]) {
      return isMissing(status[time]) ? { ...object, status: withFieldOf(status, before, time) } : object;
    }
    const isOld = isMissing(status[time]) || status[time] === before[time];
    return isOld ? { ...object, status: { ...status, [time]: timestamp(env.now()) } } : object;
  },
  validate(object) {
    const spec = fields(object["spec"]);
    const modes = texts(spec["accessModes"]);
    const errors: FieldError[] = modes.length === 0 ? [required("spec.accessModes")] : [];
    for (const mode of modes) {
      if (!accessModes.includes(mode)) errors.push(notSupported("spec.accessModes", mode, accessModes));
    }
    const storage = textMap(spec["capacity"])["storage"];
    if (storage === undefined) {
      if (Object.keys(textMap(spec["capacity"])).length === 0) errors.push(required("spec.capacity"));
      errors.push(notSupported("spec.capacity", spec["capacity"] ?? null, ["storage"]));
    } else if ((quantityNanos(storage) ?? 0n) <= 0n) {
      errors.push(invalid("spec.capacity[storage]", storage, "must be greater than zero"));
    }
    const policies = ["Delete", "Recycle", "Retain"];
    const policy = text(spec["persistentVolumeReclaimPolicy"]);
    if (!policies.includes(policy)) {
      errors.push(notSupported("spec.persistentVolumeReclaimPolicy", policy, policies));
    }
    const sources = Object.keys(spec).filter((field) => !VOLUME_PROPERTIES.has(field) && !isMissing(spec[field]));
    if (sources.length === 0) errors.push(required("spec", "must specify a volume type"));
    for (const source of sources.slice(1)) {
      errors.push(forbidden(`spec.${source}`, "may not specify more than 1 volume type"));
    }
    const mode = spec["volumeMode"];
    if (!isMissing(mode) && !volumeModes.includes(text(mode))) {
      errors.push(notSupported("spec.volumeMode", mode, volumeModes));
    }
    return errors;
  },
  selectableFields: (object) => ({ name: object.metadata.name }),
};

/** Fields of a volume's spec that are not volume sources. */
const VOLUME_PROPERTIES: ReadonlySet<string> = new Set([
  "accessModes",
  "capacity",
  "claimRef",
  "mountOptions",
  "nodeAffinity",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "volumeAttributesClassName",
  "volumeMode",
]);

export const storageClass: KindDefinition = {
  allowsAnyFinalizer: true,
  validate(object, old) {
    const errors: FieldError[] = text(object["provisioner"]) === "" ? [required("provisioner")] : [];
    const policies = ["Delete", "Retain"];
    const policy = object["reclaimPolicy"];
    if (!isMissing(policy) && !policies.includes(text(policy))) {
      errors.push(notSupported("reclaimPolicy", policy, policies));
    }
    const modes = ["Immediate", "WaitForFirstConsumer"];
    const mode = object["volumeBindingMode"];
    if (!isMissing(mode) && !modes.includes(text(mode))) errors.push(notSupported("volumeBindingMode", mode, modes));
    if (old === undefined) return errors;
    if (!isEqual(fields(object["parameters"]), fields(old["parameters"]))) {
      errors.push(forbidden("parameters", "updates to parameters are forbidden."));
    }
    if (object["provisioner"] !== old["provisioner"]) {
      errors.push(forbidden("provisioner", "updates to provisioner are forbidden."));
    }
    for (const field of ["reclaimPolicy", "volumeBindingMode"]) {
      if (!isEqual(object[field], old[field])) errors.push(immutable(field, object[field]));
    }
    return errors;
  },
};

const HIGHEST_PRIORITY = 1_000_000_000;

export const priorityClass: KindDefinition = {
  // The generation exists but never changes.
  generation: { raisedBy: () => false },
  validate(object, old) {
    const value = count(object["value"]);
    const errors: FieldError[] = [];
    const { name } = object.metadata;
    if (old === undefined) {
      if (name.startsWith("system-") && name !== "system-node-critical" && name !== "system-cluster-critical") {
        errors.push(
          forbidden("metadata.name", "priority class names with 'system-' prefix are reserved for system use only"),
        );
      } else if (!name.startsWith("system-") && value > HIGHEST_PRIORITY) {
        errors.push(forbidden("value", `maximum allowed value of a user defined priority is ${HIGHEST_PRIORITY}`));
      }
    } else if (value !== count(old["value"])) errors.push(invalid("value", value, "field is immutable"));
    const policies = ["Never", "PreemptLowerPriority"];
    const policy = object["preemptionPolicy"];
    if (!isMissing(policy) && !policies.includes(text(policy))) {
      errors.push(notSupported("preemptionPolicy", policy, policies));
    }
    if (old !== undefined && !isEqual(policy, old["preemptionPolicy"]))
      errors.push(immutable("preemptionPolicy", policy));
    return errors;
  },
};

/** Rules of both kinds of webhook configurations. */
export const webhookConfiguration: KindDefinition = {
  allowsAnyFinalizer: true,
  generation: { raisedBy: (object, old) => !isEqual(object["webhooks"], old["webhooks"]) },
  allowsUnconditionalUpdate: false,
  validate(object) {
    const names = new Set<string>();
    return fieldsList(object["webhooks"]).flatMap((webhook, index) => {
      const at = `webhooks[${index}]`;
      const errors = validateWebhook(webhook, at);
      const name = text(webhook["name"]);
      if (names.has(name)) {
        errors.push({
          reason: "FieldValueDuplicate",
          field: `${at}.name`,
          message: `Duplicate value: ${JSON.stringify(name)}`,
        });
      }
      names.add(name);
      return errors;
    });
  },
};

function validateWebhook(webhook: Fields, at: string): FieldError[] {
  const name = text(webhook["name"]);
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(`${at}.name`));
  else {
    const wrong = dnsSubdomain(name);
    if (wrong.length > 0) errors.push(invalid(`${at}.name`, name, wrong.join(",")));
    else if (name.split(".").length < 3) {
      const why = "should be a domain with at least three segments separated by dots";
      errors.push(invalid(`${at}.name`, name, why));
    }
  }
  const choose = (field: string, supported: readonly string[]) => {
    const value = webhook[field];
    if (!isMissing(value) && !supported.includes(text(value))) {
      errors.push(notSupported(`${at}.${field}`, value, supported));
    }
  };
  choose("failurePolicy", ["Fail", "Ignore"]);
  choose("matchPolicy", ["Equivalent", "Exact"]);
  if (isMissing(webhook["sideEffects"])) {
    errors.push(required(`${at}.sideEffects`, "must specify one of None, NoneOnDryRun"));
  } else choose("sideEffects", ["None", "NoneOnDryRun"]);
  choose("reinvocationPolicy", ["IfNeeded", "Never"]);
  const seconds = webhook["timeoutSeconds"];
  if (!isMissing(seconds) && (count(seconds) < 1 || count(seconds) > 30)) {
    const why = "the timeout value must be between 1 and 30 seconds";
    errors.push(invalid(`${at}.timeoutSeconds`, seconds, why));
  }
  errors.push(
    ...validateLabelSelector(webhook["namespaceSelector"], `${at}.namespaceSelector`),
    ...validateLabelSelector(webhook["objectSelector"], `${at}.objectSelector`),
  );
  const { url, service } = fields(webhook["clientConfig"]);
  if (isMissing(url) === isMissing(service)) {
    errors.push(required(`${at}.clientConfig`, "exactly one of url or service is required"));
  } else if (!isMissing(url) && !text(url).startsWith("https://")) {
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text(url))?.[1] ?? "";
    const why = "'https' is the only allowed URL scheme; desired format: https://host[/path]";
    errors.push(invalid(`${at}.clientConfig.url`, scheme, why));
  }
  const versions = texts(webhook["admissionReviewVersions"]);
  if (versions.length === 0) {
    errors.push(required(`${at}.admissionReviewVersions`, "must specify one of v1, v1beta1"));
  } else if (!versions.includes("v1") && !versions.includes("v1beta1")) {
    const why = "must include at least one of v1, v1beta1";
    errors.push(invalid(`${at}.admissionReviewVersions`, versions, why));
  }
  return errors;
}

/** General rules of CRDs only. The schema folder validates CRDs; the server sets their names and status. */
export const customResourceDefinition: KindDefinition = {
  allowsAnyFinalizer: true,
  generation: raisedBySpec,
  allowsUnconditionalUpdate: false,
  prepareForCreate: (object) => withStoredVersions({ ...object, status: {} }),
  prepareForUpdate: withStoredVersions,
  prepareForStatusUpdate: (object, old) => ({
    ...object,
    // A status update changes only managedFields in the metadata.
    metadata: withFieldOf(old.metadata, object.metadata, "managedFields"),
  }),
};

function withStoredVersions(object: KubeObject): KubeObject {
  const status = fields(object["status"]);
  const stored = fieldsList(fields(object["spec"])["versions"]).find(({ storage }) => storage === true)?.["name"];
  const known = texts(status["storedVersions"]);
  const storedVersions = stored === undefined || known.includes(text(stored)) ? known : [...known, text(stored)];
  return {
    ...object,
    status: {
      ...status,
      conditions: status["conditions"] ?? null,
      acceptedNames: status["acceptedNames"] ?? { kind: "", plural: "" },
      storedVersions,
    },
  };
}

/** Rules of review kinds. The server replaces the submitted status with its answer. */
export const review: KindDefinition = {
  allowsAnyFinalizer: true,
  name: () => [],
};
