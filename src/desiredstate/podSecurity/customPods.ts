import { isRecord, type KubeObject, parseApiVersion } from "../../apis/index.ts";
import { CONTAINER_FIELDS, type Fields, isSet, recordOf, recordsIn } from "./fields.ts";
import { pathOf, type Place } from "./places.ts";

/**
 * Where custom resources hold pods, by the shape of what is there: nobody knows what an operator makes of the fields of its kind, but what has
 * containers, or the fields by which a pod reaches its node, becomes a pod.
 */

/** The spec of pods somewhere in an object. */
export interface FoundSpec {
  /** Where it is, such as `spec.workerGroupSpecs[0].template.spec`; empty for the object itself. */
  at: string;
  spec: Fields;
  /** What stands beside it as metadata. */
  metadata: unknown;
  /** Fields beside {@link CONTAINER_FIELDS} that hold a container or several. */
  more: readonly string[];
  /** False where nothing but {@link reach} was found. */
  isPod: boolean;
  /** What reaches the node where a pod has it elsewhere: `hostPath`, `containerSecurityContext.privileged`. */
  reach: readonly Reach[];
  /** A template, or one of containers that are complete. Elsewhere what is missing is for the operator to add. */
  isWhole: boolean;
}

/** A field within the spec, and what it must not be. */
export interface Reach {
  field: string;
  must: string;
  value: unknown;
}

/** Whose kinds are known: their pods are where they always are, and nothing else in them is one. */
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

/** What was found once is not looked for again: an object may have megabytes, and is judged once for each rule that applies to it. */
const known = new WeakMap<KubeObject, readonly FoundSpec[]>();

/** Every spec of pods in the object, those further out first. Looks at each value once, however deep. */
export function specsIn(object: KubeObject): readonly FoundSpec[] {
  let specs = known.get(object);
  if (specs === undefined) known.set(object, (specs = lookThrough(object)));
  return specs;
}

/** Every object within the object, itself included. */
export function* recordsOf(object: KubeObject): Iterable<Fields> {
  const values: object[] = [object];
  // More values are added while this goes on.
  for (const value of values) {
    if (isRecord(value)) yield value;
    for (const inner of Object.values(value))
      if (typeof inner === "object" && inner !== null) values.push(inner as object);
  }
}

function lookThrough(object: KubeObject): FoundSpec[] {
  const found: FoundSpec[] = [];
  const judged = new Set<unknown>();
  const places: Place[] = [{ value: object, key: "", parent: undefined }];
  // More places are added while this goes on.
  for (const place of places) {
    const { value, parent } = place;
    if (Array.isArray(value)) {
      for (const [key, inner] of value.entries())
        if (typeof inner === "object" && inner !== null) places.push({ value: inner as Fields, key, parent: place });
      continue;
    }
    const fields = value as Fields;
    const more: string[] = [];
    let isPod = isTemplateSpec(place);
    for (const key of Object.keys(fields)) {
      const inner = fields[key];
      isPod ||= OF_PODS.get(key)?.(inner) === true;
      if (typeof inner !== "object" || inner === null || (parent === undefined && key === "metadata")) continue;
      places.push({ value: inner as Fields, key, parent: place });
      if (holdsContainers(inner) && !isContainerField(key)) more.push(key);
    }
    isPod ||= more.length > 0;
    // What is further in comes later, and is not told twice.
    if (isPod) for (const part of partsOf(fields, more)) judged.add(part);
    const reach = reachOf(fields, judged);
    if (!isPod && reach.length === 0) continue;
    const containers = CONTAINER_FIELDS.flatMap((field) => recordsIn(fields[field]));
    const isWhole =
      isTemplateSpec(place) || (containers.length > 0 && containers.every(({ image }) => typeof image === "string"));
    const beside =
      place.key === "spec" && parent?.parent !== undefined ? (parent.value as Fields)["metadata"] : undefined;
    found.push({ at: pathOf(place), spec: fields, metadata: beside, more, isPod, reach, isWhole });
  }
  return found;
}

/** What of a pod is judged where a pod has it: its volumes, and the contexts of its containers. */
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

/** Fields that reach the node whatever an operator calls the rest: a volume of it, and power in a security context. */
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

/** `template: {spec}`, whatever is before the word: `podTemplate`, `workerTemplate`. */
function isTemplateSpec({ key, parent }: Place): boolean {
  return key === "spec" && typeof parent?.key === "string" && parent.key.toLowerCase().endsWith("template");
}

/** The fields by which a pod is known, and whether that value in one of them makes it one. */
const OF_PODS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ...CONTAINER_FIELDS.map((field) => [field, (value: unknown) => recordsIn(value).some(isNamedOrRuns)] as const),
  ...["hostNetwork", "hostPID", "hostIPC"].map((field) => [field, (value: unknown) => value === true] as const),
  ["volumes", (value: unknown) => recordsIn(value).some((volume) => isSet(volume["hostPath"]))],
]);

function isNamedOrRuns({ name, image, securityContext }: Fields): boolean {
  return typeof name === "string" || typeof image === "string" || isRecord(securityContext);
}

/** A container by itself, or a list of them under another name: `container`, `steps`, `sidecars`. */
function holdsContainers(value: object): boolean {
  return Array.isArray(value) ? value.some(isContainer) : isContainer(value);
}

export function isContainer(value: unknown): value is Fields {
  return isRecord(value) && typeof value["image"] === "string" && isRecord(value["securityContext"]);
}

function isContainerField(key: string): boolean {
  return (CONTAINER_FIELDS as readonly string[]).includes(key);
}
