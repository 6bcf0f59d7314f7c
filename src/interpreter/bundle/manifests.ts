import {
  BUNDLE_BOUNDS,
  counted,
  defined,
  excess,
  type FieldProblem,
  isRecord,
  isReservedKey,
  kindKey,
  type KubeObject,
  refKey,
  refOf,
  SCOPE_ANNOTATION,
  type UnpackedSpec,
  valueAt,
} from "../../apis/index.ts";
import {
  groupKindOf,
  holdsFreeForm,
  isClusterScopedBuiltIn,
  isCustomGroup,
  isDefinition,
  phaseOf,
  whyNeverInBundle,
} from "../kinds/index.ts";
import { prune } from "../values.ts";

/** Metadata fields that servers and controllers write. */
const WRITTEN_BY_SERVERS = [
  "uid",
  "resourceVersion",
  "generation",
  "generateName",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "selfLink",
  "ownerReferences",
  "managedFields",
] as const;

const NAME = /^[^/%]{1,253}$/;
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Unpacked spec of a bundle, also of a malformed one. */
export function unpackedSpecOf(object: KubeObject): UnpackedSpec {
  const spec = isRecord(object["spec"]) ? object["spec"] : {};
  const manifests = (Array.isArray(spec["manifests"]) ? spec["manifests"] : []) as KubeObject[];
  const { listed, unreadable } = spec as Partial<UnpackedSpec>;
  const isCompressed = spec["compressed"] !== undefined;
  return {
    manifests,
    listed: typeof listed === "number" ? listed : manifests.length,
    ...(typeof unreadable === "string"
      ? { unreadable }
      : isCompressed
        ? { unreadable: "spec.compressed has not been unpacked" }
        : {}),
  };
}

/**
 * Problems that keep the manifests from being sent, each with the index of its manifest among the listed or the
 * compressed ones. `namespace`: of the bundle, for objects that name none.
 */
export function* judgeManifests(
  { manifests, listed, unreadable }: UnpackedSpec,
  namespace: string | undefined,
): Generator<FieldProblem> {
  if (unreadable !== undefined) yield { field: "spec.compressed", message: unreadable };
  if (manifests.length > BUNDLE_BOUNDS.manifests) {
    const most = counted(BUNDLE_BOUNDS.manifests, "manifest");
    yield { field: "spec", message: `may hold at most ${most}; make several bundles of them` };
    return;
  }
  const places = new Map<string, string>();
  for (const [index, manifest] of manifests.entries()) {
    const field = placeOf(index, listed);
    const problem = judgeManifest(manifest);
    if (problem !== undefined) {
      yield { field: problem.below === undefined ? field : `${field}.${problem.below}`, message: problem.message };
      continue;
    }
    // Cluster-scoped manifests name no namespace, so all get the same one here.
    const key = refKey({ ...refOf(manifest), namespace: manifest.metadata.namespace ?? namespace ?? "" });
    const first = places.get(key);
    if (first === undefined) places.set(key, field);
    else yield { field, message: `${titleOf(manifest)} is there twice, also as ${first}; remove one` };
  }
}

/** `spec.manifests[3]`, or `spec.compressed[3]`. */
export function placeOf(index: number, listed: number): string {
  return index < listed ? `spec.manifests[${index}]` : `spec.compressed[${index - listed}]`;
}

