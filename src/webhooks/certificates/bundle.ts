import { createHash, X509Certificate } from "node:crypto";

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM text, each once, in order. Other parts of the text are left out. */
export function certificatesIn(pem: string): string[] {
  const found = new Map<string, string>();
  for (const [block] of pem.matchAll(BLOCK)) {
    const certificate = parse(block);
    if (certificate !== undefined) found.set(fingerprintOf(certificate), `${block.trim()}\n`);
  }
  return [...found.values()];
}

/** One PEM text with each certificate once, the same for any order of the input. */
export function bundleOf(pems: readonly string[]): string {
  return certificatesIn(pems.join("\n"))
    .map((pem) => ({ pem, id: identify(pem) }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ pem }) => pem)
    .join("");
}

export function holdsAll(bundle: string, wanted: string): boolean {
  const present = new Set(certificatesIn(bundle).map(identify));
  return certificatesIn(wanted).every((pem) => present.has(identify(pem)));
}

/** SHA-256 of a certificate, for comparisons and logs. Throws for a text that is no certificate. */
export function identify(pem: string): string {
  return fingerprintOf(new X509Certificate(pem));
}

/** Epoch milliseconds. */
export function endOf(pem: string): number {
  return new X509Certificate(pem).validToDate.getTime();
}

/** Epoch milliseconds. */
export function beginOf(pem: string): number {
  return new X509Certificate(pem).validFromDate.getTime();
}

function fingerprintOf(certificate: X509Certificate): string {
  return createHash("sha256").update(certificate.raw).digest("hex");
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    // The block has the marks of a certificate and holds none. Nobody can trust anything by it, so it is skipped.
    return undefined;
  }
}
