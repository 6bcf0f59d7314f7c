import {
  type KubeObject,
  REVISION_ANNOTATION,
  REVISION_SUCCEEDED_ANNOTATION,
  type RolloutStatus,
} from "../../apis/index.ts";
import { CommandError } from "../outcome.ts";
import type { RevisionLine } from "./text.ts";

export function numberOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[REVISION_ANNOTATION] ?? 0);
}

/** When it was last rolled out to the end; undefined where it never was, or where that is not recorded. */
function succeededAt({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[REVISION_SUCCEEDED_ANNOTATION];
}

/** Pure. What each revision is: the one that is rolled out, the last good one, one that was good before. */
export function linesOf(revisions: readonly KubeObject[], status: RolloutStatus | undefined): RevisionLine[] {
  return revisions.map((one) => {
    const revision = numberOf(one);
    const isLastGood = revision === status?.lastGoodRevision;
    const is = [
      ...(revision === status?.revision ? [status.state] : []),
      ...(isLastGood ? ["last good"] : succeededAt(one) === undefined ? [] : ["good"]),
    ].join(", ");
    return { revision, createdAt: one.metadata.creationTimestamp ?? "", is };
  });
}

/**
 * Pure. The revision that was good last before the present one; of an object that came back to an earlier revision, that may be one with a higher
 * number. Throws {@link CommandError} where there is none, or none is known.
 */
export function goodBefore(
  called: string,
  revisions: readonly KubeObject[],
  status: RolloutStatus | undefined,
): number {
  const { revision, lastGoodRevision } = status ?? {};
  if (lastGoodRevision !== undefined && lastGoodRevision !== revision) return lastGoodRevision;
  const others = revisions.filter((one) => numberOf(one) !== revision);
  if (others.length === 0)
    throw new CommandError(`${called} has no earlier revision to go back to: apply its earlier manifest instead`);
  const [last] = others
    .flatMap((one) => {
      const at = succeededAt(one);
      return at === undefined ? [] : [{ number: numberOf(one), at: Date.parse(at) }];
    })
    .toSorted((a, b) => b.at - a.at || b.number - a.number);
  if (last !== undefined) return last.number;
  throw new CommandError(
    `no earlier revision of ${called} is known to have been good; \`meridian rollout history ${called}\` lists them: name one with --to-revision`,
  );
}
