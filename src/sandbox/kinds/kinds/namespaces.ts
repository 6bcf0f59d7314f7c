import type { FieldError, KubeObject } from "../../types.ts";
import type { KindDefinition } from "../definition.ts";
import { invalid } from "../../fieldErrors.ts";
import { nameIsDnsLabel, nameIsDnsSubdomain } from "../names.ts";
import { validateLabelKey } from "../objectMeta.ts";
import { fields, fieldsList, text, texts, withFieldOf } from "../values.ts";

const KUBERNETES = "kubernetes";
const NAME_LABEL = "kubernetes.io/metadata.name";
const STANDARD_FINALIZERS = new Set([KUBERNETES, "orphan", "foregroundDeletion"]);

function validateNamespaceFinalizers(object: KubeObject): FieldError[] {
  const at = "spec.finalizers";
  return texts(fields(object["spec"])["finalizers"]).flatMap((finalizer) => {
    const errors = validateLabelKey(finalizer, at);
    if (errors.length > 0 || finalizer.includes("/") || STANDARD_FINALIZERS.has(finalizer)) return errors;
    const why = "name is neither a standard finalizer name nor is it fully qualified";
    return [invalid(at, finalizer, why)];
  });
}

export const namespace: KindDefinition = {
  name: nameIsDnsLabel,
  prepareForCreate(object) {
    const finalizers = texts(fields(object["spec"])["finalizers"]);
    const { metadata } = object;
    return {
      ...object,
      // Defaults are set before a generated name is known.
      metadata: { ...metadata, labels: { ...metadata.labels, [NAME_LABEL]: metadata.name } },
      spec: {
        ...fields(object["spec"]),
        finalizers: finalizers.includes(KUBERNETES) ? finalizers : [...finalizers, KUBERNETES],
      },
    };
  },
  // Only the finalize subresource changes `spec.finalizers`.
  prepareForUpdate: (object, old) => ({
    ...object,
    spec: withFieldOf(fields(object["spec"]), fields(old["spec"]), "finalizers"),
  }),
  validate: (object) => validateNamespaceFinalizers(object),
  validateStatus(object) {
    const { phase } = fields(object["status"]);
    const isGoing = object.metadata.deletionTimestamp !== undefined;
    const expected = isGoing ? "Terminating" : "Active";
    if (phase === expected) return [];
    const why = `may only be '${expected}' if \`deletionTimestamp\` is ${isGoing ? "not " : ""}empty`;
    return [invalid("status.Phase", text(phase), why)];
  },
  prepareForDelete: (object) => ({ ...object, status: { ...fields(object["status"]), phase: "Terminating" } }),
  isHeld: (object) => texts(fields(object["spec"])["finalizers"]).length > 0,
  selectableFields: (object) => ({
    "status.phase": text(fields(object["status"])["phase"]),
    name: object.metadata.name,
  }),
};

export const serviceAccount: KindDefinition = {
  name: nameIsDnsSubdomain,
  prepareForCreate: cleaned,
  prepareForUpdate: cleaned,
};

/** Keeps only the names of the Secrets. */
function cleaned(object: KubeObject): KubeObject {
  const { secrets } = object;
  if (!Array.isArray(secrets)) return object;
  return {
    ...object,
    secrets: fieldsList(secrets).map(({ name }) => (name === undefined ? {} : { name })),
  };
}

export const limitRange: KindDefinition = {
  allowsCreateOnUpdate: true,
  validate(object) {
    const seen = new Set<string>();
    return fieldsList(fields(object["spec"])["limits"]).flatMap(({ type }, index) => {
      const name = text(type);
      const at = `spec.limits[${index}].type`;
      const errors = validateLabelKey(name, at);
      if (seen.has(name)) {
        errors.push({ reason: "FieldValueDuplicate", field: at, message: `Duplicate value: ${JSON.stringify(name)}` });
      }
      seen.add(name);
      return errors;
    });
  },
};

export const endpoints: KindDefinition = { allowsCreateOnUpdate: true, name: nameIsDnsSubdomain };

export const endpointSlice: KindDefinition = {
  generation: {
    raisedBy: (object, old) =>
      JSON.stringify([object["endpoints"], object["ports"]]) !== JSON.stringify([old["endpoints"], old["ports"]]),
  },
  validate(object, old) {
    const { addressType } = object;
    const types = ["FQDN", "IPv4", "IPv6"];
    const errors: FieldError[] = [];
    if (!types.includes(text(addressType))) {
      errors.push({
        reason: text(addressType) === "" ? "FieldValueRequired" : "FieldValueNotSupported",
        field: "addressType",
        message:
          text(addressType) === ""
            ? "Required value"
            : `Unsupported value: ${JSON.stringify(addressType)}: supported values: "FQDN", "IPv4", "IPv6"`,
      });
    }
    if (old !== undefined && addressType !== old["addressType"]) {
      errors.push(invalid("addressType", addressType, "field is immutable"));
    }
    return errors;
  },
};
