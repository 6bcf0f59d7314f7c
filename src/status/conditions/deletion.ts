import {
  type ClusterStatusEntry,
  type Condition,
  type FederatedStatus,
  firstFitting,
  isOutOfContact,
  type Reason,
  shortMessage,
  shortName,
  renewCommand,
} from "../../apis/index.ts";
import { type ClusterReport, heldTexts, isUnrefused } from "../entries/index.ts";

/** Start of the message of a deletion without obstacles. */
const REMAIN = "objects remain on ";
/** Maximum length of a condition's message. */
const ROOM = 120;
/** An Event has space for more cluster names. */
const NAMED_IN_EVENT = 20;
const DELETING: Reason = "Deleting";
/** Reason for a copy to stay during a move; no reason to stay once the object is deleted. */
const MOVING: Reason = "AwaitingReplacement";
const CONFIRMING: Reason = "Confirming";
const UNREACHABLE: Reason = "ClusterUnreachable";
const SHOWN = 3;

/** A cluster with certain or possible copies. */
type Remaining = Pick<ClusterReport, "entry" | "fresh" | "shorter">;

/** Clusters that wait for the same reason. */
interface Wait {
  /** Waits for a person come first, clusters without contact last. */
  rank: number;
  reason: string;
  /** Why the copies stay, and in Meridian's own words also the remedy; undefined for clusters without contact. */
  why: string | undefined;
  /** When the deletion continues, if `why` is the text of a member that rejects it: such a text is cut at its end. */
  frees?: string;
  /** Shorter forms of `why`, which leave space for cluster names. */
  shorter?: readonly string[];
  entries: ClusterStatusEntry[];
}

/**
 * Message on the deletion of a hub object: the obstacles, or the clusters with remaining copies if there is no
 * obstacle. `heldBy`: foreign finalizers on the hub object; only they matter once no copy is left.
 */
export function deletionMessage(
  reports: readonly ClusterReport[],
  since: string | undefined,
  heldBy: readonly string[] = [],
): string {
  const remaining = reports.filter(({ planned }) => !planned);
  if (remaining.length === 0 && heldBy.length > 0) {
    const waits = "waits on the hub";
    const timed = since === undefined ? [] : [`${waits} since ${since}: it has `];
    return firstFitting(heldTexts([...timed, `${waits}: it has `, "on the hub: "], heldBy));
  }
  const waits = waitsOf(remaining);
  const [first, ...rest] = waits;
  if (first !== undefined) return waitsFor(first, rest, since);
  return reports.length === 0 ? "" : `${REMAIN}${remaining.map(({ entry }) => entry.name).join(", ")}`;
}

function waitsOf(remaining: readonly Remaining[]): Wait[] {
  const waits = new Map<string, Wait>();
  for (const report of remaining) {
    const found = waitOf(report);
    if (found === undefined) continue;
    const key = JSON.stringify(found);
    const known = waits.get(key);
    if (known === undefined) waits.set(key, { ...found, entries: [report.entry] });
    else known.entries.push(report.entry);
  }
  return [...waits.values()].toSorted((a, b) => a.rank - b.rank);
}

/** The obstacle on one cluster; undefined if the removal makes progress. */
function waitOf({ entry, fresh, shorter = [] }: Remaining): Omit<Wait, "entries"> | undefined {
  const { state, reason, message } = entry;
  if (state === "Held") return { rank: 0, reason: reason ?? state, why: message ?? reason ?? "held" };
  if (!fresh) return { rank: 3, reason: reason ?? UNREACHABLE, why: undefined };
  if (reason === undefined || reason === MOVING) return undefined;
  if (isUnrefused(reason)) return { rank: 2, reason, why: message ?? reason, shorter };
  const why = message === undefined ? reason : `${reason}: ${message}`;
  return { rank: 1, reason, why, frees: FORBID.has(reason) ? "goes on when the cluster allows it" : "is tried again" };
}

/** Reasons that mean the member rejected the request (as opposed to failing). */
const FORBID: ReadonlySet<string> = new Set<Reason>(["AdmissionDenied", "Forbidden"]);

/**
 * The cluster names come first, and the remedy for the first cluster is never cut. Details of the other clusters are
 * dropped before their names. The text of a member is cut to the available length.
 */
function waitsFor(first: Wait, rest: readonly Wait[], since: string | undefined): string {
  const whole = textOf(first, since, SHOWN);
  const { why } = first;
  const brief = why === undefined ? [] : [textOf(first, undefined, SHOWN), `${namesOf(first)}: ${why}`];
  const texts = [`waits for ${whole}`, ...(why === undefined ? [] : [whole]), ...brief];
  const inFull = `waits for ${[first, ...rest].map((wait) => textOf(wait, since, SHOWN)).join(AND)}`;
  const others = [rest.map((wait) => `${namesOf(wait)} (${wait.reason})`), rest.map((wait) => namesOf(wait))];
  const ends = rest.length === 0 ? [] : others.map((names) => `; also ${names.join(", ")}`);
  const candidates = [
    inFull,
    ...ends.flatMap((end) => texts.map((text) => text + end)),
    ...ends.flatMap((end) => cutBefore(first, end)),
    ...texts,
    ...cutBefore(first, ""),
    ...withFewerNames(first),
  ];
  return candidates.find((text) => text.length <= ROOM) ?? why ?? whole;
}

