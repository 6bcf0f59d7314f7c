import {
  defined,
  FIELD_MANAGER,
  type FieldsV1,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectMeta,
  parseApiVersion,
  setMember,
} from "../../apis/index.ts";
import { isCustomGroup, staysOnHub } from "../kinds/index.ts";
import { associativeKey, matchesKey } from "./fieldPaths.ts";
import { ownedAt, valueAtElements } from "./ownership.ts";
import { type Fields, isFields } from "../values.ts";

/** Field managers of Kubernetes' own control plane. Their fields belong to the hub, not to a person. */
const CONTROL_PLANE: ReadonlySet<string> = new Set([
  "clusterrole-aggregation-controller",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubelet",
]);
/** End of the name of each cloud provider's manager. */
const CLOUD = "cloud-controller-manager";

/** Has all fields from before fields had owners, the server's own allocations included. */
const BEFORE_FIRST_APPLY = "before-first-apply";

/** Subresources through which persons change an object; the others carry a controller's report or decision. */
const PERSONS_SUBRESOURCES: ReadonlySet<string> = new Set(["", "scale", "resize"]);

/**
 * The object with the fields that a person or a client set, fit for another cluster: those owned in `managedFields`,
 * less the status and the fields of the hub's controllers and of Meridian. Owner references, finalizers and kubectl's
 * copy are left out. An object without managedFields is taken whole; {@link whyOwnersUnknown} tells if it may be sent.
 *
 * `replicaPath`: an autoscaler of the hub takes this field from its writer, but the field still belongs to the object,
 * so it counts whoever owns it.
 */
export function userSetObject(object: KubeObject, replicaPath?: readonly string[]): KubeObject {
  const scaled = replicaPath === undefined ? undefined : scaledBy(object, replicaPath);
  const users = userEntries(object);
  const owned = users === undefined || scaled === undefined ? users : [...users, scaled];
  const metadata = userMetadata(object.metadata, owned);
  const result: KubeObject = { apiVersion: object.apiVersion, kind: object.kind, metadata };
  const isCustom = isCustomGroup(parseApiVersion(object.apiVersion).group);
  const isOfOne = isOfOneVersion(object);
  const hubs = isOfOne && !isCustom ? undefined : hubEntries(object);
  for (const key of contentOf(object)) {
    let value = object[key];
    if (owned !== undefined && !keptWhole(object, key)) {
      const ofHub = hubs && fieldOf(hubs, key);
      value = isOfOne ? extract(value, fieldOf(owned, key), ofHub) : without(value, ofHub ?? [], scaled?.[`f:${key}`]);
    }
    if (value !== undefined && (value !== null || (isCustom && owned !== undefined))) setMember(result, key, value);
  }
  return result;
}

/**
 * Why nobody knows which fields a person set; undefined if it is known, or if the object holds nothing but its name.
 */
export function whyOwnersUnknown(object: KubeObject): string | undefined {
  const { managedFields = [] } = object.metadata;
  const users = managedFields.filter((entry) => isUsers(entry) && entry.manager !== BEFORE_FIRST_APPLY);
  const before = managedFields.find(({ manager }) => manager === BEFORE_FIRST_APPLY)?.fieldsV1;
  if (before !== undefined) {
    const owned = users.flatMap(({ fieldsV1 }) => fieldsV1 ?? []);
    return isCovered(toBeOwned(object, before), owned) ? undefined : "metadata.managedFields began late";
  }
  if (users.some(({ fieldsV1 }) => fieldsV1 !== undefined) || isBare(object)) return undefined;
  return managedFields.length === 0
    ? "metadata.managedFields are missing"
    : "only controllers of the hub have written it";
}

/** Only the hub's controllers and Meridian have written the object: it exists for the hub's sake. */
export function isWrittenByHub({ metadata }: KubeObject): boolean {
  const entries = metadata.managedFields ?? [];
  return entries.some(isControlPlanes) && !entries.some((entry) => isUsers(entry));
}

