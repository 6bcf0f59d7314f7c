import type { KubeObject } from "../../types.ts";
import { type CrdConversion, specOf, statusOf } from "./crdTypes.ts";

/**
 * Sets the API server's defaults of a CustomResourceDefinition: singular name, list kind, conversion None, the port of
 * a webhook's Service, and the stored version. Unchanged parts are shared with the argument.
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
  // `versions` is null in the partial CRD from which the server computes field ownership.
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
