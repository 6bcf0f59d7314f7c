import type { CertifiedKey } from "../../certificates/index.ts";

/** Certificate that the server shows, and the authorities that its callers have to trust. */
export interface Certificates {
  serving: CertifiedKey;
  /** PEM. Undefined: whoever provides the files also sets up the trust. */
  bundle: string | undefined;
}

export interface CertificateSource {
  /**
   * Keeps certificates until the signal, and hands each new set to `use`. A set is in use when the promise of `use`
   * settles. Until then the former set stays in use.
   */
  run(use: (certificates: Certificates) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Tells the source that every configuration holds this bundle now. */
  published(bundle: string): void;
}
