import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { logLines } from "../testing/logLines.ts";
import { openLineOutput } from "./lineOutput.ts";

const folder = mkdtempSync(join(tmpdir(), "meridian-lines-"));
afterAll(() => rmSync(folder, { recursive: true }));

function opened(target: string) {
  const { logger, lines } = logLines();
  const dropped: Record<string, number> = {};
  const onDrop = (cause: string, count: number): void => void (dropped[cause] = (dropped[cause] ?? 0) + count);
  return { output: openLineOutput({ stream: "audit", target, logger, onDrop }), lines, dropped };
}

describe("records in a file", () => {
  test("are one line each, behind what the file held, for its owner only", async () => {
    const file = join(folder, "audit.log");
    const { output, dropped } = opened(file);
    output.write({ stream: "audit", object: "a" });
    output.write({ stream: "audit", object: "b" });
    await output[Symbol.asyncDispose]();
    const again = opened(file).output;
    again.write({ stream: "audit", object: "c" });
    await again[Symbol.asyncDispose]();
    const objects = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).object as string);
    expect(objects).toEqual(["a", "b", "c"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(dropped).toEqual({});
  });

  test("hold no credentials", async () => {
    const file = join(folder, "secret.log");
    const { output } = opened(file);
    output.write({ stream: "audit", message: "Bearer abcdefghijklmnop" });
    await output[Symbol.asyncDispose]();
    expect(readFileSync(file, "utf8")).toBe('{"stream":"audit","message":"Bearer [redacted]"}\n');
  });

  test("beyond the bound of memory are counted, and the others are written", async () => {
    const file = join(folder, "many.log");
    const { output, dropped } = opened(file);
    const record = { stream: "audit", text: "x".repeat(1_000_000) };
    for (let index = 0; index < 8; index += 1) output.write(record);
    await output[Symbol.asyncDispose]();
    const written = readFileSync(file, "utf8").trimEnd().split("\n").length;
    expect(dropped["queue_full"]).toBeGreaterThan(0);
    expect(written + (dropped["queue_full"] ?? 0)).toBe(8);
  });

  test.skipIf(process.platform !== "linux")("that the disk does not take are counted and logged once", async () => {
    const { output, dropped, lines } = opened("/dev/full");
    output.write({ stream: "audit", text: "x".repeat(10_000) });
    await expect.poll(() => dropped["failed"]).toBe(1);
    output.write({ stream: "audit" });
    await output[Symbol.asyncDispose]();
    expect(dropped).toEqual({ failed: 2 });
    expect(lines).toMatchObject([{ level: "warn", event_reason: "RecordsNotWritten", stream: "audit" }]);
  });

  test("that cannot be opened are refused at once", () => {
    const file = join(folder, "plain");
    writeFileSync(file, "");
    expect(() => opened(join(file, "audit.log"))).toThrow("ENOTDIR");
  });
});
