import type { KindRules } from "../../kinds/index.ts";
import { crdWarnings, defaultCrd, validateCrd } from "../../schema/index.ts";
import type { KubeObject } from "../../types.ts";
import { type CrdStatus, specOf } from "./crdStatus.ts";

/** The rules of CRDs: the rules of the kind, plus defaults, validation and warnings of schemas. */
export function crdRules(rules: KindRules): KindRules {
  return {
    ...rules,
    defaults: (object, apiVersion) => defaultCrd(rules.defaults?.(object, apiVersion) ?? object),
    prepareForCreate: (crd, env) => withStoredVersion(rules.prepareForCreate?.(crd, env) ?? crd),
    prepareForUpdate: (crd, old, env) => withStoredVersion(rules.prepareForUpdate?.(crd, old, env) ?? crd),
    validate: (crd, old) => [...rules.validate(crd, old), ...validateCrd(crd, old)],
    warnings: (crd, old) => [...(rules.warnings?.(crd, old) ?? []), ...crdWarnings(crd)],
  };
}

/** Every former storage version stays in storedVersions, because objects may still be stored in it. */
function withStoredVersion(crd: KubeObject): KubeObject {
  const storage = specOf(crd).versions.find((version) => version.storage)?.name;
  const status = (crd["status"] ?? {}) as CrdStatus;
  const storedVersions = status.storedVersions ?? [];
  if (storage === undefined || storedVersions.includes(storage)) return crd;
  return { ...crd, status: { ...status, storedVersions: [...storedVersions, storage] } };
}
