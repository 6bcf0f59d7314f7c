import {
  CLUSTERRESOURCEBINDINGS,
  DEMOAPPLICATIONS,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  RESOURCEBINDINGS,
} from "../../src/runtime/index.ts";
import type { TestCluster } from "../integration/federation/testCluster.ts";
import type { Decision } from "./pipeline.ts";

/** What can be seen of a play. */
export interface Scenery {
  readonly hub: TestCluster;
  readonly members: ReadonlyMap<string, TestCluster>;
  /** Monotonic milliseconds. */
  readonly now: number;
  /** Milliseconds since the log began. */
  readonly sinceStart: number;
  /** Decisions that the log has told. */
  decisions(): Decision[];
  /** Decisions about the hub object as they are at this moment. */
  decisionsNow(owner: string): Decision[];
  /** Decisions about every hub object as they are at this moment. */
  everyDecisionNow(): Decision[];
}

/** Kinds on the hub whose statuses a log tells. */
export const WITH_STATUS = [
  DEMOAPPLICATIONS,
  RESOURCEBINDINGS,
  CLUSTERRESOURCEBINDINGS,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
];
