import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { widget } from "../../test/builders/index.ts";
import { BUNDLE_BOUNDS } from "../apis/index.ts";
import { systemClock } from "../runtime/index.ts";
import { unpackBundle } from "./bundleContents.ts";

/** Texts that take a parser, or whoever takes it for text first, long. */
const SLOW: readonly { name: string; text: () => string }[] = [
  {
    name: "2,000 manifests",
    text: () =>
      gzipSync(
        JSON.stringify(
          Array.from({ length: 2_000 }, (_, n) => ({ ...widget(`w${n}`), data: { text: "x".repeat(4_000) } })),
        ),
      ).toString("base64"),
  },
  { name: "brackets side by side", text: () => gzipped("[", "[],", BUNDLE_BOUNDS.unpacked / 3 - 2, "[]]") },
  { name: "brackets in each other", text: () => gzipped("[[", "[", BUNDLE_BOUNDS.unpacked - 2, "") },
  { name: "numbers", text: () => gzipped("[[", "1,", BUNDLE_BOUNDS.unpacked / 2 - 4, "1]]") },
  { name: "maps in one manifest", text: () => gzipped("[[", '{"a":1},', BUNDLE_BOUNDS.unpacked / 8 - 4, "{}]]") },
  { name: "as many values as a manifest may have", text: () => gzipped("[[", '{"a":1},', 49_000, "{}]]") },
];
const gzipped = (begin: string, middle: string, times: number, end: string): string =>
  gzipSync(begin + middle.repeat(times) + end).toString("base64");

/** A turn takes as much of the processor however much else the machine has to do. */
test.each(SLOW)("8 MiB of $name do not hold the event loop for 100 ms", async ({ text }) => {
  const compressed = text();
  let isOver = false;
  let longest = 0;
  // Unpacking begins within the call.
  let before = process.threadCpuUsage();
  const spec = unpackBundle({ compressed }, systemClock).finally(() => (isOver = true));
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longest = Math.max(longest, (user + system) / 1_000);
  }
  expect((await spec).manifests.length).toBeLessThanOrEqual(2_000);
  expect(longest).toBeLessThan(100);
});
