import { type FieldsV1, type KubeObject, parseApiVersion, parseJson, sameValue } from "../../apis/index.ts";
import { isCustomGroup, staysOnHub } from "../kinds/index.ts";
import { associativeKey } from "./fieldPaths.ts";
import { memberAt } from "./ownership.ts";
import { isServerDefault } from "./serverDefaults.ts";
import { isUsers, unownedReplicas } from "./userFields.ts";
import { type Fields, fieldsOf, isFields } from "../values.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
/** Limit of the API server for all annotations. */
const LONGEST_APPLIED = 256 << 10;

/** Fields of one manager at a place. */
interface Owner {
  fields: FieldsV1;
  /**
   * What the manager wrote of them. `All`: as with a server-side apply or a subresource. `Applied`: those in the last
   * client-side apply. `Created`: unknown, since any other client also owns the server's defaults.
   */
  wrote: "All" | "Applied" | "Created";
}

/**
 * Fields that a manager owns though nobody wrote them: a client that sends a whole object also owns the server's
 * defaults. They are sent, so that a copy is like its original, and are left to any manager of a member that takes
 * them.
 *
 * kubectl's annotation shows what a client-side apply wrote. For other clients a value that equals the server's default
 * counts as unwritten. So do the replicas of a custom kind (`replicaPath`) that nobody owns.
 */
export function unwrittenFields(object: KubeObject, replicaPath?: readonly string[]): FieldsV1 | undefined {
  let known = unwritten.get(object);
  if (known === undefined) unwritten.set(object, (known = { fields: unwrittenIn(object) }));
  const unowned = replicaPath === undefined ? undefined : unownedReplicas(object, replicaPath);
  return unowned === undefined ? known.fields : union(known.fields ?? {}, unowned);
}

function union(a: FieldsV1, b: FieldsV1): FieldsV1 {
  const all: Record<string, FieldsV1> = { ...a };
  for (const [element, fields] of Object.entries(b)) all[element] = union(all[element] ?? {}, fields);
  return all;
}

/** Cached, since an object is planned many times between two changes. */
const unwritten = new WeakMap<KubeObject, { fields: FieldsV1 | undefined }>();

function unwrittenIn(object: KubeObject): FieldsV1 | undefined {
  const { apiVersion, metadata } = object;
  const applied = lastApplied(object);
  const owners: Owner[] = [];
  for (const entry of metadata.managedFields ?? []) {
    const { fieldsV1, operation, subresource = "" } = entry;
    if (fieldsV1 === undefined) continue;
    // Fields of another API version may have other names, so no field of the object is known to be unwritten.
    if ((entry.apiVersion ?? apiVersion) !== apiVersion) return undefined;
    const isWhole = isUsers(entry) && operation !== "Apply" && subresource === "";
    const isApplied = applied !== undefined && ownsLastApplied(fieldsV1);
    owners.push({ fields: fieldsV1, wrote: !isWhole ? "All" : isApplied ? "Applied" : "Created" });
  }
  if (owners.every(({ wrote }) => wrote === "All")) return undefined;
  const isCustom = isCustomGroup(parseApiVersion(apiVersion).group);
  const fields = unwrittenBelow(object, { owners, applied, isDefaulted: !isCustom, path: [] });
  return fields === undefined || Object.keys(fields).length === 0 ? undefined : fields;
}

function ownsLastApplied(fields: FieldsV1): boolean {
  return fields["f:metadata"]?.["f:annotations"]?.[`f:${LAST_APPLIED}`] !== undefined;
}

/**
 * Object of the last client-side apply. People can edit annotations, so it counts only with the object's name, kind and
 * version.
 */
function lastApplied({ apiVersion, kind, metadata }: KubeObject): Fields | undefined {
  const text = metadata.annotations?.[LAST_APPLIED];
  if (text === undefined || text.length > LONGEST_APPLIED) return undefined;
  let applied: unknown;
  try {
    applied = parseJson(text);
  } catch {
    // Somebody overwrote the annotation, so nobody knows what was applied.
    return undefined;
  }
  if (!isFields(applied) || applied["apiVersion"] !== apiVersion || applied["kind"] !== kind) return undefined;
  const { metadata: named, data, stringData } = applied;
  if (!isFields(named) || named["name"] !== metadata.name) return undefined;
  // The server returns `stringData` as `data`.
  return isFields(stringData) ? { ...applied, data: { ...fieldsOf(data), ...stringData } } : applied;
}

