import { type KubeObject, type ObjectRef, refKey } from "../../apis/index.ts";
import type { EndedRun, Failure, Observation, Row } from "../../desiredstate/index.ts";
import type { LostPlace, MemberReport, PodTrouble } from "../../interpreter/index.ts";
import type { Origin } from "../../observability/index.ts";
import type { EffectiveApply } from "./effectiveApply.ts";
import type { ObservedObject } from "./observed.ts";

/** Report of a member object, extended by the fields that its row's `reporting` asks for. */
export type FullReport = MemberReport & Pick<NonNullable<Observation["present"]>, "status" | "isStatusOld">;

/** Result of the comparison of a member object with a desired object. */
export interface Judgement {
  /** Hash of the desired object. */
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

/** One member object: its row, its observed state, and the results of its writes. */
export interface MemberObject {
  readonly key: string;
  readonly ref: ObjectRef;
  /** Row as the hub sent it. */
  given: Row | undefined;
  /** Row in effect, chosen from `given` by the observed owner. Undefined: the member object is left alone. */
  row: Row | undefined;
  /** Revision of the last row, or withdrawal of a row, that was taken; 0 when there was none. */
  revision: number;
  /** Origin of the plan that asked for the row. */
  origin: Origin | undefined;
  observed: ObservedObject | undefined;
  /** UID of the object that this worker deleted or released. */
  removed: string | undefined;
  /** UID of the last observed object that has disappeared. */
  gone: string | undefined;
  /**
   * The member certainly holds no such object of ours: our own removal was seen to finish, or a read by name found
   * none.
   */
  isAbsent: boolean;
  /** The object was seen, or a write may have created it, and its absence has not been confirmed since. */
  mayBeThere: boolean;
  /** Undefined until the observed object was judged. */
  judged: Judgement | undefined;
  /** How often a placeholder that another owner had replaced was put back, by {@link placeholderKey}. */
  replaced: Map<string, number> | undefined;
  /** Last apply whose every value was found on the member. */
  effective: EffectiveApply | undefined;
  failure: Failure | undefined;
  /** A write is under way. The state on the member is unknown until the write has ended. */
  writing: boolean;
  /** The last report said `writing`, so the end of the write has to be reported too. */
  reportedWriting: boolean;
  /** The member object has matched the row at least once. Any later write for the same row corrects drift. */
  carriedOut: boolean;
  /** Run that the object with this UID executes; set when the object matched a row with that `run`. */
  run: { uid: string; hash: string } | undefined;
  /**
   * End of the row's run. Kept after the object is gone, so that the object is not created again before the hub has
   * recorded the end.
   */
  ended: EndedRun | undefined;
  /** Hashes of desired states that the dependency with this UID refused because of an immutable field. */
  refused: { uid: string; hashes: readonly string[] } | undefined;
  healed: Observation["healed"];
  /**
   * Another writer keeps undoing drift corrections. The object does not count as in sync until a correction has lasted.
   */
  contested: Failure | undefined;
  /** Trouble found in the pods of an unhealthy workload. */
  trouble: PodTrouble | undefined;
  /** Last extended report for this UID; only for rows with `reporting`. */
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
