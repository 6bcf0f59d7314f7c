import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createMetrics } from "../../observability/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import type { RecordFlagsGiven } from "./recordFlags.ts";
import { hostIp, Records } from "./records.ts";

const folder = mkdtempSync(join(tmpdir(), "meridian-records-"));
afterAll(() => rmSync(folder, { recursive: true }));

function open(flags: RecordFlagsGiven): Promise<Records> {
  const { logger } = logLines();
  return Records.open({
    flags,
    identity: "pod-1",
    serviceName: "meridian",
    logger,
    metrics: createMetrics({ processMetrics: false }),
  });
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("the streams of records", () => {
  test("write operations events with the tags of the file", async () => {
    const operationsLog = join(folder, "operations.jsonl");
    const records = await open({ operationsLog, tagsFile: file("tags.yaml", "env: prod\n") });
    const change = { at: 0, severity: "INFO", reason: "Available", message: "here", cluster: "frankfurt" } as const;
    records.operations.record(change, { uidOf: none, spanOf: none, regionOf: () => "eu" });
    await records[Symbol.asyncDispose]();
    expect(JSON.parse(readFileSync(operationsLog, "utf8"))).toMatchObject({
      stream: "operations",
      occurred_at: "1970-01-01T00:00:00.000Z",
      cluster: "frankfurt",
      region: "eu",
      process_id: process.pid,
      tags: { env: "prod" },
    });
  });

  test("have no reader unless asked for", async () => {
    await using records = await open({});
    expect(records.operations.isRead).toBe(false);
  });

  test.each([
    { flags: { tagsFile: join(folder, "none") }, says: /^--operations-tags-file .*none does not exist$/ },
    { flags: { tagsFile: folder }, says: /cannot be read \(EISDIR\)$/ },
    { flags: { tagsFile: file("list", "- env\n") }, says: /holds no map: write tags like `env: prod`$/ },
    { flags: { operationsLog: join(folder, "no", "x") }, says: /^--operations-log .*: its folder does not exist/ },
    { flags: { operationsLog: folder }, says: /it cannot be written \(EISDIR\); name another file, stdout or off$/ },
  ])("are refused at the start: $says", ({ flags, says }) => expect(open(flags)).rejects.toThrow(says));
});

describe("the address of the host", () => {
  test.each([
    { env: { HOST_IP: "10.0.0.1", POD_IP: "10.1.0.1" }, want: "10.0.0.1" },
    { env: { POD_IP: "10.1.0.1" }, want: "10.1.0.1" },
  ])("is $want", ({ env, want }) => expect(hostIp(env)).toBe(want));

  test("is an address of the machine if the environment has none", () => expect(hostIp({})).toMatch(/^\d+(\.\d+){3}$/));
});

function none(): undefined {
  return undefined;
}
