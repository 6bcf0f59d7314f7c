import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { withSecretData } from "./secretData.ts";

const secret = (content: object): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s" },
  ...content,
});

describe("withSecretData", () => {
  test("makes data of stringData, which wins where both have a key", () => {
    const object = secret({ data: { a: "YQ==", b: "Yg==" }, stringData: { b: "ü", c: "", ["__proto__"]: "p" } });
    expect(JSON.stringify(withSecretData(object))).toBe(
      JSON.stringify(secret({ data: { a: "YQ==", b: "w7w=", c: "", ["__proto__"]: "cA==" } })),
    );
    expect(withSecretData(secret({ stringData: { a: "x".repeat(1_000_000) } }))).toHaveProperty(
      "data.a.length",
      1_333_336,
    );
  });

  test.each<[name: string, object: KubeObject]>([
    ["a Secret without it", secret({ data: { a: "YQ==" } })],
    ["a value that is no text, which the server is to refuse", secret({ stringData: { a: 1 } })],
    ["an empty map of data that is no map", secret({ data: "x", stringData: { a: "b" } })],
    ["another kind", { ...secret({ stringData: { a: "b" } }), kind: "ConfigMap" }],
    ["a Secret of another group", { ...secret({ stringData: { a: "b" } }), apiVersion: "x.io/v1" }],
  ])("leaves alone: %s", (_name, object) => expect(withSecretData(object)).toBe(object));
});
