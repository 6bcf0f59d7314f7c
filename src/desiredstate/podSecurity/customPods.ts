import { isRecord, type KubeObject, parseApiVersion } from "../../apis/index.ts";
import { CONTAINER_FIELDS, type Fields, isSet, recordOf, recordsIn } from "./fields.ts";

/**
 * Finds pods in custom resources by their shape. The meaning of an operator's fields is unknown, but a value with
 * containers, or with the fields by which a pod reaches its node, will become a pod.
 */

export interface FoundSpec {
  /** Path of the spec, such as `spec.workerGroupSpecs[0].template.spec`; empty for the object itself. */
  at: string;
  spec: Fields;
  metadata: unknown;
  /** Fields other than {@link CONTAINER_FIELDS} that hold one or more containers. */
  more: readonly string[];
  /** False if only {@link reach} was found. */
  isPod: boolean;
  /** Fields that reach the node from other places than in a pod: `hostPath`, `containerSecurityContext.privileged`. */
  reach: readonly Reach[];
  /** True for a pod template, or if all containers have an image. Otherwise the operator may add missing fields. */
  isWhole: boolean;
}

/** A field within the spec, and the value it must not have. */
export interface Reach {
  field: string;
  must: string;
  value: unknown;
}

/** API groups of Kubernetes itself. Their pods are in known places, and nothing else in their objects is a pod. */
const OF_KUBERNETES = new Set(
  [
    ["", "apps", "autoscaling", "batch", "extensions", "policy"],
    ["admissionregistration", "apiextensions", "apiregistration", "authentication", "authorization", "certificates"],
    ["coordination", "discovery", "events", "flowcontrol.apiserver", "internal.apiserver", "metrics", "networking"],
    ["node", "rbac.authorization", "resource", "scheduling", "storage", "storagemigration"],
  ].flatMap((names, line) => (line === 0 ? names : names.map((name) => `${name}.k8s.io`))),
);

export function isCustom({ apiVersion }: KubeObject): boolean {
  return !OF_KUBERNETES.has(parseApiVersion(apiVersion).group);
}

/** Cached, since an object may have megabytes and is checked once for each rule that applies to it. */
const known = new WeakMap<KubeObject, readonly FoundSpec[]>();

/** All pod specs in the object, the outermost first. Visits each value once, at any depth. */
export function specsIn(object: KubeObject): readonly FoundSpec[] {
  let specs = known.get(object);
  if (specs === undefined) known.set(object, (specs = lookThrough(object)));
  return specs;
}

export function* recordsOf(object: KubeObject): Iterable<Fields> {
  const values: object[] = [object];
  // The loop appends to the array while it runs.
  for (const value of values) {
    if (isRecord(value)) yield value;
    for (const inner of Object.values(value))
      if (typeof inner === "object" && inner !== null) values.push(inner as object);
  }
}

/** A map or list within the object. */
interface Place {
  value: Fields | readonly unknown[];
  key: string | number;
  /** Such as `spec.groups[0].template`; empty for the object itself. */
  path: string;
  parent: Place | undefined;
}

function lookThrough(object: KubeObject): FoundSpec[] {
  const found: FoundSpec[] = [];
  const judged = new Set<unknown>();
  const places: Place[] = [{ value: object, key: "", path: "", parent: undefined }];
  for (const place of places) {
    const { value, path, parent } = place;
    if (Array.isArray(value)) {
      for (const [key, inner] of value.entries())
        if (typeof inner === "object" && inner !== null)
          places.push({ value: inner as Fields, key, path: `${path}[${key}]`, parent: place });
      continue;
    }
    const fields = value as Fields;
    const more: string[] = [];
    let isPod = isTemplateSpec(place);
    for (const key of Object.keys(fields)) {
      const inner = fields[key];
      isPod ||= OF_PODS.get(key)?.(inner) === true;
      if (typeof inner !== "object" || inner === null || (parent === undefined && key === "metadata")) continue;
      places.push({ value: inner as Fields, key, path: path === "" ? key : `${path}.${key}`, parent: place });
      if (holdsContainers(inner) && !isContainerField(key)) more.push(key);
    }
    isPod ||= more.length > 0;
    if (isPod) for (const part of partsOf(fields, more)) judged.add(part);
    const reach = reachOf(fields, judged);
    if (!isPod && reach.length === 0) continue;
    const containers = CONTAINER_FIELDS.flatMap((field) => recordsIn(fields[field]));
    const isWhole =
      isTemplateSpec(place) || (containers.length > 0 && containers.every(({ image }) => typeof image === "string"));
    const beside =
      place.key === "spec" && parent?.parent !== undefined ? (parent.value as Fields)["metadata"] : undefined;
    found.push({ at: path, spec: fields, metadata: beside, more, isPod, reach, isWhole });
  }
  return found;
}

/** Values that the checks of a pod already cover: its volumes, and the security contexts of its containers. */
function partsOf(pod: Fields, more: readonly string[]): unknown[] {
  const containers = [...CONTAINER_FIELDS, ...more].flatMap((field) =>
    isContainer(pod[field]) ? [pod[field]] : recordsIn(pod[field]),
  );
  const contexts = containers.map(({ securityContext }) => securityContext);
  return [
    ...recordsIn(pod["volumes"]).map(({ hostPath }) => hostPath),
    ...contexts,
    ...[pod["securityContext"], ...contexts].map((context) => recordOf(context)["windowsOptions"]),
  ];
}

/** A host path or a privileged security context reaches the node, whatever the fields around are called. */
function reachOf(fields: Fields, judged: ReadonlySet<unknown>): Reach[] {
  const found: Reach[] = [];
  const { hostPath, windowsOptions } = fields;
  if (typeof recordOf(hostPath)["path"] === "string" && !judged.has(hostPath))
    found.push({ field: "hostPath", must: "must not be set", value: hostPath });
  if (recordOf(windowsOptions)["hostProcess"] === true && !judged.has(windowsOptions))
    found.push({ field: "windowsOptions.hostProcess", must: "must not be true", value: true });
  for (const [key, context] of Object.entries(fields))
    if (
      key.toLowerCase().endsWith("securitycontext") &&
      recordOf(context)["privileged"] === true &&
      !judged.has(context)
    )
      found.push({ field: `${key}.privileged`, must: "must not be true", value: true });
  return found;
}

/** Matches `template: {spec}` with any prefix: `podTemplate`, `workerTemplate`. */
function isTemplateSpec({ key, parent }: Place): boolean {
  return key === "spec" && typeof parent?.key === "string" && parent.key.toLowerCase().endsWith("template");
}

/** Fields that mark a pod, each with a test of its value. */
const OF_PODS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ...CONTAINER_FIELDS.map((field) => [field, (value: unknown) => recordsIn(value).some(isNamedOrRuns)] as const),
  ...["hostNetwork", "hostPID", "hostIPC"].map((field) => [field, (value: unknown) => value === true] as const),
  ["volumes", (value: unknown) => recordsIn(value).some((volume) => isSet(volume["hostPath"]))],
]);

function isNamedOrRuns({ name, image, securityContext }: Fields): boolean {
  return typeof name === "string" || typeof image === "string" || isRecord(securityContext);
}

/** A single container, or a list of containers under another name: `container`, `steps`, `sidecars`. */
function holdsContainers(value: object): boolean {
  return Array.isArray(value) ? value.some(isContainer) : isContainer(value);
}

export function isContainer(value: unknown): value is Fields {
  return isRecord(value) && typeof value["image"] === "string" && isRecord(value["securityContext"]);
}

function isContainerField(key: string): boolean {
  return (CONTAINER_FIELDS as readonly string[]).includes(key);
}
