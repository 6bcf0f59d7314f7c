import { CertificateAuthority } from "../../certificates/index.ts";

/** Certificates for tests of TLS on loopback. */
const now = Date.now();
const authority = await CertificateAuthority.create({ name: "Meridian test only ca", now });

async function issued(name: string, ...hosts: string[]): Promise<{ cert: string; key: string }> {
  const { certPem, keyPem } = await authority.issue({ name, hosts, now });
  return { cert: certPem, key: keyPem };
}

/** Authority that signed the certificates below. */
export const CA = authority.caPem;
/** Authority that signed no other certificate. */
export const OTHER_CA = (await CertificateAuthority.create({ name: "Meridian test only other", now })).caPem;
export const SERVER = await issued("test only server", "localhost", "api.test.example", "127.0.0.1", "::1");
/** Server certificate for another host. */
export const ELSEWHERE_SERVER = await issued("test only elsewhere", "elsewhere.example");
export const CLIENT = await issued("test-user", "test-user");
export const SECOND_CLIENT = await issued("test-user-2", "test-user-2");
