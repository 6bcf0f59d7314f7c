import type { CertifiedKey } from "../../certificates/index.ts";

/** What the server shows, and what its callers have to trust. */
export interface Certificates {
  serving: CertifiedKey;
  /** PEM. Undefined: whoever provides the files also sets up the trust. */
  bundle: string | undefined;
}

export interface CertificateSource {
  /** Hands each new set to `use`, until the signal. The former set stays in use until the promise of `use` settles. */
  run(use: (certificates: Certificates) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Every configuration holds this bundle now. */
  published(bundle: string): void;
}
