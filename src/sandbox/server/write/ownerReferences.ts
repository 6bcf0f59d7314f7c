import type { KubeObject, RequestContext } from "../../types.ts";
import { equalJson } from "../../equalJson.ts";

const ADVICE =
  "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed";
const WHEN = {
  submitted: ".metadata.ownerReferences contains duplicate entries",
  admitted: ".metadata.ownerReferences contains duplicate entries after mutating admission happens",
};

/** Removes identical duplicates of owner references and warns. Returns the same object if there are none. */
export function withOwnersOnce(object: KubeObject, { warn }: RequestContext, when: keyof typeof WHEN): KubeObject {
  const { ownerReferences = [] } = object.metadata;
  if (ownerReferences.length < 2) return object;
  const once = ownerReferences.filter(
    (owner, index) => ownerReferences.findIndex((other) => equalJson(owner, other)) === index,
  );
  if (once.length === ownerReferences.length) return object;
  const repeated = ownerReferences.filter(
    (owner, index) => ownerReferences.findIndex((other) => equalJson(owner, other)) !== index,
  );
  warn(`${WHEN[when]}; ${ADVICE}: ${repeated.map(({ uid }) => uid).join(", ")}`);
  return { ...object, metadata: { ...object.metadata, ownerReferences: once } };
}