function contentOf(object: KubeObject): string[] {
  const beside = new Set(["apiVersion", "kind", "metadata", "status"]);
  return Object.keys(object).filter((key) => !beside.has(key));
}

/** The object has nothing that managedFields could list. */
function isBare(object: KubeObject): boolean {
  const { labels, annotations } = object.metadata;
  if ([labels, annotations].some((entries) => Object.keys(entries ?? {}).some((key) => !staysOnHub(key)))) return false;
  return contentOf(object).every((key) => object[key] === null || object[key] === undefined || keptWhole(object, key));
}

/**
 * Fields that are sent only if they have a known owner. Fields that are always sent need none, such as the type of a
 * Secret that was applied with a name only.
 */
function toBeOwned(object: KubeObject, before: FieldsV1): FieldsV1 {
  const fields = Object.entries(withoutBookkeeping(before));
  return Object.fromEntries(fields.filter(([path]) => !keptWhole(object, path.slice(2))));
}

/** The fields without the status; of the metadata only labels and annotations that could be sent. */
function withoutBookkeeping({ "f:metadata": metadata = {}, "f:status": _status, ...content }: FieldsV1): FieldsV1 {
  const kept: FieldsV1 = { ".": {} };
  for (const field of ["f:labels", "f:annotations"]) {
    const entries = Object.entries(metadata[field] ?? {}).filter(
      ([path]) => path !== "." && !staysOnHub(path.slice(2)),
    );
    if (entries.length > 0) kept[field] = Object.fromEntries(entries);
  }
  return { ...content, "f:metadata": kept };
}

/** Tests if these owners own every field. */
function isCovered(fields: FieldsV1, owned: readonly FieldsV1[]): boolean {
  return Object.entries(fields).every(([path, node]) => {
    if (path === ".") return true;
    const found = below(owned, path);
    if (isLeaf(node)) return found.length > 0;
    return found.some(isLeaf) || isCovered(node, found);
  });
}

/**
 * Tests if all users wrote the version that is read. An owned field is named as in the version of its owner, so the
 * fields of another version may not be found. The object then counts as a whole, less the fields of the hub's
 * controllers.
 */
function isOfOneVersion({ apiVersion, metadata }: KubeObject): boolean {
  const entries = metadata.managedFields ?? [];
  return entries.every((entry) => !isUsers(entry) || (entry.apiVersion ?? apiVersion) === apiVersion);
}

/** Fields that the hub's controllers and Meridian own; a user may own some of them too. */
function hubEntries({ apiVersion, metadata }: KubeObject): FieldsV1[] {
  const entries = metadata.managedFields ?? [];
  return entries.flatMap((entry) =>
    !isUsers(entry) && (entry.apiVersion ?? apiVersion) === apiVersion && entry.fieldsV1 !== undefined
      ? [entry.fieldsV1]
      : [],
  );
}

/** Replicas that the server fills in for a built-in kind. */
const DEFAULT_REPLICAS = 1;

/**
 * The replicas as a set of fields, if somebody has set them. Nobody owns a number that the server filled in. The scale
 * subresource gives replicas without an owner to nobody either: in a built-in kind, replicas other than the default
 * were set in this way. The default of a custom kind is unknown here, so its replicas are sent, and left to anybody who
 * takes them on a member ({@link unownedReplicas}).
 */
function scaledBy(object: KubeObject, replicaPath: readonly string[]): FieldsV1 | undefined {
  const { apiVersion } = object;
  const elements = elementsOf(replicaPath);
  const replicas = valueAtElements(object, elements);
  const isScaled =
    typeof replicas === "number" && (replicas !== DEFAULT_REPLICAS || isCustomGroup(parseApiVersion(apiVersion).group));
  return isScaled || isOwnedAt(object, elements) ? fieldsAt(elements) : undefined;
}

