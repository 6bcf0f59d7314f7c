import type { CertifiedKey } from "../../certificates/index.ts";

/** What the server shows, and what its callers are to trust for that. */
export interface Certificates {
  serving: CertifiedKey;
  /** PEM. Undefined: whoever brings the files sees to what is trusted. */
  bundle: string | undefined;
}

/** Where certificates come from. */
export interface CertificateSource {
  /**
   * Keeps certificates until the signal, and hands over each new set. A set is in use when the promise is settled; until then the one
   * before stays.
   */
  run(use: (certificates: Certificates) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Every configuration holds this bundle now. */
  published(bundle: string): void;
}
