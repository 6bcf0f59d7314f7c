import { type Condition, type FederatedStatus, type Reason } from "../apis/index.ts";
import type { ClusterReport } from "./report.ts";

/** What the message of a deletion that goes its way begins with. */
const REMAIN = "objects remain on ";
/** The message of a condition holds no more. */
const ROOM = 120;
const DELETING: Reason = "Deleting";
/** Why a copy stayed until the object was deleted: no reason any more. */
const MOVING: Reason = "AwaitingReplacement";
const SHOWN = 3;

/** What the deletion of a hub object waits for; or, where all goes its way, where something of the object is left. */
export function deletionMessage(
  reports: readonly ClusterReport[],
  since: string | undefined,
  overdue: boolean,
): string {
  if (reports.length === 0) return "";
  const remaining = reports.filter(({ planned }) => !planned);
  const held = remaining.find(({ entry }) => entry.state === "Held");
  if (held !== undefined) return waitsFor([held], since, held.entry.message ?? held.entry.reason ?? "held");
  const failed = remaining.find(({ fresh, entry }) => fresh && entry.reason !== undefined && entry.reason !== MOVING);
  if (failed !== undefined) {
    const { reason = "", message = reason } = failed.entry;
    return waitsFor([failed], since, `${reason}: ${message}`);
  }
  const lost = remaining.filter(({ fresh }) => !fresh);
  if (lost.length > 0) return waitsForContact(lost);
  if (overdue)
    return waitsFor(remaining, since, "its objects are being deleted there, and a finalizer of theirs holds them");
  return `${REMAIN}${remaining.map(({ entry }) => entry.name).join(", ")}`;
}

/** What frees the deletion comes last, and is never cut for the sake of the rest. */
function waitsFor(reports: readonly ClusterReport[], since: string | undefined, why: string): string {
  const names = namesOf(reports);
  const whole = `waits for ${names}${since === undefined ? "" : ` since ${since}`}: ${why}`;
  return [whole, `${names}: ${why}`].find((text) => text.length <= ROOM) ?? why;
}

/** Whoever removes the cluster from the federation frees the object as well. */
function waitsForContact(lost: readonly ClusterReport[]): string {
  const [first] = lost.map(({ entry }) => entry.observedAt ?? "").toSorted();
  const reason = lost[0]?.entry.reason ?? "ClusterUnreachable";
  const since = first === undefined || first === "" ? "" : ` since ${first}`;
  const frees = lost.length === 1 ? "it answers or is unjoined" : "they answer or are unjoined";
  return `waits for ${namesOf(lost)} (${reason}${since}): goes on when ${frees}`;
}

function namesOf(reports: readonly ClusterReport[]): string {
  const names = reports.slice(0, SHOWN).map(({ entry }) => entry.name);
  const more = reports.length - names.length;
  return `${names.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
}

/** What the status says that the deletion of the object waits for; undefined while the deletion goes its way, and of an object that stays. */
export function deletionWait(status: FederatedStatus | undefined): string | undefined {
  const found = status?.conditions?.find(({ type }: Condition) => type === "Progressing");
  if (found?.reason !== DELETING || found.message === "" || found.message.startsWith(REMAIN)) return undefined;
  return found.message;
}