/** The replicas of a custom kind, if nobody owns them: the server's defaults or the scale subresource set them. */
export function unownedReplicas(object: KubeObject, replicaPath: readonly string[]): FieldsV1 | undefined {
  if (!isCustomGroup(parseApiVersion(object.apiVersion).group)) return undefined;
  const elements = elementsOf(replicaPath);
  const isThere = typeof valueAtElements(object, elements) === "number";
  return isThere && !isOwnedAt(object, elements) ? fieldsAt(elements) : undefined;
}

const elementsOf = (path: readonly string[]): string[] => path.map((name) => `f:${name}`);

function fieldsAt(elements: readonly string[]): FieldsV1 {
  return elements.reduceRight<FieldsV1>((fields, element) => ({ [element]: fields }), {});
}

function isOwnedAt({ apiVersion, metadata }: KubeObject, elements: readonly string[]): boolean {
  const isOwned = metadata.managedFields?.some(
    ({ fieldsV1, apiVersion: written = apiVersion }) =>
      written === apiVersion && fieldsV1 !== undefined && ownedAt(fieldsV1, elements) !== undefined,
  );
  return isOwned === true;
}

/** The value without the owned fields of its maps, except for kept ones. */
function without(value: unknown, owned: readonly FieldsV1[], kept?: FieldsV1): unknown {
  if (kept !== undefined && isLeaf(kept)) return value;
  if (owned.length === 0 || !isFields(value)) return owned.some(isLeaf) ? undefined : value;
  if (owned.some(isLeaf)) return undefined;
  const result: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const rest = without(member, fieldOf(owned, key), kept?.[`f:${key}`]);
    if (rest !== undefined) setMember(result, key, rest);
  }
  return result;
}

/** Undefined if the object has no managedFields. */
function userEntries(object: KubeObject): FieldsV1[] | undefined {
  const entries = object.metadata.managedFields;
  if (entries === undefined || entries.length === 0) return undefined;
  const owned: FieldsV1[] = [];
  for (const entry of entries) if (isUsers(entry) && entry.fieldsV1 !== undefined) owned.push(entry.fieldsV1);
  return isCoreKind(object, "Secret") ? owned.map(withStringData) : owned;
}

/** A person or a client set the fields of the entry, not the hub's control plane or Meridian. */
export function isUsers(entry: ManagedFieldsEntry): boolean {
  if (!PERSONS_SUBRESOURCES.has(entry.subresource ?? "")) return false;
  return entry.manager !== FIELD_MANAGER && !isControlPlanes(entry);
}

function isControlPlanes({ manager = "" }: ManagedFieldsEntry): boolean {
  return CONTROL_PLANE.has(manager) || manager.endsWith(CLOUD);
}

/** A client that sets `stringData` of a Secret owns `stringData`, but the server answers with `data`. */
function withStringData(fields: FieldsV1): FieldsV1 {
  const written = fields["f:stringData"];
  return written === undefined ? fields : { ...fields, "f:data": { ...fields["f:data"], ...written } };
}

/** Always sent, since it decides what the object is: a Secret without its type would become Opaque. */
function keptWhole(object: KubeObject, key: string): boolean {
  if (key === "type") return isCoreKind(object, "Secret");
  return key === "immutable" && (isCoreKind(object, "Secret") || isCoreKind(object, "ConfigMap"));
}

function isCoreKind(object: KubeObject, kind: string): boolean {
  return object.apiVersion === "v1" && object.kind === kind;
}

function userMetadata(metadata: ObjectMeta, owned: FieldsV1[] | undefined): ObjectMeta {
  const { name, namespace } = metadata;
  const result: ObjectMeta = { name, ...defined({ namespace }) };
  const ownedMetadata = owned === undefined ? undefined : fieldOf(owned, "metadata");
  for (const field of ["labels", "annotations"] as const) {
    const entries = userSetEntries(metadata[field], ownedMetadata && fieldOf(ownedMetadata, field));
    if (entries !== undefined) result[field] = entries;
  }
  return result;
}

