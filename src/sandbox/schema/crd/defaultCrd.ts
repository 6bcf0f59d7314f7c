import type { KubeObject } from "../../types.ts";
import { type CrdConversion, specOf, statusOf } from "./crdTypes.ts";

/**
 * What the API server fills into a CustomResourceDefinition: the singular name, the kind of its lists, conversion None, the port of a
 * webhook's Service, and the version that is stored. Shares what it does not change.
 */
export function defaultCrd(crd: KubeObject): KubeObject {
  const spec = specOf(crd);
  const { names = {}, conversion } = spec;
  const { kind = "" } = names;
  const named = {
    ...names,
    ...(isEmpty(names.singular) ? { singular: kind.toLowerCase() } : {}),
    ...(isEmpty(names.listKind) && kind !== "" ? { listKind: `${kind}List` } : {}),
  };
  const status = statusOf(crd);
  // Null in the part of a CRD by which the server works out who owns which fields.
  const stored = spec.versions?.find(({ storage }) => storage === true)?.name;
  const storedVersions =
    (status.storedVersions?.length ?? 0) > 0 || stored === undefined ? status.storedVersions : [stored];
  return {
    ...crd,
    spec: { ...spec, names: named, conversion: withPort(conversion ?? { strategy: "None" }) },
    ...(storedVersions === status.storedVersions ? {} : { status: { ...status, storedVersions } }),
  };
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text === "";
}

function withPort(conversion: CrdConversion): CrdConversion {
  const { webhook } = conversion;
  const service = webhook?.clientConfig?.service;
  if (webhook === undefined || service === undefined || service.port !== undefined) return conversion;
  const clientConfig = { ...webhook.clientConfig, service: { ...service, port: 443 } };
  return { ...conversion, webhook: { ...webhook, clientConfig } };
}
