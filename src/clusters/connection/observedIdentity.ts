import type { ConnectionSettings } from "../../ports/index.ts";
import { type IdentityClaim, type IdentityVerdict, judgeIdentity } from "../credentials/index.ts";

export interface ObservedIdentityOptions {
  /** Identity claims of all MemberClusters, including this one. */
  claims: () => Iterable<IdentityClaim>;
  /** Called when the claim of this cluster may have changed. */
  claimChanged: (cluster: string) => void;
}

/** Which cluster answers behind one MemberCluster, and which one it is by the record. */
export class ObservedIdentity {
  readonly #options: ObservedIdentityOptions;
  #settings: ConnectionSettings;
  /** UID in the status of the MemberCluster, by the last settings or the last answer. */
  #recordedUid: string | undefined;
  #observedUid: string | undefined;

  constructor(settings: ConnectionSettings, options: ObservedIdentityOptions) {
    this.#settings = settings;
    this.#recordedUid = settings.recordedUid;
    const { claims, claimChanged } = options;
    this.#options = { claims, claimChanged };
  }

  get claim(): IdentityClaim {
    const { cluster, connection, createdAt = "", acceptedUid } = this.#settings;
    return {
      ...{ cluster, local: connection.local !== undefined, createdAt, acceptedUid },
      recordedUid: this.#recordedUid,
      observedUid: this.#observedUid,
    };
  }

  update(settings: ConnectionSettings): void {
    this.#settings = settings;
    this.#recordedUid = settings.recordedUid;
  }

  get isObserved(): boolean {
    return this.#observedUid !== undefined;
  }

  /** A cluster with this UID has answered. */
  observe(uid: string): void {
    if (this.#observedUid === uid) return;
    this.#observedUid = uid;
    this.#options.claimChanged(this.#settings.cluster);
  }

  /** Another cluster may answer from now on. */
  forget(): void {
    this.#observedUid = undefined;
  }

  /** The UID was written to the status of the MemberCluster. */
  recorded(uid: string): void {
    this.#recordedUid = uid;
    this.#options.claimChanged(this.#settings.cluster);
  }

  /** True if the cluster is accepted, and its UID is not in the status of the MemberCluster yet. */
  isToRecord(uid: string): boolean {
    return this.judge().kind === "Accepted" && this.#recordedUid !== uid;
  }

  judge(): IdentityVerdict {
    return judgeIdentity(this.claim, this.#options.claims());
  }
}
