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
  before?: unknown;
  after?: unknown;
  /** The values are secret, so only the path is shown. */
  masked?: true;
}

/** Fields that identify the items of a list, if each item has a unique value. */
const ITEM_KEYS = ["name", "key", "mountPath", "containerPort", "port", "ip", "type"] as const;

/** Maps whose members are separate changes, even if one side has no such map. */
const OPENED: ReadonlySet<string> = new Set([
  "",
  "spec",
  "data",
  "stringData",
  "metadata",
  "metadata.labels",
  "metadata.annotations",
]);

/** Differences field by field. Values of Secrets are never shown; the status and Meridian's marks are left out. */
export function fieldChanges(before: KubeObject | undefined, after: KubeObject | undefined): FieldChange[] {
  const changes = [...differences(shown(before), shown(after), "")];
  const isSecret = [before, after].some((object) => object?.kind === "Secret" && object.apiVersion === "v1");
  return changes.map((change) =>
    change.path.includes(DEPENDENCIES_HASH_ANNOTATION) || (isSecret && isHidden(change.path)) ? masked(change) : change,
  );
}

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

/** The first key that all items of both lists have, with a unique value per list. */
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

/** A key with a dot or a slash is written in brackets. */
function joined(path: string, key: string): string {
  if (path === "") return key;
  return key.includes(".") || key.includes("/") ? `${path}[${key}]` : `${path}.${key}`;
}
