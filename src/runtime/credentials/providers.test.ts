import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../testing/fakeClock.ts";
import { certificateFileCredentials, tokenFileCredentials } from "./providers.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "credentials-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

describe("a token in a file", () => {
  test("is read again after a minute, not at every request", async () => {
    const clock = new FakeClock();
    const file = join(folder(), "token");
    writeFileSync(file, "one\n");
    const credentials = tokenFileCredentials(file, clock);
    await expect(credentials.authorization()).resolves.toBe("Bearer one");
    writeFileSync(file, "another");
    await expect(credentials.authorization()).resolves.toBe("Bearer one");
    await clock.advance(60_000);
    await expect(credentials.authorization()).resolves.toBe("Bearer another");
  });

  test("is read again at once when the server refuses it", async () => {
    const file = join(folder(), "token");
    writeFileSync(file, "one");
    const credentials = tokenFileCredentials(file, new FakeClock());
    await credentials.authorization();
    expect(credentials.invalidate?.("Bearer one"), "the file still holds the refused one").toBe(false);
    writeFileSync(file, "two");
    expect(credentials.invalidate?.("Bearer one")).toBe(true);
    await expect(credentials.authorization()).resolves.toBe("Bearer two");
  });

  test("that is missing or empty is an error that names the file", async () => {
    const file = join(folder(), "token");
    await expect(tokenFileCredentials(file, new FakeClock()).authorization()).rejects.toMatchObject({
      reason: "Unavailable",
      message: `the token file ${file} cannot be read (ENOENT)`,
    });
    writeFileSync(file, "");
    await expect(tokenFileCredentials(file, new FakeClock()).authorization()).rejects.toThrow(
      `the token file ${file} is empty`,
    );
  });
});

describe("a client certificate in files", () => {
  test("stays the same value until the files change", async () => {
    const clock = new FakeClock();
    const path = folder();
    const [cert, key] = [join(path, "crt"), join(path, "key")];
    writeFileSync(cert, "C1");
    writeFileSync(key, "K1");
    const credentials = certificateFileCredentials(cert, key, clock);
    const first = await credentials.clientCertificate?.();
    expect(first).toEqual({ cert: "C1", key: "K1" });
    await clock.advance(60_000);
    expect(await credentials.clientCertificate?.()).toBe(first);
    writeFileSync(cert, "C2");
    writeFileSync(key, "K2");
    expect(credentials.invalidate?.(undefined)).toBe(true);
    expect(await credentials.clientCertificate?.()).toEqual({ cert: "C2", key: "K2" });
    expect(credentials.invalidate?.(undefined), "nothing new since").toBe(false);
  });
});
