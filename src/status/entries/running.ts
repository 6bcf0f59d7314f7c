import {
  type ClusterStatusEntry,
  type FederatedStatus,
  hashOf,
  IMAGE,
  listedAfter,
  LONGEST_IMAGE,
  MOST_VERSIONS,
  type ObjectRef,
  refKey,
  type RolloutStatus,
  type Running,
  type RunningThere,
  shortName,
  type Version,
} from "../../apis/index.ts";
import type { ClusterTarget, DesiredObject } from "../../desiredstate/types.ts";
import { imagesOf } from "../../interpreter/index.ts";
import { pick } from "./rows.ts";
import type { RowView } from "../types.ts";

/** What clusters run, beside what the hub wants there. */

/** What one cluster runs. */
export interface RunningOn {
  runs: Version;
  wanted: Version;
  /** The cluster runs what is not wanted there, and not only until the write that is under way has ended. */
  differs: boolean;
}

/** What {@link runningOn} has to know of the object besides one cluster. */
export interface RunningFacts {
  /** The revision that is wanted, and the one that clusters keep until their turn. */
  revision?: number | undefined;
  lastGoodRevision?: number | undefined;
  /** The image that all clusters had by the last status, where that was one. */
  lastImage?: string | undefined;
}

export function runningFacts(rollout: RolloutStatus | undefined, previous: FederatedStatus | undefined): RunningFacts {
  const { summary = "", differing } = previous?.runs ?? {};
  return {
    revision: rollout?.revision,
    lastGoodRevision: rollout?.lastGoodRevision,
    lastImage: differing === undefined && IMAGE.test(summary) ? summary : undefined,
  };
}

/** What is known of the object on one cluster. */
export interface RunningInput {
  facts: RunningFacts;
  target: ClusterTarget;
  rows: readonly RowView[];
  previous: ClusterStatusEntry | undefined;
  /** Of the entry that is being made. */
  entry: Pick<ClusterStatusEntry, "state" | "desiredHash" | "observedHash">;
}

/** Undefined where nothing of the object is on the cluster, and where nothing is to be said of it. */
export function runningOn(input: RunningInput): RunningOn | undefined {
  const { target, rows, previous, entry } = input;
  const copies = rows.filter((row) => row.role === "rendered" && row.observedHash !== undefined);
  const seen = imageText(copies);
  if (entry.observedHash === undefined) return asWanted(pick("image", seen));
  const objects = (target.wanted ?? target.objects).filter(({ role }) => role === "rendered");
  const wanted = imageText(objects.map(({ ref, object }) => ({ ref, images: imagesOf(object) })));
  const last = previous?.observedHash === entry.observedHash ? previous : undefined;
  return copies.length === 0
    ? unseen(input, objects, wanted, last)
    : compared(input, { copies, objects }, { seen, wanted }, last);
}

type Last = ClusterStatusEntry | undefined;

/** Nobody has seen the copies since the manager began: they are what the last status said. */
function unseen(
  { facts, target, entry: { desiredHash, observedHash } }: RunningInput,
  objects: readonly DesiredObject[],
  wantedImage: string | undefined,
  last: Last,
): RunningOn | undefined {
  const isHeldBack = target.wanted !== undefined;
  if (!isHeldBack && last?.desiredHash === desiredHash && last?.runs !== undefined) {
    const { wanted, ...runs } = last.runs;
    return { runs, wanted, differs: true };
  }
  const isAsWanted = isHeldBack ? observedHash === hashOfObjects(objects) : observedHash === desiredHash;
  if (isAsWanted || (!isHeldBack && last?.desiredHash === desiredHash))
    return asWanted({ ...pick("image", wantedImage), ...pick("revision", facts.revision) });
  const image = last === undefined ? undefined : last.runs === undefined ? facts.lastImage : last.runs.image;
  const isLastGood = isHeldBack && observedHash === desiredHash;
  const revision = isLastGood ? facts.lastGoodRevision : last?.runs?.revision;
  return differing({ image, revision }, wantedVersion(facts, target, objects, wantedImage));
}