export function titleOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`;
}

interface ManifestProblem {
  below?: string;
  message: string;
}

function judgeManifest(manifest: unknown): ManifestProblem | undefined {
  if (!isRecord(manifest)) return { message: "must be an object with apiVersion, kind and metadata.name" };
  const tooMuch = excess(manifest);
  if (tooMuch !== undefined) return { message: `${tooMuch}, which no server takes as one object; remove some of it` };
  for (const field of ["apiVersion", "kind"])
    if (typeof manifest[field] !== "string" || manifest[field] === "")
      return { below: field, message: "must be given, as in every manifest" };
  const metadata = manifest["metadata"];
  if (!isRecord(metadata) || typeof metadata["name"] !== "string" || !NAME.test(metadata["name"]))
    return { below: "metadata.name", message: "must be given: a name of at most 253 characters, without / and %" };
  const { namespace } = metadata;
  if (namespace !== undefined && (typeof namespace !== "string" || !NAMESPACE.test(namespace)))
    return { below: "metadata.namespace", message: "must be the name of a namespace" };
  return judgeKind(manifest as unknown as KubeObject) ?? judgeMetadata(manifest as unknown as KubeObject);
}

function judgeKind(manifest: KubeObject): ManifestProblem | undefined {
  const why = whyNeverInBundle(groupKindOf(manifest));
  if (why !== undefined) return { below: "kind", message: `${manifest.kind} is never sent to members: ${why}` };
  if (manifest.apiVersion === "v1" && manifest.kind === "Secret" && TOKENS.has(manifest["type"]))
    return { below: "type", message: "a Secret that holds a token is never sent to members; remove it" };
  if (manifest.metadata.namespace !== undefined && isClusterScopedBuiltIn(groupKindOf(manifest)))
    return { below: "metadata.namespace", message: `${manifest.kind} is cluster-scoped; remove the namespace` };
  return undefined;
}

const TOKENS: ReadonlySet<unknown> = new Set(["kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token"]);

function judgeMetadata(manifest: KubeObject): ManifestProblem | undefined {
  if (manifest["status"] !== undefined)
    return { below: "status", message: "is written by each member; remove it from the manifest" };
  for (const field of WRITTEN_BY_SERVERS) {
    const value = (manifest.metadata as unknown as Record<string, unknown>)[field];
    if (value !== undefined && value !== null)
      return { below: `metadata.${field}`, message: "is written by each member; remove it from the manifest" };
  }
  for (const field of ["labels", "annotations"] as const) {
    const entries: unknown = manifest.metadata[field];
    if (entries === undefined || entries === null) continue;
    if (!isRecord(entries) || Object.values(entries).some((value) => typeof value !== "string"))
      return { below: `metadata.${field}`, message: "every value must be a text; put numbers and booleans in quotes" };
    const reserved = Object.keys(entries).find((key) => isReservedKey(key) && key !== SCOPE_ANNOTATION);
    if (reserved !== undefined)
      return { below: `metadata.${field}[${reserved}]`, message: "is reserved for Meridian; remove it" };
  }
  return undefined;
}

/** By manifest: a reused object is not compared and hashed again. */
const rendered = new WeakMap<KubeObject, { namespace: string; isCluster: boolean; object: KubeObject }>();

/**
 * Objects in the order of application, within a phase in that of the manifests. Without a namespace of its own, an
 * object is in the bundle's, unless its kind is cluster-scoped.
 */
export function renderManifests({ manifests }: UnpackedSpec, namespace: string): KubeObject[] {
  const clusterScoped = new Set(manifests.filter(definesClusterScoped).map(definedKind));
  const objects = manifests.map((manifest) => {
    const isCluster = isClusterScoped(manifest, clusterScoped);
    const known = rendered.get(manifest);
    if (known?.namespace === namespace && known.isCluster === isCluster) return known.object;
    const object = renderManifest(manifest, isCluster ? undefined : (manifest.metadata.namespace ?? namespace));
    rendered.set(manifest, { namespace, isCluster, object });
    return object;
  });
  return objects
    .map((object) => ({ object, phase: phaseOf(object) }))
    .sort((a, b) => a.phase - b.phase)
    .map(({ object }) => object);
}

function isClusterScoped(manifest: KubeObject, defined: ReadonlySet<string>): boolean {
  const { namespace, annotations } = manifest.metadata;
  if (namespace !== undefined) return false;
  const { group, kind } = groupKindOf(manifest);
  return (
    isClusterScopedBuiltIn({ group, kind }) ||
    defined.has(kindKey({ group, kind })) ||
    annotations?.[SCOPE_ANNOTATION] === "Cluster"
  );
}

function definesClusterScoped(manifest: KubeObject): boolean {
  return isDefinition(manifest) && valueAt(manifest, ["spec", "scope"]) === "Cluster";
}

function definedKind(definition: KubeObject): string {
  return `${String(valueAt(definition, ["spec", "group"]))}/${String(valueAt(definition, ["spec", "names", "kind"]))}`;
}

function renderManifest(manifest: KubeObject, namespace: string | undefined): KubeObject {
  const { namespace: _, annotations: given, ...rest } = manifest.metadata;
  const { [SCOPE_ANNOTATION]: _scope, ...annotations } = given ?? {};
  const metadata = {
    ...rest,
    ...defined({ namespace }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
  const kind = groupKindOf(manifest);
  const isTyped = !isCustomGroup(kind.group) && !holdsFreeForm(kind);
  return (isTyped ? prune({ ...manifest, metadata }) : { ...manifest, metadata: prune(metadata) }) as KubeObject;
}
