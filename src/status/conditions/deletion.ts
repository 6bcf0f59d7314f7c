import {
  type ClusterStatusEntry,
  type Condition,
  defined,
  type FederatedStatus,
  fullMessage,
  isOutOfContact,
  type Message,
  type MessageParts,
  namesText,
  prefixed,
  type Reason,
  renewCommand,
  withLead,
} from "../../apis/index.ts";
import { type ClusterReport, heldMessage, isUnrefused } from "../entries/index.ts";

const REMAIN = "objects remain on";
const DELETING: Reason = "Deleting";
/** Reason for a copy to stay during a move; no reason to stay once the object is deleted. */
const MOVING: Reason = "AwaitingReplacement";
const CONFIRMING: Reason = "Confirming";
const UNREACHABLE: Reason = "ClusterUnreachable";

/** A cluster with certain or possible copies. */
type Remaining = Pick<ClusterReport, "entry" | "fresh"> & { message?: Message };

interface Wait {
  /** Waits for a person come first, clusters without contact last. */
  rank: number;
  reason: string;
  /** Why the copies stay, and in Meridian's own words also the remedy; undefined for clusters without contact. */
  why: Message | undefined;
  /** When the deletion continues, if `why` is the text of a member that rejects it. Only in full texts. */
  frees?: string;
  entries: ClusterStatusEntry[];
}

/** What the deletion waits for. `heldBy`: foreign finalizers on the hub object; they matter once no copy is left. */
export function deletionMessage(
  reports: readonly ClusterReport[],
  since: string | undefined,
  heldBy: readonly string[] = [],
): Message {
  const remaining = reports.filter(({ planned }) => !planned);
  const lead = since === undefined ? "" : `since ${since}: `;
  if (remaining.length === 0 && heldBy.length > 0)
    return withLead(lead, heldMessage("waits on the hub: it has", heldBy));
  const [first, ...rest] = waitsOf(remaining);
  if (first !== undefined) return withLead(lead, waitsFor(first, rest));
  return reports.length === 0 ? "" : { what: REMAIN, where: remaining.map(({ entry }) => entry.name) };
}

function waitsOf(remaining: readonly Remaining[]): Wait[] {
  const waits = remaining.flatMap((report): Wait[] => {
    const wait = waitOf(report);
    return wait === undefined ? [] : [{ ...wait, entries: [report.entry] }];
  });
  return [...Map.groupBy(waits, ({ entries: _, ...wait }) => JSON.stringify(wait)).values()]
    .flatMap(([first, ...others]) =>
      first === undefined ? [] : { ...first, entries: [first, ...others].flatMap(({ entries }) => entries) },
    )
    .toSorted((a, b) => a.rank - b.rank);
}

/** The obstacle on one cluster; undefined if the removal makes progress. */
function waitOf({ entry, fresh, message = entry.message }: Remaining): Omit<Wait, "entries"> | undefined {
  const { state, reason } = entry;
  if (state === "Held") return { rank: 0, reason: reason ?? state, why: message ?? reason ?? "held" };
  if (!fresh) return { rank: 3, reason: reason ?? UNREACHABLE, why: undefined };
  if (reason === undefined || reason === MOVING) return undefined;
  if (isUnrefused(reason)) return { rank: 2, reason, why: message ?? reason };
  const why = message === undefined ? reason : prefixed(`${reason}: `, message);
  return { rank: 1, reason, why, frees: FORBID.has(reason) ? "goes on when the cluster allows it" : "is tried again" };
}

/** Reasons that mean the member rejected the request (as opposed to failing). */
const FORBID: ReadonlySet<string> = new Set<Reason>(["AdmissionDenied", "Forbidden"]);

/** The obstacle on the first clusters. Clusters with other obstacles are named with their reason. */
function waitsFor(first: Wait, rest: readonly Wait[]): MessageParts {
  const names = named(first);
  const others = rest.flatMap(({ entries, reason }) => entries.map(({ name }) => `${name} (${reason})`));
  return obstacle(first, rest.length === 0 ? names : [...names, ...others]);
}

function obstacle(wait: Wait, where: readonly string[]): MessageParts {
  const { why } = wait;
  const what = "waits for";
  if (why === undefined) return { what, where, why: contactOf(wait), remedy: answersAfter(wait) };
  if (typeof why === "string") return { what, where, why };
  // A finalizer in the list must stay readable.
  return { ...why, what: `${what} ${namesText(where)}: ${why.what}` };
}

function contactOf({ entries, reason }: Wait): string {
  const [first] = entries.map(({ observedAt = "" }) => observedAt).toSorted();
  return first === undefined || first === "" ? reason : `${reason} since ${first}`;
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

/** Full text on the obstacles to a deletion, by the status; undefined if the deletion makes progress. */
export function deletionWait(status: FederatedStatus | undefined, since?: string): string | undefined {
  const message = deletionIn(status);
  if (message === undefined || message === "" || message.startsWith(REMAIN)) return undefined;
  const entries = status?.clusters ?? [];
  const all = waitsOf(entries.map((entry) => ({ entry, fresh: !isOutOfContact(entry) })));
  if (all.length === 0) return message;
  // Waiting for confirmation alone needs no action by anybody.
  const waits = all.filter(({ reason }) => reason !== CONFIRMING);
  if (waits.length === 0) return undefined;
  const texts = waits.map((wait) =>
    fullMessage({ ...obstacle(wait, named(wait)), ...defined({ remedy: wait.frees }) }),
  );
  return `${since === undefined ? "" : `since ${since}: `}${texts.join("; and ")}`;
}

function named({ entries }: Wait): string[] {
  return entries.map(({ name }) => name);
}

/** Text on the deletion for people. `since`: its time. Undefined if the object is not being deleted. */
export function deletionText(status: FederatedStatus | undefined, since?: string): string | undefined {
  const message = deletionIn(status);
  if (message === undefined && since === undefined) return undefined;
  return deletionWait(status, since) ?? (message || "waits for its clusters to let it go");
}

function deletionIn(status: FederatedStatus | undefined): string | undefined {
  const found = status?.conditions?.find(({ type }: Condition) => type === "Progressing");
  return found?.reason === DELETING ? found.message : undefined;
}
