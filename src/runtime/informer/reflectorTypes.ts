import type { KubeObject } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import { type Clock } from "../core/index.ts";
import { type Selection } from "../client/index.ts";

export interface ReflectorOptions extends Selection {
  clock: Clock;
  logger: Logger;
  /** Gives numbers in [0, 1). Default: Math.random. */
  random?: () => number;
  /** `true`: the server answers (told at most once a second); `false`: a request or a stream failed. */
  onContact?: (ok: boolean, error?: unknown) => void;
  /** Maximum pause after a 403. The maximum for other failures is shorter, and suits only a few selections. */
  refusedPauseMs?: () => number;
}

/**
 * Between SnapshotStarted and SnapshotEnded the objects of a consistent state come one by one, and after that the
 * changes, in order. If a snapshot breaks off, another SnapshotStarted follows.
 */
export type ReflectorEvent =
  /** `afresh`: the server may have gone back (restored from a backup), so known objects say nothing. */
  | { type: "SnapshotStarted"; afresh: boolean }
  /** `bytes`: approximate size over the wire. */
  | { type: "Changed"; object: KubeObject; bytes: number }
  | { type: "Deleted"; object: KubeObject }
  /** `wentBack`: the server is at an earlier state than it showed before. */
  | { type: "SnapshotEnded"; resourceVersion: string; wentBack: boolean }
  /** Every change of the selection up to this version is known. */
  | { type: "Progressed"; resourceVersion: string };
