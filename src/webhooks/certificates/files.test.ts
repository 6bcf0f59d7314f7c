import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { CertificateAuthority } from "../../certificates/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { systemClock } from "../../runtime/index.ts";
import { FileCertificates } from "./files.ts";
import type { Certificates } from "./types.ts";

test("certificates that are not there yet are waited for, which is said once and without a stack", async () => {
  const folder = await mkdtemp(join(tmpdir(), "meridian-certificates-"));
  const { logger, lines } = logLines();
  const used: Certificates[] = [];
  const end = new AbortController();
  const source = new FileCertificates({ folder, clock: systemClock, logger });
  const running = source.run(async (certificates) => void used.push(certificates), end.signal);
  onTestFinished(async () => {
    end.abort(new Error("the test is over"));
    await running;
    await rm(folder, { recursive: true });
  });
  await vi.waitFor(() => expect(lines).toHaveLength(1));
  expect(lines[0]).toMatchObject({ level: "warn", event_reason: "WebhookCertificatesAwaited", folder });
  expect(lines[0]).not.toHaveProperty("stack_trace");

  const now = Date.now();
  const authority = await CertificateAuthority.create({ name: "ours", now });
  const { certPem, keyPem } = await authority.issue({ name: "webhook", hosts: ["127.0.0.1"], now });
  await writeFile(join(folder, "tls.crt"), certPem);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await writeFile(join(folder, "tls.key"), keyPem);
  await vi.waitFor(() => expect(used.at(-1)?.serving).toEqual({ certPem, keyPem }));
  expect(lines.filter(({ level }) => level === "warn")).toHaveLength(1);
});
