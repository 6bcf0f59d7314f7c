/**
 * Certificates of the webhooks. They come from our own authority in a Secret, which is renewed with an overlap, or from
 * files that somebody else renews.
 *
 * Promises: the server shows no certificate before its clients could learn to trust it. This folder never writes a
 * configuration.
 */
export { bundleOf, certificatesIn, holdsAll } from "./bundle.ts";
export { FileCertificates } from "./files.ts";
export { DEFAULT_ROTATION } from "./rotation.ts";
export { SelfManagedCertificates } from "./selfManaged.ts";
export type { Certificates, CertificateSource } from "./types.ts";
