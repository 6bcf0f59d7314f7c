import "reflect-metadata";
import { createPrivateKey, randomBytes, webcrypto } from "node:crypto";
import { isIP } from "node:net";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** Both PEM; the key is PKCS #8. */
export interface CertifiedKey {
  certPem: string;
  keyPem: string;
}

export interface AuthorityOptions {
  name: string;
  /** Epoch milliseconds. */
  now: number;
  days?: number;
}

export interface ServerCertificateOptions {
  name: string;
  /** DNS names and IP addresses; at least one. */
  hosts: readonly string[];
  /** Epoch milliseconds. */
  now: number;
  /** Never beyond the authority's. */
  days?: number;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY = 86_400_000;
/** Clocks of other machines may be behind. */
const BACKDATED = 3_600_000;

/** Signs server certificates. A client that trusts `caPem` trusts these certificates. */
export class CertificateAuthority {
  /** PEM, for a kubeconfig or a `caBundle`. */
  readonly caPem: string;
  readonly #keyPem: string;
  readonly #certificate: X509Certificate;
  readonly #key: webcrypto.CryptoKey;

  private constructor(certificate: X509Certificate, key: webcrypto.CryptoKey, pem: CertifiedKey) {
    this.#certificate = certificate;
    this.#key = key;
    this.caPem = pem.certPem;
    this.#keyPem = pem.keyPem;
  }

  static async create({ name, now, days = 3650 }: AuthorityOptions): Promise<CertificateAuthority> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.create(
      {
        serialNumber: serialNumber(),
        subject: [{ CN: [name] }],
        issuer: [{ CN: [name] }],
        notBefore: new Date(now - BACKDATED),
        notAfter: new Date(now + days * DAY),
        signingAlgorithm: ALGORITHM,
        publicKey: keys.publicKey,
        signingKey: keys.privateKey,
        extensions: [
          new BasicConstraintsExtension(true, undefined, true),
          new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
          await SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
        ],
      },
      webcrypto,
    );
    return new CertificateAuthority(certificate, keys.privateKey, {
      certPem: pemOf(certificate),
      keyPem: await keyPemOf(keys.privateKey),
    });
  }

  /** Throws when key and certificate do not belong together. */
  static async load(pem: CertifiedKey): Promise<CertificateAuthority> {
    const certificate = new X509Certificate(pem.certPem);
    const der = createPrivateKey(pem.keyPem).export({ type: "pkcs8", format: "der" });
    const key = await webcrypto.subtle.importKey("pkcs8", der, ALGORITHM, true, ["sign"]);
    const probe = randomBytes(32);
    const signature = await webcrypto.subtle.sign(ALGORITHM, key, probe);
    const publicKey = await certificate.publicKey.export(ALGORITHM, ["verify"], webcrypto);
    if (!(await webcrypto.subtle.verify(ALGORITHM, publicKey, signature, probe))) {
      throw new Error("the private key does not belong to the certificate of the authority");
    }
    return new CertificateAuthority(certificate, key, pem);
  }

  toPem(): CertifiedKey {
    return { certPem: this.caPem, keyPem: this.#keyPem };
  }

  /** With a new key. Throws when no host is named. */
  async issue({ name, hosts, now, days = 365 }: ServerCertificateOptions): Promise<CertifiedKey> {
    if (hosts.length === 0) throw new Error(`the certificate for ${name} names no host`);
    const keys = await newKeys();
    const end = Math.min(now + days * DAY, this.#certificate.notAfter.getTime());
    const certificate = await X509CertificateGenerator.create(
      {
        serialNumber: serialNumber(),
        subject: [{ CN: [name] }],
        issuer: this.#certificate.subjectName,
        notBefore: new Date(now - BACKDATED),
        notAfter: new Date(end),
        signingAlgorithm: ALGORITHM,
        publicKey: keys.publicKey,
        signingKey: this.#key,
        extensions: [
          new BasicConstraintsExtension(false, undefined, true),
          new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
          new SubjectAlternativeNameExtension(
            hosts.map((host) => ({ type: isIP(host) === 0 ? ("dns" as const) : ("ip" as const), value: host })),
          ),
          await AuthorityKeyIdentifierExtension.create(this.#certificate, false, webcrypto),
        ],
      },
      webcrypto,
    );
    return { certPem: pemOf(certificate), keyPem: await keyPemOf(keys.privateKey) };
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}

function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString("pem")}\n`;
}

async function keyPemOf(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key));
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" })
    .export({ type: "pkcs8", format: "pem" })
    .toString();
}

/** Positive, 127 bits. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes.readUInt8(0) & 0x7f) | 0x40;
  return bytes.toString("hex");
}
