import {
  defined,
  type FederatedStatus,
  fullMessage,
  type KeptRevision,
  type KubeObject,
  type RolloutStatus,
} from "../../apis/index.ts";
import { provenRevision, type ReadRevision } from "../../hub/index.ts";
import { CommandError } from "../shared/index.ts";
import type { RevisionLine } from "./text.ts";

export interface FoundRevision {
  kept: KeptRevision;
  createdAt: string;
  read: ReadRevision;
}

/** Pure. `found`: undefined if the hub has no ControllerRevision with this name. */
export function foundRevision(kept: KeptRevision, found: KubeObject | undefined): FoundRevision {
  return { kept, createdAt: found?.metadata.creationTimestamp ?? "", read: provenRevision(kept, found) };
}

/** `whole` gives the number of clusters that run each revision. */
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
      ...(read.kind === "Unusable" ? [`not usable: ${fullMessage(read.why.message)}`] : []),
    ].join(", ");
    const clusters = clustersOn(revision, status, whole);
    const image = read.kind === "Proven" ? imagesOf(read.content.object) : "";
    return { revision, createdAt, image, ...defined({ clusters }), is };
  });
}

/** Undefined if the status does not say. It lists versions only while some cluster runs another than wanted. */
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

/** The state; with the cause if the rollout has paused or was rolled back. */
function stateText({ state, reason = "", message = "" }: RolloutStatus): string {
  const why = [reason, message].filter(Boolean).join(": ");
  return why === "" || !STOPPED.has(state) ? state : `${state} (${why})`;
}

const STOPPED: ReadonlySet<RolloutStatus["state"]> = new Set(["Paused", "RolledBack"]);

interface Imaged {
  image?: unknown;
  template?: { spec?: { containers?: { image?: unknown }[] } };
}

/** The image of an application, or the images of a workload's containers. */
function imagesOf(object: KubeObject): string {
  const { image, template } = (object["spec"] ?? {}) as Imaged;
  const all = image === undefined ? (template?.spec?.containers ?? []).map((container) => container.image) : [image];
  return all.filter((one) => typeof one === "string").join(", ");
}

/**
 * The last good revision before the present one; its number may be higher if the object came back to an earlier one.
 * Throws {@link CommandError} if none is known.
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
