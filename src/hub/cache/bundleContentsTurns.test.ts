import { gzipSync } from "node:zlib";
import { afterEach, expect, test, vi } from "vitest";
import { widget } from "../../../test/builders/index.ts";
import { BUNDLE_BOUNDS } from "../../apis/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { unpackBundle } from "./bundleContents.ts";

/** A text that takes a parser, or whoever takes it for text first, long; and what is done with it. */
interface SlowText {
  name: string;
  text: () => string;
  /** How many manifests come out; none of a text that is refused. */
  manifests: number;
  /** How often the end of a turn is awaited: to go on in the next, and to begin its count. A turn has three pieces of work. */
  turns: number;
  /** Most values, but for the first of each list, that are parsed in one go. */
  values: number;
}

const { unpacked } = BUNDLE_BOUNDS;
const SLOW: readonly SlowText[] = [
  {
    name: "2,000 manifests",
    text: () =>
      compressed(
        JSON.stringify(
          Array.from({ length: 2_000 }, (_, n) => ({ ...widget(`w${n}`), data: { text: "x".repeat(4_000) } })),
        ),
      ),
    manifests: 2_000,
    turns: 1417,
    values: 8,
  },
  {
    name: "as many values as a manifest may have",
    text: () => repeated("[[", '{"a":1},', 49_000, "{}]]"),
    manifests: 1,
    turns: 5,
    values: 98_002,
  },
  {
    name: "brackets side by side",
    text: () => repeated("[", "[],", unpacked / 3 - 2, "[]]"),
    manifests: 0,
    turns: 1,
    values: 0,
  },
  {
    name: "brackets in each other",
    text: () => repeated("[[", "[", unpacked - 2, ""),
    manifests: 0,
    turns: 0,
    values: 0,
  },
  { name: "numbers", text: () => repeated("[[", "1,", unpacked / 2 - 4, "1]]"), manifests: 0, turns: 3, values: 0 },
  {
    name: "maps in one manifest",
    text: () => repeated("[[", '{"a":1},', unpacked / 8 - 4, "{}]]"),
    manifests: 0,
    turns: 5,
    values: 0,
  },
];
const compressed = (text: string): string => gzipSync(text).toString("base64");
const repeated = (begin: string, middle: string, times: number, end: string): string =>
  compressed(begin + middle.repeat(times) + end);

/** Every question about the time takes 3 ms, so that a turn of 8 ms has three pieces of work. */
class QuestionClock extends FakeClock {
  turns = 0;
  #asked = 0;

  override monotonic(): number {
    this.#asked += 3;
    return this.#asked;
  }

  override async nextTurn(): Promise<void> {
    this.turns += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

afterEach(() => void vi.restoreAllMocks());

/** What is done between two looks at the clock is bounded in bytes and in values, so that no text holds the event loop on any machine. */
test.each(SLOW)("8 MiB of $name are read in pieces", async ({ text, manifests, turns, values }) => {
  const clock = new QuestionClock();
  const spec = { compressed: text() };
  const parse = vi.spyOn(JSON, "parse");
  const read = await unpackBundle(spec, clock);
  const parsed = parse.mock.calls.map(([entry]) => entry.match(/[,[{]/g)?.length ?? 0);
  expect({ manifests: read.manifests.length, turns: clock.turns, values: Math.max(0, ...parsed) }).toEqual({
    manifests,
    turns,
    values,
  });
  expect(read.unreadable === undefined).toBe(manifests > 0);
});
