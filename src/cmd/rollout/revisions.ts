import type { FederatedStatus, KeptRevision, KubeObject, RolloutStatus } from "../../apis/index.ts";
import { provenRevision, type ReadRevision } from "../../hub/index.ts";
import { CommandError } from "../shared/index.ts";
import type { RevisionLine } from "./text.ts";

/** A revision of the index, and what the hub has of it. */
export interface FoundRevision {
  kept: KeptRevision;
  createdAt: string;
  read: ReadRevision;
}

/** Pure. `found`: undefined where the hub has no ControllerRevision of that name. */
export function foundRevision(kept: KeptRevision, found: KubeObject | undefined): FoundRevision {
  return { kept, createdAt: found?.metadata.creationTimestamp ?? "", read: provenRevision(kept, found) };
}

/** Pure. What each revision is: the one that is rolled out, the last good one, one that was good before; and by `whole` how many clusters run it. */
export function linesOf(
  revisions: readonly FoundRevision[],
  status: RolloutStatus | undefined,
  whole: FederatedStatus = {},
): RevisionLine[] {
  return revisions.map(({ kept: { revision, succeededAt }, createdAt, read }) => {
    const isLastGood = revision === status?.lastGoodRevision;
    const is = [
      ...(revision === status?.revision ? [stateText(status)] : []),
      ...(isLastGood ? ["last good"] : succeededAt === undefined ? [] : ["good"]),
      ...(read.kind === "Unusable" ? [`not usable: ${read.why.message}`] : []),
    ].join(", ");
    const clusters = clustersOn(revision, status, whole);
    const image = read.kind === "Proven" ? imagesOf(read.content.object) : "";
    return { revision, createdAt, image, ...(clusters === undefined ? {} : { clusters }), is };
  });
}

/** By the status, which lists versions only while some cluster runs what is not wanted there. Undefined where nobody can tell. */
function clustersOn(
  revision: number,
  run: RolloutStatus | undefined,
  { runs, availableClusters }: FederatedStatus,
): number | undefined {
  if (runs?.versions !== undefined)
    return runs.versions.reduce((sum, one) => (one.revision === revision ? sum + one.clusters : sum), 0);
  const all = Number.parseInt(availableClusters?.split("/")[1] ?? "", 10);
  if (run?.state !== "Succeeded" || Number.isNaN(all)) return undefined;
  return run.revision === revision ? all : 0;
}

/** The cause of what has stopped or was taken back comes along. */
function stateText({ state, reason = "", message = "" }: RolloutStatus): string {
  const why = [reason, message].filter(Boolean).join(": ");
  return why === "" || !STOPPED.has(state) ? state : `${state} (${why})`;
}

const STOPPED: ReadonlySet<RolloutStatus["state"]> = new Set(["Paused", "RolledBack"]);

interface Imaged {
  image?: unknown;
  template?: { spec?: { containers?: { image?: unknown }[] } };
}

/** Of an application its image, of a workload those of its containers. */
function imagesOf(object: KubeObject): string {
  const { image, template } = (object["spec"] ?? {}) as Imaged;
  const all = image === undefined ? (template?.spec?.containers ?? []).map((container) => container.image) : [image];
  return all.filter((one) => typeof one === "string").join(", ");
}

/**
 * Pure. The revision that was good last before the present one; of an object that came back to an earlier revision, that may be one with a higher
 * number. Throws {@link CommandError} where there is none, or none is known.
 */
export function goodBefore(called: string, status: RolloutStatus | undefined): number {
  const { revision, lastGoodRevision, revisions = [] } = status ?? {};
  if (lastGoodRevision !== undefined && lastGoodRevision !== revision) return lastGoodRevision;
  const others = revisions.filter((one) => one.revision !== revision);
  if (others.length === 0)
    throw new CommandError(`${called} has no earlier revision to go back to: apply its earlier manifest instead`);
  const [last] = others
    .flatMap(({ revision: number, succeededAt: at }) => (at === undefined ? [] : [{ number, at: Date.parse(at) }]))
    .toSorted((a, b) => b.at - a.at || b.number - a.number);
  if (last !== undefined) return last.number;
  throw new CommandError(
    `no earlier revision of ${called} is known to be good; \`meridian rollout history ${called}\` lists the revisions: choose one with --to-revision`,
  );
}
