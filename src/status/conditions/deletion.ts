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

/** What the message of a deletion that goes its way begins with. */
const REMAIN = "objects remain on ";
/** The message of a condition holds no more. */
const ROOM = 120;
/** An Event has room for more clusters. */
const NAMED_IN_EVENT = 20;
const DELETING: Reason = "Deleting";
/** Why a copy stayed until the object was deleted: no reason any more. */
const MOVING: Reason = "AwaitingReplacement";
const CONFIRMING: Reason = "Confirming";
const UNREACHABLE: Reason = "ClusterUnreachable";
const SHOWN = 3;

/** Where something of the object is left, or may be. */
type Remaining = Pick<ClusterReport, "entry" | "fresh" | "shorter">;

/** Clusters that wait for the same thing. */
interface Wait {
  /** What waits for a person comes first; what does not answer comes last. */
  rank: number;
  reason: string;
  /** What keeps it there, and in Meridian's own words also what frees it; undefined for clusters that do not answer. */
  why: string | undefined;
  /** What frees it, where `why` are the words of a member that refuses: these are cut at their end. */
  frees?: string;
  /** `why` in fewer words, which leave room for the names of the clusters. */
  shorter?: readonly string[];
  entries: ClusterStatusEntry[];
}

/**
 * What the deletion of a hub object waits for; or, where all goes its way, where something of the object is left. `heldBy`: the finalizers of
 * others that it has on the hub, which are all that is waited for once nothing is left.
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

/** What one cluster waits for; undefined where the removal goes its way. */
function waitOf({ entry, fresh, shorter = [] }: Remaining): Omit<Wait, "entries"> | undefined {
  const { state, reason, message } = entry;
  if (state === "Held") return { rank: 0, reason: reason ?? state, why: message ?? reason ?? "held" };
  if (!fresh) return { rank: 3, reason: reason ?? UNREACHABLE, why: undefined };
  if (reason === undefined || reason === MOVING) return undefined;
  if (isUnrefused(reason)) return { rank: 2, reason, why: message ?? reason, shorter };
  const why = message === undefined ? reason : `${reason}: ${message}`;
  return { rank: 1, reason, why, frees: FORBID.has(reason) ? "goes on when the cluster allows it" : "is tried again" };
}

/** With these a member says that it does not want it, and not that it cannot. */
const FORBID: ReadonlySet<string> = new Set<Reason>(["AdmissionDenied", "Forbidden"]);

/**
 * The clusters come first, and what frees the first of them is never cut for the sake of the rest. What is to be said of the others gives way
 * before their names do; of a member's own words stays as much as there is room for.
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

/** So much of what a member says has to be left. */
const LEAST_SAID = 40;

/** The words of a member that refuses, as many as fit before that end. */
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

/** With these nobody is answered before the Secret with the kubeconfig is made anew. */
const RENEWED: ReadonlySet<string> = new Set<Reason>([
  "SecretNotFound",
  "InvalidKubeconfig",
  "AddressRefused",
  "CertificateInvalid",
  "CredentialsExpired",
  "CredentialsRejected",
]);
/** With these the MemberCluster says what is to be changed in it. */
const MENDED: ReadonlySet<string> = new Set<Reason>([
  "ClusterIdentityChanged",
  "DuplicateCluster",
  "InvalidConnection",
  "PullNotSupported",
]);

/** Whoever removes the cluster from the federation frees the object as well. */
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

/** Of a long name the beginning, where the sentence has more to say. */
function shortNames({ entries }: Wait): string {
  const [first, ...others] = entries;
  return `${shortName(first?.name ?? "", 24)}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}

/**
 * What the status says that the deletion of the object waits for, in as many words as it takes; undefined while the deletion goes its way, and of
 * an object that stays.
 */
export function deletionWait(status: FederatedStatus | undefined, since?: string): string | undefined {
  const message = deletionIn(status);
  if (message === undefined || message === "" || message.startsWith(REMAIN)) return undefined;
  const entries = status?.clusters ?? [];
  const all = waitsOf(entries.map((entry) => ({ entry, fresh: !isOutOfContact(entry) })));
  if (all.length === 0) return message;
  // Where only certainty is waited for nobody has to do anything.
  const waits = all.filter(({ reason }) => reason !== CONFIRMING);
  if (waits.length === 0) return undefined;
  return `waits for ${waits.map((wait) => textOf(wait, since, NAMED_IN_EVENT)).join(AND)}`;
}

/** What people are told of the deletion of an object, `since` then; undefined of an object that stays. */
export function deletionText(status: FederatedStatus | undefined, since?: string): string | undefined {
  const message = deletionIn(status);
  if (message === undefined && since === undefined) return undefined;
  return deletionWait(status, since) ?? (message || "waits for its clusters to let it go");
}

function deletionIn(status: FederatedStatus | undefined): string | undefined {
  const found = status?.conditions?.find(({ type }: Condition) => type === "Progressing");
  return found?.reason === DELETING ? found.message : undefined;
}
