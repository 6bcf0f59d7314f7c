import {
  BUNDLE_BOUNDS,
  counted,
  FEDERATION_API_VERSION,
  isRecord,
  isReservedKey,
  type KubeObject,
  SCOPE_ANNOTATION,
  valueAt,
} from "../../apis/index.ts";
import {
  groupKindOf,
  isClusterScopedBuiltIn,
  isCustomGroup,
  isDefinition,
  judgeManifests,
  phaseOf,
  titleOf,
  whyNeverInBundle,
} from "../../interpreter/index.ts";
import { compareText } from "../../scheduler/index.ts";
import { CommandError } from "../shared/index.ts";
import { itemsIn, objectIn, type SourceDocument } from "./sources.ts";

/** Builds one bundle from the output of Helm or kustomize, or from files. Pure, except for {@link CommandError}. */

export interface Wanted {
  name: string;
  namespace: string;
  /** Namespace of objects that name none. */
  target: string;
}

export interface Composed {
  manifests: KubeObject[];
  notes: string[];
}

const HOOK = "helm.sh/hook";
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
/** Metadata fields that people and their tools write. */
const KEPT_METADATA = ["name", "namespace", "labels", "annotations", "finalizers"] as const;

/** The manifests of a bundle, in apply order. Throws {@link CommandError} for invalid manifests. */
export function compose(documents: readonly SourceDocument[], { namespace, target }: Omit<Wanted, "name">): Composed {
  const notes: string[] = [];
  const leftOut: LeftOut[] = [];
  const all = documents.flatMap((document) => itemsOf(document));
  const objects = all.filter((object) => isKept(object, leftOut));
  // Nobody expects the tests of a chart in a bundle.
  for (const { kind, name, why, isTest } of leftOut) if (!isTest) notes.push(`${kind} ${name} is left out: ${why}`);
  for (const object of all) notes.push(...labelsToSet(object));
  const scopes = new Map(
    objects.filter(isDefinition).map((definition) => [definedKind(definition), scopeOf(definition)]),
  );
  const manifests = objects.map((object) => cleaned(object, scopes, { namespace, target }));
  manifests.sort((a, b) => phaseOf(a) - phaseOf(b) || compareText(sortKey(a), sortKey(b)));
  if (manifests.length === 0) throw new CommandError(`the bundle would hold no object${whyNone(leftOut)}`);
  const [problem] = judgeManifests({ manifests, listed: manifests.length }, namespace);
  if (problem !== undefined) throw new CommandError(`${located(problem.field, manifests)} ${problem.message}`);
  tellUnknownScopes(manifests, scopes, notes);
  const secrets = manifests.filter(({ apiVersion, kind }) => apiVersion === "v1" && kind === "Secret");
  if (secrets.length > 0) {
    const names = secrets.map(({ metadata }) => metadata.name).join(", ");
    notes.push(
      `${counted(secrets.length, "Secret")} (${names}) can be read by whoever may read bundles of ${namespace}; leave out what nobody may know`,
    );
  }
  return { manifests, notes };
}

/** The ManifestBundle. `compress` packs manifests that are too many or too large for a list. */
export function bundleOf(
  { name, namespace }: Wanted,
  manifests: readonly KubeObject[],
  compress: (text: string) => string,
): KubeObject {
  const text = JSON.stringify(manifests);
  const isSmall = text.length <= LARGEST_LIST && manifests.length <= MOST_LISTED;
  const bundle = { apiVersion: FEDERATION_API_VERSION, kind: "ManifestBundle", metadata: { name, namespace } };
  if (isSmall) return { ...bundle, spec: { manifests } };
  const compressed = compress(text);
  if (Buffer.byteLength(text) > BUNDLE_BOUNDS.unpacked || compressed.length > BUNDLE_BOUNDS.compressed) {
    const most = `${BUNDLE_BOUNDS.unpacked / 1024 / 1024} MiB, ${BUNDLE_BOUNDS.compressed} characters compressed`;
    throw new CommandError(
      `the manifests are too large for one bundle (${Buffer.byteLength(text)} bytes, ${compressed.length} characters compressed; at most ${most}): make several bundles`,
    );
  }
  return { ...bundle, spec: { compressed } };
}

/** Largest list that `kubectl apply` can still copy into its annotation, with room for the rest of the object. */
const LARGEST_LIST = 200_000;
const MOST_LISTED = 500;

function itemsOf(source: SourceDocument): KubeObject[] {
  const document = objectIn(source);
  if (document === undefined) return [];
  const isList = !isRecord(document["metadata"]) || document.kind.endsWith("List");
  if (isList && Array.isArray(document["items"])) return itemsIn(document["items"], source.place).flatMap(itemsOf);
  return [document as unknown as KubeObject];
}