/** Minimum length of a member's text after cutting. */
const LEAST_SAID = 40;

/** The text of a member that rejects the request, cut so that `end` fits. */
function cutBefore(wait: Wait, end: string): string[] {
  const { reason, why, frees } = wait;
  if (why === undefined || frees === undefined) return [];
  return [namesOf(wait), shortNames(wait)].flatMap((names) => {
    const room = ROOM - names.length - 2 - end.length;
    return room < reason.length + LEAST_SAID ? [] : [`${names}: ${shortMessage(why, room)}${end}`];
  });
}

function withFewerNames(wait: Wait): string[] {
  const names = shortNames(wait);
  if (wait.why === undefined) return [contactOf(wait, names), contactOf(wait, names, false)];
  const { shorter = [] } = wait;
  return [`${names}: ${wait.why}`, ...shorter.flatMap((why) => [namesOf(wait), names].map((all) => `${all}: ${why}`))];
}

const AND = "; and for ";

function textOf(wait: Wait, since: string | undefined, shown: number): string {
  const names = namesOf(wait, shown);
  const { why, frees } = wait;
  if (why === undefined) return contactOf(wait, names);
  return `${names}${since === undefined ? "" : ` since ${since}`}: ${why}${frees === undefined ? "" : ` (${frees})`}`;
}

function contactOf(wait: Wait, names: string, timed = true): string {
  const [first] = wait.entries.map(({ observedAt = "" }) => observedAt).toSorted();
  const since = !timed || first === undefined || first === "" ? "" : ` since ${first}`;
  return `${names} (${wait.reason}${since}): ${answersAfter(wait)}`;
}

/** Reasons that need a new Secret with the kubeconfig. */
const RENEWED: ReadonlySet<string> = new Set<Reason>([
  "SecretNotFound",
  "InvalidKubeconfig",
  "AddressRefused",
  "CertificateInvalid",
  "CredentialsExpired",
  "CredentialsRejected",
]);
/** Reasons whose remedy is a change of the MemberCluster. */
const MENDED: ReadonlySet<string> = new Set<Reason>([
  "ClusterIdentityChanged",
  "DuplicateCluster",
  "InvalidConnection",
  "PullNotSupported",
]);

/** Removing the cluster from the federation also frees the object. */
function answersAfter({ entries, reason }: Wait): string {
  const [first, ...others] = entries;
  const isOne = others.length === 0;
  if (RENEWED.has(reason)) {
    const { name = "" } = first ?? {};
    return `run \`${renewCommand(isOne && name.length <= 24 ? name : "NAME")}\`, or unjoin ${isOne ? "it" : "them"}`;
  }
  if (MENDED.has(reason))
    return isOne ? "goes on when its MemberCluster is mended or unjoined" : "goes on when they are mended or unjoined";
  return isOne ? "goes on when it answers or is unjoined" : "goes on when they answer or are unjoined";
}

function namesOf({ entries }: Wait, shown = SHOWN): string {
  const names = entries.slice(0, shown).map(({ name }) => name);
  const more = entries.length - names.length;
  return `${names.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
}

/** The start of the first name, for messages without space for all names. */
function shortNames({ entries }: Wait): string {
  const [first, ...others] = entries;
  return `${shortName(first?.name ?? "", 24)}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}

/**
 * Full text on the obstacles to the deletion of the object, by its status. Undefined if the deletion makes progress or
 * if the object is not being deleted.
 */
export function deletionWait(status: FederatedStatus | undefined, since?: string): string | undefined {
  const message = deletionIn(status);
  if (message === undefined || message === "" || message.startsWith(REMAIN)) return undefined;
  const entries = status?.clusters ?? [];
  const all = waitsOf(entries.map((entry) => ({ entry, fresh: !isOutOfContact(entry) })));
  if (all.length === 0) return message;
  // Waiting for confirmation alone needs no action by anybody.
  const waits = all.filter(({ reason }) => reason !== CONFIRMING);
  if (waits.length === 0) return undefined;
  return `waits for ${waits.map((wait) => textOf(wait, since, NAMED_IN_EVENT)).join(AND)}`;
}

/**
 * Text on the deletion of an object, for people. `since`: time of the deletion. Undefined if the object is not being
 * deleted.
 */
export function deletionText(status: FederatedStatus | undefined, since?: string): string | undefined {
  const message = deletionIn(status);
  if (message === undefined && since === undefined) return undefined;
  return deletionWait(status, since) ?? (message || "waits for its clusters to let it go");
}

function deletionIn(status: FederatedStatus | undefined): string | undefined {
  const found = status?.conditions?.find(({ type }: Condition) => type === "Progressing");
  return found?.reason === DELETING ? found.message : undefined;
}