function compared(
  { facts, target, entry: { state, desiredHash, observedHash } }: RunningInput,
  { copies, objects }: { copies: readonly RowView[]; objects: readonly DesiredObject[] },
  { seen, wanted }: { seen: string | undefined; wanted: string | undefined },
  last: Last,
): RunningOn | undefined {
  const isHeldBack = target.wanted !== undefined;
  const isAsWanted = observedHash === (isHeldBack ? hashOfObjects(objects) : desiredHash);
  const isOtherImage = seen !== undefined && wanted !== undefined && seen !== wanted;
  // A field that is retained is the member's: then the copy is in sync with whatever image.
  const isOtherThanSent = isOtherImage && !(isAsWanted && copies.every(({ inSync }) => inSync));
  const isOtherVersion = !isAsWanted && (isHeldBack || (isOld(copies) && !UNDER_WAY.has(state)));
  if (!isOtherThanSent && !isOtherVersion)
    return asWanted({ ...pick("image", seen), ...pick("revision", isAsWanted ? facts.revision : undefined) });
  const isLastGood = isHeldBack && observedHash === desiredHash;
  const revision = isAsWanted ? undefined : isLastGood ? facts.lastGoodRevision : last?.runs?.revision;
  return differing({ image: seen, revision }, wantedVersion(facts, target, objects, wanted));
}

/** Nothing where a rollout leaves the object on a cluster that is not to have it. */
function wantedVersion(
  { revision }: RunningFacts,
  target: ClusterTarget,
  objects: readonly DesiredObject[],
  image: string | undefined,
): Version {
  if (target.wanted !== undefined && objects.length === 0) return {};
  return { ...pick("image", image), ...pick("revision", revision) };
}

function differing(
  { image, revision }: { image: string | undefined; revision: number | undefined },
  wanted: Version,
): RunningOn {
  return { runs: { ...pick("image", image), ...pick("revision", revision) }, wanted, differs: true };
}

/** What an entry says of that. */
export function runsOf(running: RunningOn | undefined): Pick<ClusterStatusEntry, "runs"> {
  return running?.differs === true ? { runs: { ...running.runs, wanted: running.wanted } } : {};
}

function asWanted(runs: Version): RunningOn | undefined {
  const isKnown = runs.image !== undefined || runs.revision !== undefined;
  return isKnown ? { runs, wanted: runs, differs: false } : undefined;
}

/** Until a write has ended, the entry says that it is under way; the version that it replaces is no news. */
const UNDER_WAY: ReadonlySet<string> = new Set(["Pending", "Progressing"] satisfies ClusterStatusEntry["state"][]);

/** Some copy is of another version. One that is missing makes the others no other version. */
function isOld(copies: readonly RowView[]): boolean {
  const compared = copies.filter(({ desiredHash }) => desiredHash !== undefined);
  return compared.length === 0 || compared.some(({ desiredHash, observedHash }) => desiredHash !== observedHash);
}

function hashOfObjects(objects: readonly DesiredObject[]): string | undefined {
  return objects.length === 0 ? undefined : hashOf(objects.map(({ hash }) => hash).toSorted());
}

/** Of more images than these nobody reads a list. */
const MOST_IMAGES = 3;

/** In an order that does not depend on which object was seen first. */
function imageText(all: readonly { ref: ObjectRef; images?: readonly string[] }[]): string | undefined {
  const listed = all
    .flatMap(({ ref, images = [] }) =>
      images.length === 0 ? [] : [{ key: `${refKey(ref)} ${images.join()}`, images }],
    )
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const images = [...new Set(listed.flatMap((one) => one.images))];
  if (images.length === 0 || images.length > MOST_IMAGES) return undefined;
  return shortName(images.join(", "), LONGEST_IMAGE);
}

type Counted = NonNullable<Running["versions"]>[number];

/** Wanted versions that are listed at most: what runs instead has the rest of the room. */
const MOST_WANTED = MOST_VERSIONS / 2;

