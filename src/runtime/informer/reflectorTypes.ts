import type { KubeObject } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import { type Clock } from "../core/index.ts";
import { type Selection } from "../client/index.ts";

export interface ReflectorOptions extends Selection {
  clock: Clock;
  logger: Logger;
  /** Gives numbers in [0, 1). Default: Math.random. */
  random?: () => number;
  /**
   * Called with `true` when the server answers, and then at most once a second while events come. Called with `false`
   * and the error when a request or a stream fails. An ApiError means that the server was reached and refused.
   */
  onContact?: (ok: boolean, error?: unknown) => void;
  /**
   * Maximum pause between attempts after a 403, in milliseconds; read before each pause. Default: the maximum for
   * other failures, which is shorter and suits only a few selections.
   */
  refusedPauseMs?: () => number;
}

/**
 * Event of a selection of objects. Between SnapshotStarted and SnapshotEnded the objects of a consistent state come
 * one by one. If a snapshot breaks off, another SnapshotStarted follows. After the snapshot come the changes, in the
 * order of their resourceVersions.
 */
export type ReflectorEvent =
  /**
   * `afresh`: the server may have gone back to an earlier state (it was restored from a backup). Known objects say
   * nothing about this snapshot.
   */
  | { type: "SnapshotStarted"; afresh: boolean }
  /** `bytes`: approximate size over the wire. */
  | { type: "Changed"; object: KubeObject; bytes: number }
  | { type: "Deleted"; object: KubeObject }
  /** `wentBack`: the server is at an earlier state than it showed before. */
  | { type: "SnapshotEnded"; resourceVersion: string; wentBack: boolean }
  /** Every change of the selection up to this version is known. */
  | { type: "Progressed"; resourceVersion: string };