interface Place {
  owners: readonly Owner[];
  /** Value in the last client-side apply. */
  applied: unknown;
  /** The server fills in known defaults here. */
  isDefaulted: boolean;
  path: readonly string[];
}

function unwrittenBelow(value: unknown, { owners, applied, isDefaulted, path }: Place): FieldsV1 | undefined {
  let found: FieldsV1 | undefined;
  for (const element of new Set(owners.flatMap(({ fields }) => Object.keys(fields)))) {
    if (element === "." || isLeftOut(element, path)) continue;
    const below = owners.flatMap(({ fields, wrote }) => {
      const node = fields[element];
      return node === undefined ? [] : [{ fields: node, wrote }];
    });
    const place: Place = {
      owners: below,
      applied: memberAt(applied, element),
      isDefaulted: isDefaulted && !HOLDS_NO_DEFAULT.has(element),
      path: [...path, element],
    };
    const part = unwrittenAt(memberAt(value, element), place);
    if (part !== undefined) found = { ...found, [element]: part };
  }
  return found;
}

/** Fields in which the server fills in nothing. */
const HOLDS_NO_DEFAULT: ReadonlySet<string> = new Set(["f:metadata", "f:data", "f:stringData", "f:binaryData"]);

/** The element is not sent, or is a key field of a list item. */
function isLeftOut(element: string, path: readonly string[]): boolean {
  if (path.length === 0) return element === "f:status";
  const parent = path.at(-1) ?? "";
  if (path.length === 1 && parent === "f:metadata") return element !== "f:labels" && element !== "f:annotations";
  if (path.length === 2 && path[0] === "f:metadata") return staysOnHub(element.slice(2));
  const key = associativeKey(parent);
  return key !== undefined && Object.hasOwn(key, element.slice(2));
}

/** The unwritten parts, if owners own parts of the value; else an empty set if the field itself is unwritten. */
function unwrittenAt(value: unknown, place: Place): FieldsV1 | undefined {
  const { owners, applied, isDefaulted, path } = place;
  const hasParts = owners.some(({ fields }) => Object.keys(fields).some((element) => element !== "."));
  if (hasParts) return owners.some(isWhole) ? undefined : unwrittenBelow(value, place);
  // An applied null that the server replaced by a value was not written.
  if (value === undefined || (applied !== undefined && (applied !== null || value === null))) return undefined;
  const isUnwritten = owners.every(
    ({ wrote }) =>
      wrote === "Applied" || (wrote === "Created" && isDefaulted && isServerDefault(path.at(-1) ?? "", value)),
  );
  return isUnwritten ? {} : undefined;
}

/** The owner certainly wrote the field, and owns as a whole a value of which others own parts. */
function isWhole({ fields, wrote }: Owner): boolean {
  return wrote === "All" && Object.keys(fields).length === 0;
}

/** The place is one of the fields, or within one. */
export function holdsPlace(fields: FieldsV1 | undefined, elements: readonly string[]): boolean {
  let node = fields;
  for (const element of elements) {
    if (node === undefined) return false;
    if (Object.keys(node).length === 0) return true;
    node = node[element];
  }
  return node !== undefined && Object.keys(node).length === 0;
}

/** Fields that have the same value in both objects. */
export function sameIn(fields: FieldsV1 | undefined, a: unknown, b: unknown): FieldsV1 | undefined {
  if (fields === undefined || a === b) return fields;
  const elements = Object.keys(fields);
  if (elements.length === 0) return sameValue(a, b) ? fields : undefined;
  let same: FieldsV1 | undefined;
  for (const element of elements) {
    const part = sameIn(fields[element], memberAt(a, element), memberAt(b, element));
    if (part !== undefined) same = { ...same, [element]: part };
  }
  return same;
}

/** The fields without the field at the path. */
export function withoutPath(fields: FieldsV1 | undefined, [name, ...rest]: readonly string[]): FieldsV1 | undefined {
  const element = `f:${name}`;
  const node = fields?.[element];
  if (fields === undefined || name === undefined || node === undefined) return fields;
  const left = rest.length === 0 ? undefined : withoutPath(node, rest);
  if (left === node) return fields;
  const { [element]: _, ...others } = fields;
  if (left !== undefined) return { ...others, [element]: left };
  return Object.keys(others).length === 0 ? undefined : others;
}