/** What the clusters run together; undefined where there is nothing to say. `clusters`: how many of them have the object. */
export function runningTogether(all: readonly RunningOn[], clusters: number): Running | undefined {
  const others = all.filter(({ differs }) => differs);
  if (others.length === 0) {
    const images = new Set(all.flatMap(({ runs: { image } }) => image ?? []));
    const [image] = images;
    if (image === undefined) return undefined;
    return { summary: images.size === 1 ? image : `${images.size} images` };
  }
  const wanted = new Map<string, Counted>();
  const instead = new Map<string, Counted>();
  for (const { runs, wanted: asked, differs } of all) {
    if (differs) count(instead, runs, 1);
    if (asked.image !== undefined || asked.revision !== undefined)
      count(wanted, { ...asked, wanted: true }, differs ? 0 : 1);
  }
  const listed = sorted(wanted).slice(0, MOST_WANTED);
  const versions = [...listed, ...sorted(instead).slice(0, MOST_VERSIONS - listed.length)];
  const sums = { clusters, differing: others.length };
  return { summary: `${labelsOf(versions, false)}${shareText(sums)}`, ...sums, versions };
}

function count(versions: Map<string, Counted>, version: Omit<Counted, "clusters">, by: 0 | 1): void {
  const key = keyOf(version);
  versions.set(key, { ...version, clusters: (versions.get(key)?.clusters ?? 0) + by });
}

function sorted(versions: ReadonlyMap<string, Counted>): Counted[] {
  return [...versions]
    .toSorted(([a, one], [b, other]) => other.clusters - one.clusters || (a < b ? -1 : 1))
    .map(([, version]) => version);
}

function keyOf({ image = "", revision }: Version): string {
  return `${image} ${revision ?? ""}`;
}

/** Clusters that run something else; nothing where all do. */
function shareText({ clusters, differing }: { clusters: number; differing: number }): string {
  return clusters === differing ? "" : ` on ${differing} of ${clusters}`;
}

function labelsOf(versions: readonly Counted[], isWanted: boolean): string {
  const [own, opposite] = [isWanted, !isWanted].map((is) => versions.filter(({ wanted = false }) => wanted === is));
  return listedAfter("", own?.map((version) => labelOf(version, opposite ?? [])) ?? []);
}

/** By its image; by its revision where there is none, or where the image does not tell it from the others. */
function labelOf({ image, revision }: Version, opposite: readonly Version[]): string {
  const number = revision === undefined ? "another version" : `revision ${revision}`;
  if (image === undefined) return number;
  return opposite.some((other) => other.image === image) ? `${image} (${number})` : image;
}

/** `nginx:1, wanted: nginx:2`: of one cluster. */
export function runningThereText({ wanted, ...runs }: RunningThere): string {
  const isKnown = wanted.image !== undefined || wanted.revision !== undefined;
  return `${labelOf(runs, [wanted])}${isKnown ? `, wanted: ${labelOf(wanted, [runs])}` : ""}`;
}

/** `nginx:2 wanted, nginx:1 runs on 2 of 4: rollout paused`. Undefined where every cluster runs what is wanted there. */
export function runningText(status: FederatedStatus | undefined): string | undefined {
  const { clusters = 0, differing, versions = [] } = status?.runs ?? {};
  if (status === undefined || differing === undefined) return undefined;
  const asked = labelsOf(versions, true);
  const runs = versions.filter(({ wanted }) => wanted === undefined).length === 1 ? "runs" : "run";
  const why = whyOf(status);
  return [
    asked === "" ? "" : `${asked} wanted, `,
    `${labelsOf(versions, false)} ${runs}${shareText({ clusters, differing })}`,
    why === "" ? "" : `: ${why}`,
  ].join("");
}

const WORDS: Partial<Record<RolloutStatus["state"], string>> = {
  Planned: "rolling out",
  Progressing: "rolling out",
  Paused: "rollout paused",
  RollingBack: "rolling back",
  RolledBack: "rolled back",
};

/** The state of the rollout; where none is open, the reasons of the clusters that differ. */
function whyOf({ rollout, clusters = [] }: FederatedStatus): string {
  const word = rollout === undefined ? undefined : WORDS[rollout.state];
  if (word !== undefined) return word;
  return listedAfter("", [...new Set(clusters.flatMap(({ runs, reason = [] }) => (runs === undefined ? [] : reason)))]);
}
