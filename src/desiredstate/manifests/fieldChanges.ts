import {
  defined,
  DEPENDENCIES_HASH_ANNOTATION,
  isRecord,
  isReservedKey,
  type KubeObject,
  sameValue,
} from "../../apis/index.ts";

/** One field that differs between two states of an object. */
export interface FieldChange {
  /** `spec.template.spec.containers[name=web].image` */
  path: string;
  /** Undefined: the field is not there before. */
  before?: unknown;
  /** Undefined: the field is not there afterwards. */
  after?: unknown;
  /** The values may not be shown: that the field changes is all that is said. */
  masked?: true;
}

/** Keys by which the items of a list are told apart, where each item has one that no other has. */
const ITEM_KEYS = ["name", "key", "mountPath", "containerPort", "port", "ip", "type"] as const;

/** Maps of which each member is a change of its own, also where one side has no such map. */
const OPENED: ReadonlySet<string> = new Set([
  "",
  "spec",
  "data",
  "stringData",
  "metadata",
  "metadata.labels",
  "metadata.annotations",
]);

/**
 * What differs, field by field. What is missing on one side is one change, with all that is in it. Of a Secret no value is ever shown, and of
 * no object the hash of what its pods read. Left out are the status, Meridian's own marks, and metadata that only servers write.
 */
export function fieldChanges(before: KubeObject | undefined, after: KubeObject | undefined): FieldChange[] {
  const changes = [...differences(shown(before), shown(after), "")];
  const isSecret = [before, after].some((object) => object?.kind === "Secret" && object.apiVersion === "v1");
  return changes.map((change) =>
    change.path.includes(DEPENDENCIES_HASH_ANNOTATION) || (isSecret && isHidden(change.path)) ? masked(change) : change,
  );
}

/** All but what a Secret says in public. */
function isHidden(path: string): boolean {
  return !/^(apiVersion|kind|type|immutable|metadata\.(labels|name|namespace))\b/.test(path);
}

function masked({ path }: FieldChange): FieldChange {
  return { path, masked: true };
}

function shown(object: KubeObject | undefined): unknown {
  if (object === undefined) return {};
  const { status: _, metadata, ...rest } = object;
  const { name, namespace, labels, annotations, finalizers, ownerReferences } = metadata;
  const kept = { name, namespace, labels: unmarked(labels), annotations: unmarked(annotations) };
  return { ...rest, metadata: { ...kept, finalizers, ownerReferences } };
}

function unmarked(map: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !isReservedKey(key)));
}

function* differences(before: unknown, after: unknown, path: string): Generator<FieldChange> {
  if (sameValue(before, after)) return;
  if ((isRecord(before) && isRecord(after)) || (OPENED.has(path) && isMapOrNothing(before) && isMapOrNothing(after))) {
    const old: Item = before ?? {};
    const next: Item = after ?? {};
    const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])].toSorted();
    for (const key of keys) yield* differences(old[key], next[key], joined(path, key));
    return;
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const key = itemKey(before, after);
    if (key !== undefined) {
      yield* itemDifferences(before as Item[], after as Item[], key, path);
      return;
    }
  }
  yield {
    path,
    ...defined({ before, after }),
  };
}

type Item = Record<string, unknown>;

function* itemDifferences(
  before: readonly Item[],
  after: readonly Item[],
  key: string,
  path: string,
): Generator<FieldChange> {
  const byKey = new Map(after.map((item) => [item[key], item]));
  for (const item of before) {
    const next = byKey.get(item[key]);
    byKey.delete(item[key]);
    yield* differences(item, next, `${path}[${key}=${String(item[key])}]`);
  }
  for (const [value, item] of byKey) yield { path: `${path}[${key}=${String(value)}]`, after: item };
}

/** The first key that every item of both lists has, each with a value of its own. */
function itemKey(before: readonly unknown[], after: readonly unknown[]): string | undefined {
  if (before.length + after.length === 0) return undefined;
  return ITEM_KEYS.find((key) =>
    [before, after].every((items) => {
      const values = items.map((item) => (isRecord(item) ? item[key] : undefined));
      return values.every(isPlain) && new Set(values).size === items.length;
    }),
  );
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint";
}

function isMapOrNothing(value: unknown): value is Item | undefined {
  return value === undefined || isRecord(value);
}

/** A key with a dot in it stands in brackets. */
function joined(path: string, key: string): string {
  if (path === "") return key;
  return key.includes(".") || key.includes("/") ? `${path}[${key}]` : `${path}.${key}`;
}
