import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { bundle, serviceAccount, widget } from "../../../test/builders/index.ts";
import { BUNDLE_BOUNDS, type KubeObject } from "../../apis/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { BundleContents, compressedIn, unpackBundle, unpackBundleAtOnce, unpackedSpec } from "./bundleContents.ts";

const clock = new FakeClock();
const packed = (text: string): string => gzipSync(text).toString("base64");
const ones = (count: number): string => Array.from({ length: count }, () => "1").join();
const NOT_GZIP = "is not base64 of gzip; `meridian bundle create` writes it";
const NOT_A_LIST = "unpacks to something else than a JSON list of manifests; `meridian bundle create` writes it";
const TOO_MANY = `unpacks to more than ${BUNDLE_BOUNDS.manifests} manifests; make several bundles of it`;
const TOO_COMPLEX = "holds a manifest with more levels or values than any API server takes";

describe("why a bundle cannot be read", () => {
  test.each<[string, unknown, string]>([
    ["a number", 5, NOT_GZIP],
    ["nothing", null, NOT_GZIP],
    ["as long as may be", "A".repeat(BUNDLE_BOUNDS.compressed), NOT_GZIP],
    ["longer", "A".repeat(BUNDLE_BOUNDS.compressed + 1), `is longer than ${BUNDLE_BOUNDS.compressed} characters`],
    [
      "too large",
      packed(" ".repeat(BUNDLE_BOUNDS.unpacked + 1)),
      "unpacks to more than 8 MiB; make several bundles of it",
    ],
    ["no JSON", packed("a: b"), NOT_A_LIST],
    ["JSON that is no list", packed("{}"), NOT_A_LIST],
  ])("is said, however it is read: it is %s", async (_what, compressed, unreadable) => {
    const want = { manifests: [], listed: 0, unreadable };
    expect(await unpackBundle({ compressed }, clock)).toStrictEqual(want);
    expect(unpackBundleAtOnce({ compressed })).toStrictEqual(want);
  });

  test.each<[string, string, string | undefined]>([
    ["it has as many manifests as may be", `[${ones(BUNDLE_BOUNDS.manifests)}]`, undefined],
    ["it has more manifests", `[${ones(BUNDLE_BOUNDS.manifests + 1)}]`, TOO_MANY],
    ["one has too many levels", `[${"[".repeat(10_011)}${"]".repeat(10_011)}]`, TOO_COMPLEX],
    ["one has too many values", `[[${ones(100_001)}]]`, TOO_COMPLEX],
  ])("is said before it is parsed: %s", async (_what, text, unreadable) =>
    expect((await unpackBundle({ compressed: packed(text) }, clock)).unreadable).toBe(unreadable),
  );
});

describe("what a bundle holds", () => {
  test.each([undefined, null, "text", 5, [], {}, { manifests: null }, { manifests: "text" }])(
    "is nothing where its spec is %j",
    async (spec) => {
      const want = { manifests: [], listed: 0 };
      expect(await unpackBundle(spec, clock)).toStrictEqual(want);
      expect(unpackBundleAtOnce(spec)).toStrictEqual(want);
      expect(compressedIn(spec)).toBeUndefined();
    },
  );

  test("is what is listed, and what was unpacked after it", () => {
    const [one, other] = [serviceAccount("a"), widget("w")];
    expect(unpackedSpec({ manifests: [one] })).toStrictEqual({ manifests: [one], listed: 1 });
    expect(unpackedSpec({ manifests: [one] }, [other])).toStrictEqual({ manifests: [one, other], listed: 1 });
    expect(unpackedSpec({ manifests: [one] }, "no")).toStrictEqual({ manifests: [one], listed: 1, unreadable: "no" });
  });
});

describe("a cache of bundles", () => {
  const TEXT = packed(JSON.stringify([widget("w")]));
  const of = (spec: object, metadata: object = { uid: "1" }): KubeObject => ({ ...bundle("b", [], metadata), spec });
  const listed = of({ manifests: [serviceAccount("a")] });
  const both = of({ manifests: [serviceAccount("a")], compressed: TEXT });

  test("has nothing to prepare where nothing is compressed", () => {
    const contents = new BundleContents(clock);
    expect(contents.prepare(listed)).toBeUndefined();
    expect(contents.transform(listed)["spec"]).toStrictEqual({ manifests: [serviceAccount("a")], listed: 1 });
  });

  test("forgets what a bundle was compressed to when it is no longer", async () => {
    const contents = new BundleContents(clock);
    await contents.prepare(of({ compressed: TEXT }));
    contents.transform(listed);
    expect(() => contents.transform(of({ compressed: TEXT }))).toThrow("bundle b has not been unpacked");
    expect(contents.prepare(of({ compressed: TEXT }))).toBeInstanceOf(Promise);
  });

  test("does not take the text of before for that of now", async () => {
    const contents = new BundleContents(clock);
    await contents.prepare(of({ compressed: TEXT }));
    expect(() => contents.transform(of({ compressed: packed("[]") }))).toThrow("bundle b has not been unpacked");
  });

  test("keeps one value for what is compressed alone, and none with what is listed beside it", async () => {
    const contents = new BundleContents(clock);
    await contents.prepare(both);
    const first = contents.transform(both)["spec"];
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

  test("knows one that has no UID yet", async () => {
    const contents = new BundleContents(clock);
    const { uid: _uid, ...metadata } = of({}).metadata;
    const unborn: KubeObject = { ...of({ compressed: TEXT }), metadata };
    await contents.prepare(unborn);
    expect(contents.prepare(unborn)).toBeUndefined();
    expect(contents.transform(unborn)["spec"]).toMatchObject({ manifests: [{ kind: "Widget" }] });
    contents.forget(unborn);
    expect(contents.prepare(unborn)).toBeInstanceOf(Promise);
  });
});
