/**
 * Certificates of the webhooks: an authority of our own in a Secret, renewed with an overlap, or files that somebody else renews. Promises
 * that nobody is shown a certificate which it could not have learnt to trust. Never writes a configuration.
 */
export { bundleOf, certificatesIn, holdsAll } from "./bundle.ts";
export { FileCertificates } from "./files.ts";
export { DEFAULT_ROTATION } from "./rotation.ts";
export { SelfManagedCertificates } from "./selfManaged.ts";
export type { Certificates, CertificateSource } from "./types.ts";
