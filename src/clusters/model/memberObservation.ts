import { excess, isRecord, type KubeObject } from "../../apis/index.ts";
import type { Observation } from "../../desiredstate/index.ts";
import { type Health, type MemberReport, memberReport } from "../../interpreter/index.ts";
import type { FullReport, MemberObject } from "./memberObject.ts";
import { observe, type ObservedObject } from "./observed.ts";
import { givenUpOf } from "./yielding.ts";

/** Observation for the hub side. `hash`: hash of the row that the object is in sync with. */
export function observationOf(cluster: string, object: MemberObject, hash: string | undefined): Observation {
  const { ref, row, observed, writing, isAbsent, mayBeThere, healed, contested, revision } = object;
  const { failure = contested } = object;
  const observation: Observation = { cluster, ref, writing, revision };
  if (observed !== undefined) observation.present = presenceOf(observed, object);
  if (hash !== undefined) observation.inSyncWith = hash;
  if (isAbsent && row !== undefined) observation.absent = true;
  else if (mayBeThere && observed === undefined && row?.verb === "Hold" && row.confirm === true)
    observation.mayBeThere = true;
  if (object.ended !== undefined) observation.ended = object.ended;
  if (failure !== undefined) observation.failure = failure;
  if (healed !== undefined) observation.healed = healed;
  const givenUp = givenUpOf(object);
  if (givenUp.length > 0) observation.givenUp = givenUp;
  return observation;
}

/** Observation of a live member object for planning. Undefined for a foreign object. */
export function copyIn(cluster: string, live: KubeObject): Observation | undefined {
  const observed = observe(live);
  if (!observed.isOurs) return undefined;
  return { cluster, ref: observed.ref, present: identityOf(observed), writing: false, revision: 0 };
}

const NOT_READ: FullReport = {
  health: { state: "Unknown", reason: "NotReported", message: "its health is not known yet" },
};
/** Bounds of a status; a larger status is not aggregated. */
const STATUS_BOUNDS = { bytes: 64 << 10, levels: 32 };

/** Extended report for a row with `reporting`. Until the content was read, the last report for the same UID. */
export function lastReportOf({ row, observed, lastReport }: MemberObject): MemberObject["lastReport"] {
  const terms = row?.reporting;
  if (terms === undefined || observed === undefined || observed.deleting) return undefined;
  const { uid, evidence } = observed;
  const { content } = evidence;
  if (content === undefined) return lastReport?.uid === uid ? lastReport : { uid, report: NOT_READ };
  const status = terms.withStatus === true ? statusOf(content) : undefined;
  const report = withReplicas(memberReport(content, terms.health), observed.health.replicas);
  return { uid, report: status === undefined ? report : { ...report, status, ...ageOf(content, status) } };
}

/** Adds the observed counts to a report without counts. */
function withReplicas(report: MemberReport, replicas: Health["replicas"]): MemberReport {
  if (replicas === undefined || report.health.replicas !== undefined) return report;
  return { ...report, health: { ...report.health, replicas } };
}

function ageOf(
  { metadata }: KubeObject,
  { observedGeneration }: NonNullable<FullReport["status"]>,
): Partial<FullReport> {
  const isOld = typeof observedGeneration === "number" && observedGeneration < (metadata.generation ?? 0);
  return isOld ? { isStatusOld: true } : {};
}

/** Undefined when there is no status or it is too large to be aggregated. */
export function statusOf(content: KubeObject | undefined): FullReport["status"] {
  const status = content?.["status"];
  return isRecord(status) && excess(status, STATUS_BOUNDS) === undefined ? status : undefined;
}

type Presence = NonNullable<Observation["present"]>;

function presenceOf(
  observed: ObservedObject,
  { refused, run, trouble, lastReport }: Pick<MemberObject, "refused" | "run" | "trouble" | "lastReport">,
): Presence {
  const { health, conditions, addresses, status, isStatusOld }: FullReport = lastReport?.report ?? observed;
  const presence = identityOf(observed);
  presence.health = trouble === undefined || health.state === "Available" ? health : { ...health, ...trouble };
  if (observed.finalizers !== undefined) presence.finalizers = observed.finalizers;
  if (conditions !== undefined) presence.conditions = conditions;
  if (addresses !== undefined) presence.addresses = addresses;
  if (observed.images !== undefined) presence.images = observed.images;
  if (status !== undefined) presence.status = status;
  if (isStatusOld !== undefined) presence.isStatusOld = isStatusOld;
  if (observed.ended !== undefined) presence.ended = observed.ended;
  if (run?.uid === observed.uid) presence.run = run.hash;
  if (refused?.uid === observed.uid) presence.refused = refused.hashes;
  return presence;
}

/** Identity, owner and health of a live object, which suffice for planning. */
function identityOf(observed: ObservedObject): Presence {
  const { immutable, secretType, uid, hash, owner, createdAt, proven, policy, hubVersion, deleting, health } = observed;
  const presence: Presence = { uid, proven, deleting, health };
  if (hash !== undefined) presence.hash = hash;
  if (owner !== undefined) presence.owner = owner;
  if (createdAt !== undefined) presence.createdAt = createdAt;
  if (policy !== undefined) presence.policy = policy;
  if (hubVersion !== undefined) presence.hubVersion = hubVersion;
  if (immutable) presence.immutable = immutable;
  if (secretType !== undefined) presence.secretType = secretType;
  return presence;
}
