import { gzipSync } from "node:zlib";
import { fc, test } from "@fast-check/vitest";
import { afterEach, describe, expect, vi } from "vitest";
import { bundle, serviceAccount, widget } from "../../../test/builders/index.ts";
import { BUNDLE_BOUNDS, type KubeObject } from "../../apis/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { BundleContents, compressedIn, unpackBundle, unpackBundleAtOnce, unpackedSpec } from "./bundleContents.ts";

const clock = new FakeClock();
const packed = (text: string): string => gzipSync(text).toString("base64");
const listOf = (...manifests: unknown[]): string => packed(JSON.stringify(manifests));
const ones = (count: number): string => Array.from({ length: count }, () => "1").join();
const NOT_GZIP = "is not base64 of gzip; `meridian bundle create` writes it";
const NOT_A_LIST = "unpacks to something else than a JSON list of manifests; `meridian bundle create` writes it";
const TOO_LARGE = "unpacks to more than 8 MiB; make several bundles of it";
const TOO_MANY = "unpacks to more than 2000 manifests; make several bundles of it";
const TOO_COMPLEX = "unpacks to more levels or values than any API server takes; make several bundles of it";
const TOO_LONG = `is longer than ${BUNDLE_BOUNDS.compressed} characters`;

describe("the content of a bundle", () => {
  test.each<[string, unknown, string]>([
    ["a number", 5, NOT_GZIP],
    ["null", null, NOT_GZIP],
    ["no base64", "%%%", NOT_GZIP],
    ["no gzip", Buffer.from("[]").toString("base64"), NOT_GZIP],
    ["half of a gzip", listOf(widget("w")).slice(0, 40), NOT_GZIP],
    ["as long as it may be", "A".repeat(BUNDLE_BOUNDS.compressed), NOT_GZIP],
    ["longer than it may be", "A".repeat(BUNDLE_BOUNDS.compressed + 1), TOO_LONG],
    ["a zip bomb", gzipSync(Buffer.alloc(64 * 1024 * 1024)).toString("base64"), TOO_LARGE],
    ["one byte too large", packed(" ".repeat(BUNDLE_BOUNDS.unpacked + 1)), TOO_LARGE],
    ["no JSON, whose text may hold a Secret", packed('["hunter2'), NOT_A_LIST],
    ["no list", packed("{}"), NOT_A_LIST],
    ["one manifest too many", packed(`[${ones(BUNDLE_BOUNDS.manifests + 1)}]`), TOO_MANY],
  ])("that is %s is unreadable, beside what is listed", async (_what, compressed, unreadable) => {
    const spec = { manifests: [serviceAccount("a")], compressed };
    const want = { manifests: spec.manifests, listed: 1, unreadable };
    expect(await unpackBundle(spec, clock)).toStrictEqual(want);
    expect(unpackBundleAtOnce(spec)).toStrictEqual(want);
  });

  test.each<[string, string, string | undefined]>([
    ["as many manifests as it may have", `[${ones(BUNDLE_BOUNDS.manifests)}]`, undefined],
    ["as many levels as it may have", "[".repeat(10_011) + "]".repeat(10_011), undefined],
    ["too many levels", "[".repeat(10_012) + "]".repeat(10_012), TOO_COMPLEX],
    ["too many values", `[[${ones(1_000_000)}]]`, TOO_COMPLEX],
  ])("has bounds: %s", async (_what, text, unreadable) => {
    expect((await unpackBundle({ compressed: packed(text) }, clock)).unreadable).toBe(unreadable);
  });

  test.each([undefined, null, "text", 5, [], {}, { manifests: null }, { manifests: "text" }])(
    "is empty if its spec is %j",
    async (spec) => {
      const want = { manifests: [], listed: 0 };
      expect(await unpackBundle(spec, clock)).toStrictEqual(want);
      expect(unpackBundleAtOnce(spec)).toStrictEqual(want);
      expect(compressedIn(spec)).toBeUndefined();
    },
  );

  test("is what is listed, then what is compressed", async () => {
    const [one, other] = [serviceAccount("a"), widget("w")];
    const spec = { manifests: [one], compressed: listOf(other) };
    const want = { manifests: [one, other], listed: 1 };
    expect(await unpackBundle(spec, clock)).toStrictEqual(want);
    expect(unpackBundleAtOnce(spec)).toStrictEqual(want);
    expect(unpackedSpec(spec, [other])).toStrictEqual(want);
  });

  test.prop([fc.jsonValue()])("is read without an exception, whatever it is", async (spec) => {
    expect(Array.isArray((await unpackBundle(spec, clock)).manifests)).toBe(true);
  });
});

