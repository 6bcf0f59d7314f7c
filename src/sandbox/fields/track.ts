import type { ManagedFieldsEntry, ObjectMeta } from "../../apis/index.ts";
import { badRequest, unexplained } from "../statusError.ts";
import type { KubeObject } from "../types.ts";
import {
  ApplyConflicts,
  applyOver,
  checkValue,
  type Context,
  DoesNotFit,
  ownAfterUpdate,
  remainingConflicts,
  type Self,
  type Typed,
  Versions,
  withLastApplied,
} from "./apply/index.ts";
import { difference, identify, isEmpty, Managers, type Owned, resetFieldsOf, setOf, timeText } from "./sets/index.ts";
import type { Applied, ApplyWrite, UpdateWrite, Write } from "./types.ts";
import { equalValues, isObject, zeroObject } from "./values/index.ts";

/** Further entries of updaters are merged, as on a server. */
const MOST_UPDATERS = 10;

/** Owner of the fields that an object had before its fields were tracked. */
const BEFORE_FIRST_APPLY = "before-first-apply";

/** Nobody owns fields that identify the object or that the server sets. */
const NEVER_OWNED = setOf(
  ["f:apiVersion"],
  ["f:kind"],
  ["f:metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["f:metadata", `f:${name}`]),
);

/**
 * Returns the submitted object of a create, an update or a patch with its new managedFields. Writes of a subresource
 * are tracked the same way. Never refuses: as on a server, an object whose list items cannot be told apart has no
 * managedFields.
 */
export function trackWrite(write: UpdateWrite): KubeObject {
  const { submitted, live } = write;
  const before = live?.metadata.managedFields;
  const managers = managersForUpdate(write, before);
  if (managers.size === 0 && live !== undefined) return withManagedFields(submitted, undefined);
  try {
    const { versions, context } = contextOf(write);
    const type = versions.typeOf(write.apiVersion);
    if (type === undefined) return withManagedFields(submitted, undefined);
    const next = { object: withManagedFields(submitted, undefined), type };
    checkValue(next.object, type, "allowed");
    const old = { object: live === undefined ? unset(write) : withManagedFields(live, undefined), type };
    checkValue(old.object, type, "allowed");
    update(old, next, managers, write.manager, write, context);
  } catch (error) {
    if (!(error instanceof DoesNotFit)) throw error;
    return withManagedFields(submitted, undefined);
  }
  return withManagedFields(submitted, managers.encode(before));
}

/**
 * Merges a configuration into an object. Refuses with the server's Status: another kind or version than the request's,
 * and managedFields in the configuration (400); conflicts (409); fields that the schema does not know (500).
 */
export function applyConfiguration(write: ApplyWrite): Applied {
  const { live, manager, apiVersion } = write;
  const config = checkedConfig(write);
  const { versions, context } = contextOf(write);
  const type = versions.typeOf(apiVersion);
  if (type === undefined) throw unexplained(`no corresponding type for ${kindText(apiVersion, write.resource.kind)}`);

  const before = live?.metadata.managedFields;
  const managers = managersForApply(before);
  const bare = { apiVersion, kind: write.resource.kind, metadata: {} } as KubeObject;
  const old: Typed = { object: live === undefined ? bare : withManagedFields(live, undefined), type };
  checkTyped("failed to create typed patch object", config, { object: config, type }, "refused");
  checkTyped("failed to create typed live object", old.object, old, "allowed");
  if (managers.size === 0 && live !== undefined) {
    update({ object: unset(write), type }, old, managers, BEFORE_FIRST_APPLY, write, context);
  }

  const merged = applyHelped(old, { object: config, type }, managers, write, context);
  const unchanged = live !== undefined && (merged.object === old.object || equalValues(merged.object, old.object));
  const self = selfOf(write);
  const own = merged.managers.get(self.id);
  if (own !== undefined) {
    const set = difference(own.set, NEVER_OWNED);
    if (isEmpty(set)) merged.managers.delete(self.id);
    // An apply that changes no value keeps the time, even if the manager applies for the first time and has no time
    // yet.
    else merged.managers.set(self.id, { ...own, ...(unchanged ? {} : { time: timeText(write.now) }), set });
  }
  const plain = unchanged ? old.object : merged.object;
  const object = withLastApplied(plain, config, manager);
  const entries = merged.managers.encode(before);
  if (live !== undefined && object === old.object && entries === before) return { object: live, changed: false };
  const result = withManagedFields(object, entries);
  return { object: result, changed: live === undefined || !equalValues(result, live) };
}

function applyHelped(
  live: Typed,
  config: Typed,
  managers: Managers,
  write: ApplyWrite,
  context: Context,
): { object: KubeObject; managers: Managers } {
  const attempt = (force: boolean) => {
    const copy = managers.copy();
    return { object: applyOver(live, config, copy, selfOf(write), force, context).object, managers: copy };
  };
  try {
    return attempt(write.force);
  } catch (error) {
    if (error instanceof DoesNotFit) throw unexplained(error.message);
    if (!(error instanceof ApplyConflicts)) throw error;
    const conflicts = remainingConflicts(error, write.manager, live);
    if (conflicts !== undefined) throw conflicts.status;
    return attempt(true);
  }
}

/** Makes the writer owner of the fields that it changed. Its time changes only if it gained fields. */
function update(old: Typed, next: Typed, managers: Managers, manager: string, write: Write, context: Context): void {
  const gained = ownAfterUpdate(old, next, managers, context);
  const set = gained === undefined ? undefined : difference(gained, NEVER_OWNED);
  if (set !== undefined && !isEmpty(set)) {
    const entry: Omit<Owned, "set"> = { ...entryOf(write, manager), operation: "Update", time: timeText(write.now) };
    managers.add(identify(entry), { ...entry, set });
  }
  managers.capUpdaters(MOST_UPDATERS);
}

function selfOf(write: ApplyWrite): Self {
  const entry = { ...entryOf(write, write.manager), operation: "Apply" } as const;
  return { id: identify(entry), entry };
}

function entryOf(write: Write, manager: string) {
  return {
    manager: manager === "" ? "unknown" : manager,
    subresource: write.subresource ?? "",
    apiVersion: write.apiVersion,
  };
}

function contextOf(write: Write): { versions: Versions; context: Context } {
  const { resource, apiVersion, subresource = "" } = write;
  const versions = new Versions(resource, write.convert);
  const resetFields = (entryVersion: string) => resetFieldsOf(resource, apiVersion, subresource, entryVersion);
  return { versions, context: { versions, resetFields } };
}

/** The empty object that a created object is compared with. */
function unset({ resource, apiVersion }: Write): KubeObject {
  const { kind } = resource;
  const schema = new Versions(resource, undefined).schemaOf(apiVersion);
  if (resource.crd !== undefined || schema === undefined) return { apiVersion, kind } as KubeObject;
  return zeroObject(schema, resource.definitions, apiVersion, kind);
}

/**
 * A submission may bring its own managedFields. An empty list, or one empty entry, ends all tracking; broken or absent
 * ones change nothing.
 */
function managersForUpdate(write: UpdateWrite, before: readonly ManagedFieldsEntry[] | undefined): Managers {
  const own =
    write.subresource === undefined || write.subresource === "" ? write.submitted.metadata.managedFields : undefined;
  if (own !== undefined && own !== null) {
    if (isReset(own)) return new Managers();
    const managers = own === before ? undefined : decodeOrUndefined(own);
    if (managers !== undefined && managers.size > 0) return managers;
  }
  return decodeOrUndefined(before ?? []) ?? new Managers();
}

function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  const [first] = entries;
  return first === undefined || (entries.length === 1 && Object.keys(first).length === 0);
}

