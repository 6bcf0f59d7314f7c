import "reflect-metadata";
import { randomBytes, webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const HOUR = 3_600_000;

export interface ClientKey {
  cert: string;
  key: string;
}

export interface ClientAuthority {
  pem: string;
  issue(commonName: string, organizations?: string[], expired?: boolean): Promise<ClientKey>;
}

/** An authority of client certificates. */
export async function clientAuthority(name: string): Promise<ClientAuthority> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.create(
    {
      ...validity(),
      subject: [{ CN: [name] }],
      issuer: [{ CN: [name] }],
      publicKey: keys.publicKey,
      signingKey: keys.privateKey,
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    },
    webcrypto,
  );
  return {
    pem: pemOf(certificate),
    async issue(commonName, organizations = [], expired = false) {
      const own = await newKeys();
      const client = await X509CertificateGenerator.create(
        {
          ...validity(expired ? -HOUR / 2 : HOUR),
          subject: [{ CN: [commonName] }, ...organizations.map((one) => ({ O: [one] }))],
          issuer: certificate.subjectName,
          publicKey: own.publicKey,
          signingKey: keys.privateKey,
          extensions: [
            new BasicConstraintsExtension(false, undefined, true),
            new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
          ],
        },
        webcrypto,
      );
      const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", own.privateKey)).toString("base64");
      return { cert: pemOf(client), key: `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n` };
    },
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}

function validity(ms = HOUR) {
  const now = Date.now();
  return {
    serialNumber: `4${randomBytes(7).toString("hex")}`,
    notBefore: new Date(now - HOUR),
    notAfter: new Date(now + ms),
    signingAlgorithm: ALGORITHM,
  };
}

function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString("pem")}\n`;
}