/** The bundle leaves a Namespace out: members get its Pod Security labels from the hub. */
function labelsToSet(object: KubeObject): string[] {
  if (object.apiVersion !== "v1" || object.kind !== "Namespace") return [];
  const { name, labels = {} } = object.metadata;
  const texts = Object.entries(labels)
    .filter(([key]) => key.startsWith(POD_SECURITY_PREFIX))
    .map(([key, value]) => `${key}=${value}`);
  if (texts.length === 0) return [];
  return [
    `members get the Pod Security labels of namespace ${name} from the hub, where an administrator sets them: kubectl label --overwrite namespace ${name} ${texts.toSorted().join(" ")}`,
  ];
}

const POD_SECURITY_PREFIX = "pod-security.kubernetes.io/";

interface LeftOut {
  kind: string;
  name: string;
  why: string;
  isTest: boolean;
}

function isKept(object: KubeObject, leftOut: LeftOut[]): boolean {
  const hook = object.metadata?.annotations?.[HOOK];
  const named = { kind: object.kind, name: object.metadata?.name ?? "without a name" };
  if (hook !== undefined && !isDefinition(object)) {
    const isTest = hook.split(",").every((one) => one.trim().startsWith("test"));
    leftOut.push({ ...named, why: `it is a hook (${hook}), which only Helm runs`, isTest });
    return false;
  }
  const why = whyNeverInBundle(groupKindOf(object));
  if (why !== undefined) leftOut.push({ ...named, why, isTest: false });
  return why === undefined;
}

/** Ends the error that a bundle has no objects: lists the kinds that were left out, grouped by reason. */
function whyNone(leftOut: readonly LeftOut[]): string {
  if (leftOut.length === 0) return "; check what was given";
  const reasons = Map.groupBy(leftOut, ({ why }) => why);
  const sentences = [...reasons].map(([why, ones]) => {
    const kinds = [...new Set(ones.map(({ kind }) => kind))].toSorted();
    return `${kinds.join(", ")} ${kinds.length === 1 ? "is" : "are"} left out: ${why}`;
  });
  return `: ${sentences.join("; ")}`;
}

/** The object without fields that servers write, and with a namespace if its kind is namespaced. */
function cleaned(
  object: KubeObject,
  scopes: ReadonlyMap<string, unknown>,
  { namespace: home, target }: Pick<Wanted, "namespace" | "target">,
): KubeObject {
  const { status: _, metadata: given, ...rest } = object;
  const metadata: Record<string, unknown> = {};
  for (const field of KEPT_METADATA)
    if (given?.[field] !== undefined && given[field] !== null) metadata[field] = given[field];
  const annotations = { ...given?.annotations };
  for (const key of Object.keys(annotations))
    if (key === LAST_APPLIED || key === HOOK || (isReservedKey(key) && key !== SCOPE_ANNOTATION))
      delete annotations[key];
  if (Object.keys(annotations).length === 0) delete metadata["annotations"];
  else metadata["annotations"] = annotations;
  const { group, kind } = groupKindOf(object);
  const isCluster =
    isClusterScopedBuiltIn({ group, kind }) ||
    scopes.get(`${group}/${kind}`) === "Cluster" ||
    annotations[SCOPE_ANNOTATION] === "Cluster";
  if (isCluster) delete metadata["namespace"];
  else if (metadata["namespace"] === undefined && target !== home) metadata["namespace"] = target;
  return { ...rest, metadata } as unknown as KubeObject;
}

function tellUnknownScopes(
  manifests: readonly KubeObject[],
  scopes: ReadonlyMap<string, unknown>,
  notes: string[],
): void {
  const unknown = new Set<string>();
  for (const manifest of manifests) {
    const { group, kind } = groupKindOf(manifest);
    const isTold = manifest.metadata.namespace !== undefined || manifest.metadata.annotations?.[SCOPE_ANNOTATION];
    if (isCustomGroup(group) && !scopes.has(`${group}/${kind}`) && !isTold) unknown.add(`${kind}.${group}`);
  }
  for (const kind of [...unknown].toSorted())
    notes.push(`${kind} is taken for namespaced; where it is cluster-scoped, annotate it: ${SCOPE_ANNOTATION}=Cluster`);
}

function definedKind(definition: KubeObject): string {
  return `${String(valueAt(definition, ["spec", "group"]))}/${String(valueAt(definition, ["spec", "names", "kind"]))}`;
}

function scopeOf(definition: KubeObject): unknown {
  return valueAt(definition, ["spec", "scope"]);
}

/** Replaces the index of a manifest in a problem's field by the object, because a person knows the object. */
function located(field: string, manifests: readonly KubeObject[]): string {
  const [, index, below = ""] = /^spec\.manifests\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
  const manifest = index === undefined ? undefined : manifests[Number(index)];
  if (manifest === undefined) return field;
  return below === "" ? titleOf(manifest) : `${titleOf(manifest)}: ${below}`;
}

function sortKey(object: KubeObject): string {
  const { namespace = "", name } = object.metadata;
  return [object.apiVersion, object.kind, namespace, name].join("/");
}
