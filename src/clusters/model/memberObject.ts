import { type KubeObject, type ObjectRef, refKey } from "../../apis/index.ts";
import type { EndedRun, Failure, Observation, Row } from "../../desiredstate/index.ts";
import type { LostPlace, MemberReport, PodTrouble } from "../../interpreter/index.ts";
import type { Origin } from "../../observability/index.ts";
import type { EffectiveApply } from "./effectiveApply.ts";
import type { ObservedObject } from "./observed.ts";

/** What is told of a member object, with what its row asks for beyond that. */
export type FullReport = MemberReport & Pick<NonNullable<Observation["present"]>, "status" | "isStatusOld">;

/** What the comparison of a member object with a desired object has found. */
export interface Judgement {
  /** Of the desired object. */
  hash: string;
  /** Fields that are no longer ours, and that are put back. */
  lost: readonly LostPlace[];
  /** Fields that are no longer ours, and that are left to their owners. */
  yielded: readonly LostPlace[];
  /** Fields that are ours and have another value all the same. */
  altered: readonly string[];
  /** What an apply of now would send: the desired object and what the copy keeps beside it. */
  sent?: KubeObject;
  /** What the copy keeps has another value on the hub, or is gone there. */
  isStale?: boolean;
}

/** One member object: the row that stands for it, what was observed of it, and how writing it went. */
export interface MemberObject {
  readonly key: string;
  readonly ref: ObjectRef;
  /** As it was given. */
  given: Row | undefined;
  /** What the given row means for the member object as it was observed. Undefined: the member object is left alone. */
  row: Row | undefined;
  /** Of the last row, or withdrawal of a row, that was taken; 0 when there never was one. */
  revision: number;
  /** Of the plan that asked for the row. */
  origin: Origin | undefined;
  observed: ObservedObject | undefined;
  /** The life of the object that this worker removed, or let go of. */
  removed: string | undefined;
  /** The last life of the object that was seen, and is not there any more. */
  gone: string | undefined;
  /** It is certain that nothing of ours is there: our own removal was seen to its end, or the name was looked up. */
  isAbsent: boolean;
  /** It was seen, or a write of it may have been taken, and that nothing is left of it is not certain. */
  mayBeThere: boolean;
  /** Undefined until the observed object was judged. */
  judged: Judgement | undefined;
  /** Placeholders that another owner has replaced and that were put back, by {@link placeholderKey}: how often. */
  replaced: Map<string, number> | undefined;
  /** The apply of which every value was found on the member. */
  effective: EffectiveApply | undefined;
  failure: Failure | undefined;
  /** A write is under way: until the write has ended, nobody knows what is on the member. */
  writing: boolean;
  /** The last report said that a write was under way, so that the end of the write has to be reported as well. */
  reportedWriting: boolean;
  /**
   * The row was carried out: the member object was as it says, or was made so. Whatever is to be written for the same row after that puts
   * back what somebody did.
   */
  carriedOut: boolean;
  /** The work that a life of the member object does: known since the object was as a row with that `run` asks for. */
  run: { uid: string; hash: string } | undefined;
  /** The work of the row was seen at its end: kept when the object is gone, so that it is not made anew before the hub has the record. */
  ended: EndedRun | undefined;
  /** What the observed life of a dependency has refused to become, since a field cannot be changed. */
  refused: { uid: string; hashes: readonly string[] } | undefined;
  healed: Observation["healed"];
  /** Somebody undoes what is put back, and nobody knows yet whether the last time has lasted: the object does not count as in sync. */
  contested: Failure | undefined;
  /** What the pods of the observed workload say, while the workload is not healthy. */
  trouble: PodTrouble | undefined;
  /** What was told last of a life of the member object of which a row asks for more than is told of every one. */
  told: { uid: string; report: FullReport } | undefined;
}

/** A member object of which nothing is asked and nothing is known. */
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
    told: undefined,
  };
}
