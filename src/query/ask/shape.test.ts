import { describe, expect, test } from "vitest";
import { shapeOf } from "./shape.ts";

describe("the shape of a message", () => {
  test.each([
    [
      'Back-off pulling image "registry.io/shop:1.2"',
      'Back-off pulling image "registry.io/cart:9"',
      "Back-off pulling image …",
    ],
    [
      "exceeded quota: cpu, used 10, limited 8",
      "exceeded quota: cpu, used 3, limited 2",
      "exceeded quota: cpu, used …, limited …",
    ],
    ["0/3 nodes are available", "1/12 nodes are available", "… nodes are available"],
    [
      "dial tcp 10.0.0.1:443: connection refused",
      "dial tcp 10.9.9.9:6443: connection refused",
      "dial tcp …: connection refused",
    ],
    ["Deployment shop exists", "Deployment cart exists", "Deployment … exists"],
  ])("%s", (one, other, want) => {
    expect(shapeOf(one, ["shop"])).toBe(want);
    expect(shapeOf(other, ["cart"])).toBe(want);
  });

  test("keeps different troubles apart", () => {
    expect(shapeOf("the token has expired")).not.toBe(shapeOf("the certificate has expired"));
  });

  test("is bounded", () => expect(shapeOf("word ".repeat(10_000)).length).toBeLessThanOrEqual(512));
});
