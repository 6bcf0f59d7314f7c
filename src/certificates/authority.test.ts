import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CertificateAuthority } from "./index.ts";

const NOW = Date.UTC(2026, 10, 21);
const DAY = 86_400_000;

describe("a certificate authority", () => {
  test("signs certificates for exactly the hosts that were asked for", async () => {
    const authority = await CertificateAuthority.create({ name: "test authority", now: NOW });
    const { certPem } = await authority.issue({ name: "hub", hosts: ["localhost", "127.0.0.1", "::1"], now: NOW });
    const certificate = new X509Certificate(certPem);
    const ca = new X509Certificate(authority.caPem);

    const other = await authority.issue({ name: "hub", hosts: ["localhost"], now: NOW });
    expect(certificate.serialNumber).not.toBe(new X509Certificate(other.certPem).serialNumber);
    expect(certificate.verify(ca.publicKey)).toBe(true);
    expect(certificate.checkHost("localhost")).toBe("localhost");
    expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(certificate.checkIP("::1")).toBe("::1");
    expect(certificate.checkHost("example.com")).toBeUndefined();
    expect(certificate.ca).toBe(false);
    expect(ca.ca).toBe(true);
  });

  test("never signs beyond its own end", async () => {
    const authority = await CertificateAuthority.create({ name: "test authority", now: NOW, days: 10 });
    const { certPem } = await authority.issue({ name: "hub", hosts: ["localhost"], now: NOW, days: 30 });
    expect(new X509Certificate(certPem).validToDate.getTime()).toBe(NOW + 10 * DAY);
  });

  test("refuses a certificate without a host", async () => {
    const authority = await CertificateAuthority.create({ name: "test authority", now: NOW });
    await expect(authority.issue({ name: "hub", hosts: [], now: NOW })).rejects.toThrow("names no host");
  });

  test("goes on signing after it was written down and taken up again", async () => {
    const authority = await CertificateAuthority.create({ name: "test authority", now: NOW });
    const again = await CertificateAuthority.load(authority.toPem());
    const { certPem } = await again.issue({ name: "hub", hosts: ["localhost"], now: NOW });
    expect(again.caPem).toBe(authority.caPem);
    expect(new X509Certificate(certPem).verify(new X509Certificate(authority.caPem).publicKey)).toBe(true);
  });

  test("refuses to be taken up with a foreign key", async () => {
    const [one, other] = await Promise.all([
      CertificateAuthority.create({ name: "one", now: NOW }),
      CertificateAuthority.create({ name: "other", now: NOW }),
    ]);
    const mixed = { certPem: one.caPem, keyPem: other.toPem().keyPem };
    await expect(CertificateAuthority.load(mixed)).rejects.toThrow("does not belong");
  });
});
