import { gzipSync } from "node:zlib";
import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { bundle, serviceAccount, widget } from "../../test/builders/index.ts";
import { BUNDLE_BOUNDS, type KubeObject } from "../apis/index.ts";
import { BundleContents, unpackBundle } from "./bundleContents.ts";

const packed = (value: unknown): string => gzipSync(JSON.stringify(value)).toString("base64");
const compressed = (text: string, uid = "1", more: object = {}): KubeObject => ({
  ...bundle("b", [], { uid }),
  spec: { compressed: text, ...more },
});

describe("a bundle", () => {
  test("holds what is listed and what is compressed, in this order", () => {
    const { manifests, listed } = unpackBundle({ manifests: [serviceAccount("a")], compressed: packed([widget("w")]) });
    expect([manifests.map(({ kind }) => kind), listed]).toEqual([["ServiceAccount", "Widget"], 1]);
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
  ])("that is $name says so, and keeps what is listed", ({ text, want }) => {
    const { manifests, unreadable } = unpackBundle({ manifests: [serviceAccount("a")], compressed: text });
    expect(manifests).toHaveLength(1);
    expect(unreadable).toContain(want);
  });

  test("never tells what is inside, which may be a Secret", () => {
    expect(unpackBundle({ compressed: gzipSync('["hunter2').toString("base64") }).unreadable).not.toContain("hunter2");
  });

  test.prop([fc.jsonValue()])("of anything at all is read without an exception", (spec) => {
    expect(Array.isArray(unpackBundle(spec).manifests)).toBe(true);
  });
});

describe("a cache", () => {
  test("unpacks again only what has changed", () => {
    const contents = new BundleContents();
    const before = contents.unpacked(compressed(packed([widget("w")])));
    const after = contents.unpacked({ ...compressed(packed([widget("w")])), status: { observedGeneration: 1 } });
    expect(after["spec"]).toBe(before["spec"]);
    const changed = contents.unpacked(compressed(packed([widget("v")])));
    expect((changed["spec"] as { manifests: KubeObject[] }).manifests[0]?.metadata.name).toBe("v");
    contents.forget(changed);
    expect(contents.unpacked(compressed(packed([widget("v")])))["spec"]).not.toBe(changed["spec"]);
  });

  test("tells bundles of one text apart", () => {
    const contents = new BundleContents();
    const [one, two] = ["1", "2"].map((uid) => contents.unpacked(compressed(packed([widget("w")]), uid)));
    expect(one?.["spec"]).not.toBe(two?.["spec"]);
  });
});
