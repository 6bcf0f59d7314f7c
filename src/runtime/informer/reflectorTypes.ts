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
   * Called with `true` when the server has answered and then at most once a second while events come, `false` with the error when a
   * request or a stream failed. An ApiError means that the server was reached and refused.
   */
  onContact?: (ok: boolean, error?: unknown) => void;
  /**
   * The longest pause between attempts while they are refused for lack of rights (403), in milliseconds; asked each time. By default
   * that of any other failure: shorter, and fit for a few selections only.
   */
  refusedPauseMs?: () => number;
}

/**
 * What happens to a selection of objects. Between SnapshotStarted and SnapshotEnded the objects of a consistent state come one by one;
 * a snapshot that breaks off is followed by another SnapshotStarted. Afterwards come the changes, in the order of their
 * resourceVersions.
 */
export type ReflectorEvent =
  /** `afresh`: the server went back to an earlier state (it was restored from a backup), or may have. What was known before says nothing of this one. */
  | { type: "SnapshotStarted"; afresh: boolean }
  /** `bytes`: about so many came over the wire. */
  | { type: "Changed"; object: KubeObject; bytes: number }
  | { type: "Deleted"; object: KubeObject }
  /** `wentBack`: the server is at an earlier state than it showed before. */
  | { type: "SnapshotEnded"; resourceVersion: string; wentBack: boolean }
  /** Nothing that was selected changed up to here. */
  | { type: "Progressed"; resourceVersion: string };