function decodeOrUndefined(entries: readonly ManagedFieldsEntry[]): Managers | undefined {
  return managedFieldsError(entries) === undefined ? Managers.from(entries) : undefined;
}

/** The server's message for unreadable managedFields; undefined for valid ones. */
export function managedFieldsError(entries: readonly ManagedFieldsEntry[]): string | undefined {
  try {
    Managers.from(entries);
    return undefined;
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
}

function managersForApply(before: readonly ManagedFieldsEntry[] | undefined): Managers {
  const wrong = managedFieldsError(before ?? []);
  if (wrong !== undefined) throw unexplained(`failed to decode managed fields: ${wrong}`);
  return Managers.from(before ?? []);
}

function checkedConfig({ config, apiVersion, resource }: ApplyWrite): KubeObject {
  const wanted = kindText(apiVersion, resource.kind);
  const found = isObject(config) ? config : {};
  const given = kindText(textOf(found["apiVersion"]), textOf(found["kind"]));
  if (given !== wanted) throw badRequest(`invalid object type: ${given}`);
  const metadata = found["metadata"];
  const managedFields = isObject(metadata) ? metadata["managedFields"] : undefined;
  if (managedFields !== undefined && managedFields !== null) throw badRequest("metadata.managedFields must be nil");
  return (isObject(metadata) ? found : { ...found, metadata: {} }) as KubeObject;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A kind as Go prints it: `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
function kindText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

function checkTyped(what: string, named: KubeObject, { object, type }: Typed, duplicates: "allowed" | "refused"): void {
  try {
    checkValue(object, type, duplicates);
  } catch (error) {
    if (!(error instanceof DoesNotFit)) throw error;
    const { namespace = "", name } = named.metadata as Partial<ObjectMeta>;
    throw unexplained(
      `${what} (${namespace}/${name ?? ""}; ${kindText(named.apiVersion, named.kind)}): ${error.message}`,
    );
  }
}

function withManagedFields(object: KubeObject, managedFields: ManagedFieldsEntry[] | undefined): KubeObject {
  const metadata = object.metadata ?? {};
  if (metadata.managedFields === managedFields && "managedFields" in metadata === (managedFields !== undefined))
    return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: managedFields === undefined ? rest : { ...rest, managedFields } };
}