/** Chosen one by one: in these maps an owned field without fields below it once had entries of the manager. */
function userSetEntries(
  entries: Readonly<Record<string, string>> | undefined,
  owned: FieldsV1[] | undefined,
): Record<string, string> | undefined {
  const kept: Record<string, string> = {};
  let any = false;
  for (const [key, value] of Object.entries(entries ?? {})) {
    if (staysOnHub(key) || owned?.some((fields) => `f:${key}` in fields) === false) continue;
    setMember(kept, key, value);
    any = true;
  }
  return any ? kept : undefined;
}

function fieldOf(owned: readonly FieldsV1[], key: string): FieldsV1[] {
  return below(owned, `f:${key}`);
}

function below(owned: readonly FieldsV1[], path: string): FieldsV1[] {
  const found: FieldsV1[] = [];
  for (const fields of owned) {
    const node = fields[path];
    if (isFields(node)) found.push(node);
  }
  return found;
}

/**
 * Owned parts of a value; undefined if there is none.
 *
 * `hubs`: fields of the hub's controllers in a custom kind. The server gives an empty keyed list, an empty set and an
 * emptied map to nobody. The schema of a custom kind may have a default for these, so they are sent unless they are the
 * hub's. In built-in kinds the server fills in empty values by itself.
 */
function extract(value: unknown, owned: readonly FieldsV1[], hubs: readonly FieldsV1[] | undefined): unknown {
  if (value === undefined) return undefined;
  if (owned.length === 0) return hubs?.length === 0 && isHollow(value) ? value : undefined;
  if (typeof value !== "object" || value === null || owned.some(isLeaf)) return value;
  if (Object.keys(value).length === 0) return value;
  return Array.isArray(value) ? extractList(value, owned, hubs) : extractFields(value as Fields, owned, hubs);
}

/** Empty, or a map of nothing but empty values. */
function isHollow(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isFields(value) && Object.values(value).every(isHollow);
}

/** No owned fields lie below: a scalar, or a list or map that is owned as a whole. */
function isLeaf(fields: FieldsV1): boolean {
  for (const path in fields) if (path !== ".") return false;
  return !("." in fields);
}

function extractFields(value: Fields, owned: readonly FieldsV1[], hubs: readonly FieldsV1[] | undefined): unknown {
  const result: Record<string, unknown> = {};
  let any = false;
  for (const key of Object.keys(value)) {
    const member = extract(value[key], fieldOf(owned, key), hubs && fieldOf(hubs, key));
    if (member === undefined) continue;
    setMember(result, key, member);
    any = true;
  }
  return any ? result : undefined;
}

function extractList(
  value: readonly unknown[],
  owned: readonly FieldsV1[],
  hubs: readonly FieldsV1[] | undefined,
): unknown {
  const result: unknown[] = [];
  value.forEach((item, index) => {
    const { found, identity } = ofItem(item, index, owned);
    if (found.length === 0) return;
    const part = extract(item, found, hubs && ofItem(item, index, hubs).found);
    // Without its key fields the item has no identity, whoever set them.
    result.push(identity === undefined ? part : { ...identity, ...(isFields(part) ? part : {}) });
  });
  return result.length === 0 ? undefined : result;
}

function ofItem(
  item: unknown,
  index: number,
  owned: readonly FieldsV1[],
): { found: FieldsV1[]; identity: Fields | undefined } {
  const found: FieldsV1[] = [];
  let identity: Fields | undefined;
  for (const fields of owned) {
    for (const path in fields) {
      const key = associativeKey(path);
      if (key === undefined ? !isPathOf(path, item, index) : !(isFields(item) && matchesKey(item, key))) continue;
      const node = fields[path];
      if (!isFields(node)) continue;
      found.push(node);
      if (key !== undefined) identity = key;
    }
  }
  return { found, identity };
}

function isPathOf(path: string, item: unknown, index: number): boolean {
  return path === `i:${index}` || path === `v:${JSON.stringify(item)}`;
}
