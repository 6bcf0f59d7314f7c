import { gzipSync } from "node:zlib";
import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { bundle, serviceAccount, widget } from "../../../test/builders/index.ts";
import { BUNDLE_BOUNDS, type KubeObject } from "../../apis/index.ts";
import { systemClock } from "../../runtime/index.ts";
import { BundleContents, unpackBundle as unpackOn, unpackBundleAtOnce } from "./bundleContents.ts";

const packed = (value: unknown): string => gzipSync(JSON.stringify(value)).toString("base64");
const unpackBundle = (spec: unknown) => unpackOn(spec, systemClock);
const compressed = (text: string, uid = "1", more: object = {}): KubeObject => ({
  ...bundle("b", [], { uid }),
  spec: { compressed: text, ...more },
});

describe("a bundle", () => {
  test("holds what is listed and what is compressed, in this order", async () => {
    const spec = { manifests: [serviceAccount("a")], compressed: packed([widget("w")]) };
    const { manifests, listed } = await unpackBundle(spec);
    expect([manifests.map(({ kind }) => kind), listed]).toEqual([["ServiceAccount", "Widget"], 1]);
    expect(unpackBundleAtOnce(spec)).toEqual({ manifests, listed });
  });

  test.each([
    {
      name: "a bomb",
      text: gzipSync(Buffer.alloc(64 * 1024 * 1024)).toString("base64"),
      want: "unpacks to more than 8 MiB",
    },
    { name: "no base64", text: "%%%", want: "is not base64 of gzip" },
    { name: "no gzip", text: Buffer.from("[]").toString("base64"), want: "is not base64 of gzip" },
    { name: "half of it", text: packed([widget("w")]).slice(0, 40), want: "is not base64 of gzip" },
    { name: "no JSON", text: gzipSync("a: b").toString("base64"), want: "something else than a JSON list" },
    { name: "no list", text: packed({ kind: "List" }), want: "something else than a JSON list" },
    { name: "more than may be stored", text: "A".repeat(BUNDLE_BOUNDS.compressed + 1), want: "is longer than" },
  ])("that is $name says so, and keeps what is listed", async ({ text, want }) => {
    const spec = { manifests: [serviceAccount("a")], compressed: text };
    const { manifests, unreadable } = await unpackBundle(spec);
    expect(manifests).toHaveLength(1);
    expect(unreadable).toContain(want);
    expect(unpackBundleAtOnce(spec)).toEqual({ manifests, listed: 1, unreadable });
  });

  test("never tells what is inside, which may be a Secret", async () => {
    const { unreadable } = await unpackBundle({ compressed: gzipSync('["hunter2').toString("base64") });
    expect(unreadable).toMatch(/JSON list/);
    expect(unreadable).not.toContain("hunter2");
  });

  test.prop([fc.jsonValue()])("of anything at all is read without an exception", async (spec) => {
    expect(Array.isArray((await unpackBundle(spec)).manifests)).toBe(true);
  });
});

describe("a cache", () => {
  const kept = async (contents: BundleContents, bundle: KubeObject): Promise<KubeObject> => {
    await contents.prepare(bundle);
    return contents.transform(bundle);
  };

  test("unpacks again only what has changed", async () => {
    const contents = new BundleContents(systemClock);
    const before = await kept(contents, compressed(packed([widget("w")])));
    const again = { ...compressed(packed([widget("w")])), status: { observedGeneration: 1 } };
    expect(contents.prepare(again)).toBeUndefined();
    expect(contents.transform(again)["spec"]).toBe(before["spec"]);
    const changed = await kept(contents, compressed(packed([widget("v")])));
    expect((changed["spec"] as { manifests: KubeObject[] }).manifests[0]?.metadata.name).toBe("v");
    contents.forget(changed);
    expect((await kept(contents, compressed(packed([widget("v")]))))["spec"]).not.toBe(changed["spec"]);
  });

  test("tells bundles of one text apart", async () => {
    const contents = new BundleContents(systemClock);
    const [one, two] = await Promise.all(
      ["1", "2"].map((uid) => kept(contents, compressed(packed([widget("w")]), uid))),
    );
    expect(one?.["spec"]).not.toBe(two?.["spec"]);
  });

  test("asks for what has not been unpacked", () => {
    const contents = new BundleContents(systemClock);
    expect(() => contents.transform(compressed(packed([widget("w")])))).toThrow("bundle b has not been unpacked");
  });
});
