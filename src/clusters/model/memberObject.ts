import { type KubeObject, type ObjectRef, refKey } from "../../apis/index.ts";
import type { EndedRun, Failure, Observation, Row } from "../../desiredstate/index.ts";
import type { LostPlace, MemberReport, PodTrouble } from "../../interpreter/index.ts";
import type { Origin } from "../../observability/index.ts";
import type { ObservedObject } from "./observed.ts";

/** Report of a member object, with the fields that its row's `reporting` asks for. */
export type FullReport = MemberReport & Pick<NonNullable<Observation["present"]>, "status" | "isStatusOld">;

/** Result of the comparison of a member object with a desired object. */
export interface Judgement {
  hash: string;
  /** Fields that we no longer own and that the next apply takes back. */
  lost: readonly LostPlace[];
  /** Fields that we no longer own and that stay with their new owners. */
  yielded: readonly LostPlace[];
  /** Fields that we own but whose value differs from the desired one. */
  altered: readonly string[];
  /** Object that an apply would send now: the desired object and the fields that the copy keeps in addition. */
  sent?: KubeObject;
  /** A field that the copy keeps has changed or was removed on the hub. */
  isStale?: boolean;
}

/**
 * An apply of ours whose every value was found on the member. Any other writer of a value becomes its owner, so later
 * writes of others need no second comparison of values.
 */
export interface EffectiveApply {
  uid: string;
  hash: string;
  /** Time of the apply in `managedFields`, with a resolution of one second. */
  appliedAt: string;
}

/** One member object: its row, its observed state, and the results of its writes. */
export interface MemberObject {
  readonly key: string;
  readonly ref: ObjectRef;
  given: Row | undefined;
  /** Row in effect, chosen from `given` by the observed owner. */
  row: Row | undefined;
  /** Revision of the last row or withdrawal; 0 when there was none. */
  revision: number;
  origin: Origin | undefined;
  /** The row goes behind changes, see `RowDelta`. */
  isBacklog: boolean;
  observed: ObservedObject | undefined;
  /** UID that this worker deleted or released. */
  removed: string | undefined;
  /** UID of the last object that has disappeared. */
  gone: string | undefined;
  /** Our own removal was seen to finish, or a read by name found no object of ours. */
  isAbsent: boolean;
  /** The object was seen, or a write may have created it, and its absence has not been confirmed since. */
  mayBeThere: boolean;
  /** Undefined until the observed object was judged. */
  judged: Judgement | undefined;
  /** How often a replaced placeholder was put back, by `placeholderKey`. */
  replaced: Map<string, number> | undefined;
  /** Last apply whose every value was found on the member. */
  effective: EffectiveApply | undefined;
  failure: Failure | undefined;
  /** A write is under way, so the state on the member is unknown. */
  writing: boolean;
  /** The last report said `writing`, so the end has to be reported too. */
  reportedWriting: boolean;
  /** The object has matched the row, so any later write for the same row corrects drift. */
  carriedOut: boolean;
  /** Run that the object with this UID executes. */
  run: { uid: string; hash: string } | undefined;
  /** End of the row's run, kept so that the object is not created again before the hub has recorded it. */
  ended: EndedRun | undefined;
  /** Hashes that the dependency with this UID refused because of an immutable field. */
  refused: { uid: string; hashes: readonly string[] } | undefined;
  healed: Observation["healed"];
  /** Another writer keeps undoing drift corrections. The object is not in sync until a correction has lasted. */
  contested: Failure | undefined;
  /** Found in the pods of an unhealthy workload. */
  trouble: PodTrouble | undefined;
  /** Only for rows with `reporting`. */
  lastReport: { uid: string; report: FullReport } | undefined;
}

/** Member object without a row and without an observation. */
export function newMemberObject(ref: ObjectRef): MemberObject {
  return {
    key: refKey(ref),
    ref,
    given: undefined,
    row: undefined,
    revision: 0,
    origin: undefined,
    isBacklog: false,
    observed: undefined,
    removed: undefined,
    gone: undefined,
    isAbsent: false,
    mayBeThere: false,
    judged: undefined,
    replaced: undefined,
    effective: undefined,
    failure: undefined,
    writing: false,
    reportedWriting: false,
    carriedOut: false,
    run: undefined,
    ended: undefined,
    refused: undefined,
    healed: undefined,
    contested: undefined,
    trouble: undefined,
    lastReport: undefined,
  };
}
