import { ALLOW_CRD_REMOVAL_ANNOTATION, type Reason, REMOVE_FOUND_ANNOTATION } from "../../apis/index.ts";
import type { HeldCopy, Member, Observed, UninstallChoice } from "./state.ts";
import { nameOf } from "./words.ts";

/** What an uninstallation will wait for or leave behind, as far as that is known before it begins. Pure. */

export interface Blocker {
  /** One sentence: what, where, why. */
  what: string;
  way: string;
}

/** A definition of Meridian's on a member, while somebody else has objects of its kind there. */
export interface DefinitionInUse {
  member: string;
  /** `databases.example.com` */
  definition: string;
  /** `Database shop/my-db`, one of these objects. */
  object: string;
  /** The hub object of the definition; undefined: unknown. */
  owner?: { kind: string; namespace?: string; name: string };
}

/** Reasons for which a member object stays even on a drained cluster. */
const HOLDS_A_DRAIN: ReadonlySet<string> = new Set<Reason>([
  "CustomObjectsExist",
  "FoundOnJoin",
  "OtherOwner",
  "OwnershipUnproven",
  "Terminating",
]);

export function blockersOf(
  { applications, bindings, members }: Observed,
  inUse: readonly DefinitionInUse[],
  { objects }: UninstallChoice,
): Blocker[] {
  if (objects === "Refuse") return [];
  const away = members.flatMap((member) => awayOf(member, objects));
  if (objects === "Orphan") return away;
  const copies = [
    ...applications.map((one) => ({ name: nameOf(one), held: one.held })),
    ...bindings.map(({ resource, held }) => ({ name: resource, held })),
  ];
  return [
    ...away,
    ...copies.flatMap(({ name, held = [] }) => held.flatMap((copy) => heldOf(name, copy))),
    ...inUse.map(inUseOf),
  ];
}

function awayOf({ name, notReady, deletionPolicy }: Member, objects: "Drain" | "Orphan"): Blocker[] {
  if (notReady === undefined) return [];
  const what = `member ${name} is not ready (${notReady})`;
  if (objects === "Orphan" || deletionPolicy === "Orphan")
    return [{ what: `${what}: it may keep Meridian's marks and account`, way: "bring it back first" }];
  const way = `bring it back, or leave running what is there: meridian unjoin ${name} --orphan`;
  return [{ what: `${what}: what runs there cannot be removed until it is`, way }];
}

function heldOf(name: string, { cluster, reason, message }: HeldCopy): Blocker[] {
  if (!HOLDS_A_DRAIN.has(reason)) return [];
  const what = `${name} stays on ${cluster}: ${reason}${message === undefined ? "" : `: ${message}`}`;
  const other = `leave running what is there: meridian unjoin ${cluster} --orphan`;
  const way =
    reason === ("FoundOnJoin" satisfies Reason)
      ? `have it removed, too: kubectl annotate membercluster ${cluster} ${REMOVE_FOUND_ANNOTATION}=true; or ${other}`
      : `see to it on ${cluster}; or ${other}`;
  return [{ what, way }];
}

function inUseOf({ member, definition, object, owner }: DefinitionInUse): Blocker {
  const annotation = `${ALLOW_CRD_REMOVAL_ANNOTATION}=${definition}`;
  const place = owner?.namespace === undefined ? "" : ` -n ${owner.namespace}`;
  const along =
    owner === undefined
      ? ""
      : `; or have such objects deleted along with it: kubectl annotate ${owner.kind.toLowerCase()} ${owner.name}${place} ${annotation}`;
  return {
    what: `customresourcedefinition ${definition} stays on ${member} while ${object}, which is not Meridian's, exists`,
    way: `delete such objects on ${member}${along}`,
  };
}
