/** A document with credentials of a member, such as a Secret of the hub. Never log it. */
export interface MemberSecret {
  name: string;
  resourceVersion: string;
  annotations: Record<string, string>;
  /** Base64. */
  data: Record<string, string>;
}

/** Where the members' credentials are kept: Secrets of the hub. */
export interface CredentialStore {
  /** Follows the store until the signal. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when {@link get} knows every Secret; rejects with the signal's reason. */
  waitForSync(signal: AbortSignal): Promise<void>;
  /** Calls the handler with the name of each Secret that was created, changed or deleted. */
  onChange(handler: (name: string) => void): Disposable;
  /** From memory. The value is identical while the Secret has not changed. */
  get(name: string): MemberSecret | undefined;
  /** Reads a Secret that {@link get} lacks. Afterwards `get` has the Secret, if it exists. */
  lookUp(name: string, signal: AbortSignal): Promise<MemberSecret | undefined>;
  /**
   * Stores the annotations and data of a renewed Secret; other entries stay. `Conflict`: the Secret has another
   * resourceVersion by now, and nothing was stored.
   */
  renew(renewed: MemberSecret, signal: AbortSignal): Promise<"Stored" | "Conflict">;
}
