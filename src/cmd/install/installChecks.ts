import { type KubeObject, sameValue } from "../../apis/index.ts";
import { builtInTypeOf, type Client, isApiError, isNotFound, type ResourceType } from "../../runtime/index.ts";
import { describeAnswer, describeRelease, find, releaseOf } from "../shared/index.ts";
import { isInstalled } from "../workload/index.ts";

/** Stands in, in a dry run, for a namespace that does not exist yet. */
const STAND_IN = "default";

export interface Checked {
  wanted: KubeObject;
  type: ResourceType;
  before: KubeObject | undefined;
  /** Keep: the object belongs to somebody else and is sufficient. */
  verdict: { kind: "Write"; verb: Verb } | { kind: "Keep"; why: string } | { kind: "Refused"; why: string };
}

export type Verb = "created" | "configured" | "unchanged";

/** `customresourcedefinition/NAME`, with the namespace of a namespaced object. */
export function label({ kind, metadata }: KubeObject): string {
  const where = metadata.namespace === undefined ? "" : ` in namespace ${metadata.namespace}`;
  return `${kind.toLowerCase()}/${metadata.name}${where}`;
}

/** By dry run. Rejects only when the hub is out of reach or refuses the credentials. */
export async function checkAll(
  client: Client,
  objects: readonly KubeObject[],
  signal: AbortSignal,
): Promise<Checked[]> {
  const checked: Checked[] = [];
  const missing = new Set<string>();
  for (const wanted of objects) {
    const type = builtInTypeOf(wanted);
    const before = await find(client, type, wanted.metadata.namespace, wanted.metadata.name, signal);
    if (wanted.kind === "Namespace" && before === undefined) missing.add(wanted.metadata.name);
    const verdict = verdictWithoutAsking(wanted, before) ?? (await dryRun({ client, wanted, before, missing, signal }));
    checked.push({ wanted, type, before, verdict });
  }
  return checked;
}

/** Undefined when a dry run has to decide. */
export function verdictWithoutAsking(
  wanted: KubeObject,
  before: KubeObject | undefined,
): Checked["verdict"] | undefined {
  if (before === undefined) return undefined;
  if (before.metadata.deletionTimestamp !== undefined)
    return { kind: "Refused", why: "it is being deleted; try again when it is gone" };
  if (wanted.kind === "Namespace") return { kind: "Keep", why: "unchanged" };
  const release = releaseOf(before);
  if (release !== undefined) return { kind: "Keep", why: `left to ${describeRelease(release)}` };
  // Such a CRD can only be Meridian's, whoever installed it.
  if (isInstalled(before) || wanted.kind === "CustomResourceDefinition") return undefined;
  return { kind: "Refused", why: "the hub has an object of that name that is not Meridian's; remove or rename it" };
}

interface DryRun {
  client: Client;
  wanted: KubeObject;
  before: KubeObject | undefined;
  /** Namespaces that do not exist yet. */
  missing: ReadonlySet<string>;
  signal: AbortSignal;
}

async function dryRun({ client, wanted, before, missing, signal }: DryRun): Promise<Checked["verdict"]> {
  const { namespace } = wanted.metadata;
  const isPending = namespace !== undefined && missing.has(namespace);
  const object = isPending ? { ...wanted, metadata: { ...wanted.metadata, namespace: STAND_IN } } : wanted;
  try {
    const after = await client.apply(builtInTypeOf(wanted), object, { force: true, dryRun: true, signal });
    return { kind: "Write", verb: verbOf(before, after) };
  } catch (error) {
    if (!isApiError(error) || error.status === 401) throw error;
    // The dry run of the role checked the rights, and the role will exist before the binding is written.
    const awaitsRole = wanted.kind.endsWith("Binding") && isNotFound(error) && /role/.test(error.details?.kind ?? "");
    return awaitsRole ? { kind: "Write", verb: "created" } : { kind: "Refused", why: describeAnswer(error) };
  }
}

/** The effect of a write, apart from metadata that the server sets. */
export function verbOf(before: KubeObject | undefined, after: KubeObject): Verb {
  if (before === undefined) return "created";
  return sameValue(substance(before), substance(after)) ? "unchanged" : "configured";
}

function substance({ metadata, status: _, ...rest }: KubeObject): object {
  const { labels = {}, annotations = {} } = metadata;
  return { ...rest, labels, annotations };
}