describe("8 MiB of a bundle", () => {
  afterEach(() => void vi.restoreAllMocks());

  const { unpacked } = BUNDLE_BOUNDS;
  const repeated = (begin: string, middle: string, times: number, end: string): string =>
    begin + middle.repeat(times) + end;
  const large = Array.from({ length: 2_000 }, (_, at) => ({ ...widget(`w${at}`), data: { text: "x".repeat(4_000) } }));

  test.each<{ name: string; text: string; manifests: number }>([
    { name: "2,000 manifests", text: JSON.stringify(large), manifests: 2_000 },
    { name: "maps in one manifest", text: repeated("[[", '{"a":1},', 490_000, "{}]]"), manifests: 1 },
    { name: "one text", text: JSON.stringify(["x".repeat(unpacked - 10)]), manifests: 1 },
    { name: "brackets side by side", text: repeated("[", "[],", unpacked / 3 - 2, "[]]"), manifests: 0 },
    { name: "brackets in each other", text: repeated("[[", "[", unpacked - 2, ""), manifests: 0 },
    { name: "numbers", text: repeated("[[", "1,", unpacked / 2 - 4, "1]]"), manifests: 0 },
  ])("are parsed in pieces that do not hold the event loop: $name", async ({ text, manifests }) => {
    let turns = 0;
    // Each question about the time takes 9 ms, which is longer than a slice.
    let time = 0;
    vi.spyOn(clock, "monotonic").mockImplementation(() => (time += 9));
    vi.spyOn(clock, "nextTurn").mockImplementation(async () => void (turns += 1));
    const parse = vi.spyOn(JSON, "parse");
    const read = await unpackBundle({ compressed: packed(text) }, clock);
    expect(read.manifests).toHaveLength(manifests);
    const brackets = parse.mock.calls.map(([piece]) => piece.match(/[,[{]/g)?.length ?? 0);
    expect(Math.max(0, ...brackets)).toBeLessThan(128 * 1024);
    expect(turns > 60).toBe(manifests > 0);
  });
});

describe("a cache of bundles", () => {
  const of = (spec: object, metadata: object = { uid: "1" }): KubeObject => ({ ...bundle("b", [], metadata), spec });
  const TEXT = listOf(widget("w"));
  const listed = of({ manifests: [serviceAccount("a")] });
  const both = of({ manifests: [serviceAccount("a")], compressed: TEXT });
  const kept = async (contents: BundleContents, given: KubeObject): Promise<unknown> => {
    await contents.prepare(given);
    return contents.transform(given)["spec"];
  };

  test("unpacks again only a changed text, and a text of a bundle that came anew", async () => {
    const contents = new BundleContents(clock);
    const before = await kept(contents, of({ compressed: TEXT }));
    const again = { ...of({ compressed: TEXT }), status: { observedGeneration: 1 } };
    expect(contents.prepare(again)).toBeUndefined();
    expect(contents.transform(again)["spec"]).toBe(before);
    const changed = of({ compressed: listOf(widget("v")) });
    expect(await kept(contents, changed)).toMatchObject({ manifests: [widget("v")] });
    contents.forget(changed);
    expect(contents.prepare(changed)).toBeInstanceOf(Promise);
  });

  test("tells bundles of one text apart, and knows a bundle without a UID", async () => {
    const contents = new BundleContents(clock);
    const specs = await Promise.all(["1", "2"].map((uid) => kept(contents, of({ compressed: TEXT }, { uid }))));
    expect(specs[0]).not.toBe(specs[1]);
    const unborn = of({ compressed: TEXT }, { uid: undefined });
    await kept(contents, unborn);
    expect(contents.prepare(unborn)).toBeUndefined();
    contents.forget(unborn);
    expect(contents.prepare(unborn)).toBeInstanceOf(Promise);
  });

  test("refuses a text that has not been unpacked, or is no longer compressed", async () => {
    const contents = new BundleContents(clock);
    const read = (compressed: string) => () => contents.transform(of({ compressed }));
    expect(read(TEXT)).toThrow("bundle b has not been unpacked");
    await contents.prepare(of({ compressed: TEXT }));
    expect(read(packed("[]"))).toThrow("bundle b has not been unpacked");
    expect(contents.prepare(listed)).toBeUndefined();
    expect(contents.transform(listed)["spec"]).toStrictEqual({ manifests: [serviceAccount("a")], listed: 1 });
    expect(read(TEXT)).toThrow("bundle b has not been unpacked");
  });

  test("keeps one value for compressed manifests alone, and none with listed ones beside them", async () => {
    const contents = new BundleContents(clock);
    const first = await kept(contents, both);
    expect(first).toStrictEqual({ manifests: [serviceAccount("a"), widget("w")], listed: 1 });
    const more = of({ manifests: [], compressed: TEXT });
    const alone = contents.transform(more)["spec"];
    expect(alone).toStrictEqual({ manifests: [widget("w")], listed: 0 });
    expect(contents.transform(more)["spec"]).toBe(alone);
    expect(contents.transform(both)["spec"]).toStrictEqual(first);
  });

  test("keeps no bookkeeping", async () => {
    const contents = new BundleContents(clock);
    const metadata = { uid: "1", managedFields: [{ manager: "kubectl" }] };
    for (const one of [of({ manifests: [] }, metadata), of({ compressed: TEXT }, metadata)]) {
      await contents.prepare(one);
      expect(contents.transform(one).metadata).not.toHaveProperty("managedFields");
    }
  });
});
