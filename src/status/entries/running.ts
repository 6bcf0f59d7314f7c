import {
  type ClusterStatusEntry,
  defined,
  type FederatedStatus,
  hashOf,
  IMAGE,
  namesText,
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
import type { RowView } from "../types.ts";

/** Versions that clusters run, compared with the desired ones. */

export interface RunningOn {
  runs: Version;
  wanted: Version;
  /** The cluster runs another version than desired, and not only because a write is in progress. */
  differs: boolean;
}

/** Facts about the object that {@link runningOn} needs beside one cluster. */
export interface RunningFacts {
  /** The desired revision, and the revision that clusters keep until their turn. */
  revision?: number | undefined;
  lastGoodRevision?: number | undefined;
  /** The image on all clusters by the last status, if there was only one. */
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

export interface RunningInput {
  facts: RunningFacts;
  target: ClusterTarget;
  rows: readonly RowView[];
  previous: ClusterStatusEntry | undefined;
  entry: Pick<ClusterStatusEntry, "state" | "desiredHash" | "observedHash">;
}

/** Undefined if the cluster has no copy, or if its version is unknown. */
export function runningOn(input: RunningInput): RunningOn | undefined {
  const { target, rows, previous, entry } = input;
  const copies = rows.filter((row) => row.role === "rendered" && row.observedHash !== undefined);
  const seen = imageText(copies);
  if (entry.observedHash === undefined) return asWanted(defined({ image: seen }));
  const objects = (target.wanted ?? target.objects).filter(({ role }) => role === "rendered");
  const wanted = imageText(objects.map(({ ref, object }) => ({ ref, images: imagesOf(object) })));
  const last = previous?.observedHash === entry.observedHash ? previous : undefined;
  return copies.length === 0
    ? unseen(input, objects, wanted, last)
    : compared(input, { copies, objects }, { seen, wanted }, last);
}

type Last = ClusterStatusEntry | undefined;

/** The copies have not been observed since startup: the last status tells their version. */
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
    return asWanted(defined({ image: wantedImage, revision: facts.revision }));
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
  // A retained field belongs to the member, so a copy with another image can be in sync.
  const isOtherThanSent = isOtherImage && !(isAsWanted && copies.every(({ inSync }) => inSync));
  const isOtherVersion = !isAsWanted && (isHeldBack || (isOld(copies) && !UNDER_WAY.has(state)));
  if (!isOtherThanSent && !isOtherVersion)
    return asWanted(defined({ image: seen, revision: isAsWanted ? facts.revision : undefined }));
  const isLastGood = isHeldBack && observedHash === desiredHash;
  const revision = isAsWanted ? undefined : isLastGood ? facts.lastGoodRevision : last?.runs?.revision;
  return differing({ image: seen, revision }, wantedVersion(facts, target, objects, wanted));
}

/** Empty if a rollout keeps the object on a cluster that should not have it. */
function wantedVersion(
  { revision }: RunningFacts,
  target: ClusterTarget,
  objects: readonly DesiredObject[],
  image: string | undefined,
): Version {
  if (target.wanted !== undefined && objects.length === 0) return {};
  return defined({ image, revision });
}

function differing(
  { image, revision }: { image: string | undefined; revision: number | undefined },
  wanted: Version,
): RunningOn {
  return { runs: defined({ image, revision }), wanted, differs: true };
}

/** The field `runs` of an entry; empty if the cluster runs the desired version. */
export function runsOf(running: RunningOn | undefined): Pick<ClusterStatusEntry, "runs"> {
  return running?.differs === true ? { runs: { ...running.runs, wanted: running.wanted } } : {};
}

function asWanted(runs: Version): RunningOn | undefined {
  const isKnown = runs.image !== undefined || runs.revision !== undefined;
  return isKnown ? { runs, wanted: runs, differs: false } : undefined;
}

/** While a write is in progress, the entry says so; the replaced version is not worth reporting. */
const UNDER_WAY: ReadonlySet<string> = new Set(["Pending", "Progressing"] satisfies ClusterStatusEntry["state"][]);

/** True if some copy has another version. A missing copy does not make the others old. */
function isOld(copies: readonly RowView[]): boolean {
  const compared = copies.filter(({ desiredHash }) => desiredHash !== undefined);
  return compared.length === 0 || compared.some(({ desiredHash, observedHash }) => desiredHash !== observedHash);
}

function hashOfObjects(objects: readonly DesiredObject[]): string | undefined {
  return objects.length === 0 ? undefined : hashOf(objects.map(({ hash }) => hash).toSorted());
}

/** A longer list of images would not help the reader. */
const MOST_IMAGES = 3;

interface WithImages {
  ref: ObjectRef;
  images?: readonly string[];
}

/** The order does not depend on which object was seen first. */
function inOrder(all: readonly WithImages[]): WithImages[] {
  const keyed = all.map((one) => ({ key: `${refKey(one.ref)} ${one.images?.join()}`, one }));
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ one }) => one);
}

function imageText(all: readonly WithImages[]): string | undefined {
  const withImages = all.filter(({ images = [] }) => images.length > 0);
  const listed = withImages.length < 2 ? withImages : inOrder(withImages);
  const images = [...new Set(listed.flatMap((one) => one.images ?? []))];
  if (images.length === 0 || images.length > MOST_IMAGES) return undefined;
  return shortName(images.join(", "), LONGEST_IMAGE);
}

type Counted = NonNullable<Running["versions"]>[number];

/** Maximum of listed desired versions; the versions that run instead get the rest of the list. */
const MOST_WANTED = MOST_VERSIONS / 2;

/** Summary of the versions on all clusters; undefined if none is known. `clusters`: number of clusters with the object. */
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

/** Share of the clusters that run another version; empty if all do. */
function shareText({ clusters, differing }: { clusters: number; differing: number }): string {
  return clusters === differing ? "" : ` on ${differing} of ${clusters}`;
}

function labelsOf(versions: readonly Counted[], isWanted: boolean): string {
  const [own, opposite] = [isWanted, !isWanted].map((is) => versions.filter(({ wanted = false }) => wanted === is));
  return namesText(own?.map((version) => labelOf(version, opposite ?? [])) ?? []);
}

/** The image, or the revision if there is no image or if the image is the same on both sides. */
function labelOf({ image, revision }: Version, opposite: readonly Version[]): string {
  const number = revision === undefined ? "another version" : `revision ${revision}`;
  if (image === undefined) return number;
  return opposite.some((other) => other.image === image) ? `${image} (${number})` : image;
}

export function runningThereText({ wanted, ...runs }: RunningThere): string {
  const isKnown = wanted.image !== undefined || wanted.revision !== undefined;
  return `${labelOf(runs, [wanted])}${isKnown ? `, wanted: ${labelOf(wanted, [runs])}` : ""}`;
}

/** For example `nginx:2 wanted, nginx:1 runs on 2 of 4: rollout paused`; undefined if all run the desired version. */
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

/** The state of the rollout; without an open rollout, the reasons of the differing clusters. */
function whyOf({ rollout, clusters = [] }: FederatedStatus): string {
  const word = rollout === undefined ? undefined : WORDS[rollout.state];
  if (word !== undefined) return word;
  return namesText([...new Set(clusters.flatMap(({ runs, reason = [] }) => (runs === undefined ? [] : reason)))]);
}
