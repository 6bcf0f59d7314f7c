import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { KeptRevision, KubeObject } from "../apis/index.ts";
import { digestOf, provenRevision, unprovenRevision } from "./revisionProof.ts";

const DATA = { object: { kind: "ConfigMap", data: { a: "1", b: "2" } }, overrides: [] };
const KEPT: KeptRevision = { revision: 3, name: "shop-3", hash: "h", digest: digestOf(DATA) };

const stored = (data: unknown): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  metadata: { name: "shop-3", annotations: { "federation.paas.cmft.com/revision": "3" } },
  revision: 3,
  ...(data === undefined ? {} : { data }),
});
const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

describe("a revision on the hub", () => {
  test("is what Meridian stored where its data has the digest of the index, in whatever order", () => {
    const { object, overrides } = DATA;
    expect(provenRevision(KEPT, stored({ overrides, object }))).toEqual({ kind: "Proven", content: DATA });
  });

  test.each<[string, unknown]>([
    ["another policy", { ...DATA, overrides: [{ kind: "ClusterOverridePolicy" }] }],
    ["another object", { ...DATA, object: { kind: "Secret" } }],
    ["more beside it", { ...DATA, more: null }],
    ["no data", undefined],
    ["null", null],
    ["a number", 7],
    ["a list", []],
    ["more levels than a stack has", JSON.parse(nested(200_000))],
    ["more than an object may hold", { ...DATA, more: "x".repeat(1_600_000) }],
  ])("is none with %s", (_name, data) => {
    expect(provenRevision(KEPT, stored(data))).toMatchObject({
      kind: "Unusable",
      why: { reason: "RevisionChanged", message: expect.stringContaining("revision 3") },
    });
  });

  test("is none where it is gone, or where the index does not name it", () => {
    expect(provenRevision(KEPT, undefined)).toMatchObject({ kind: "Unusable", why: { reason: "RevisionMissing" } });
    expect(unprovenRevision(3)).toMatchObject({ kind: "Unusable", why: { reason: "RevisionMissing" } });
  });
});

test("the digest is SHA-256 of the canonical text: stored ones stay valid, and none can be forged", () => {
  expect(digestOf({ b: [1, null], a: "x" })).toBe(
    createHash("sha256").update('{"a":"x","b":[1,null]}').digest("base64url"),
  );
});
