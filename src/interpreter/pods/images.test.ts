import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { imagesOf } from "./images.ts";

const withContainers = (containers: unknown, kind = "Deployment", apiVersion = "apps/v1"): KubeObject =>
  ({ apiVersion, kind, metadata: { name: "shop" }, spec: { template: { spec: { containers } } } }) as KubeObject;

describe("the images of an object", () => {
  test.each<[string, KubeObject, string[]]>([
    [
      "of a Deployment: those of its containers",
      withContainers([{ image: "nginx:2" }, { image: "envoy:1" }]),
      ["nginx:2", "envoy:1"],
    ],
    ["of a custom kind with a template", withContainers([{ image: "db:8" }], "Database", "example.com/v1"), ["db:8"]],
    ["of what has none", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } }, []],
    [
      "of a member that is broken or hostile: none that is no image",
      withContainers([{ image: 7 }, { image: "a b\u001b[2J" }, { image: `a:${"1".repeat(5000)}` }, 3]),
      [],
    ],
  ])("%s", (_name, object, want) => {
    expect(imagesOf(object)).toEqual(want);
  });

  test("are no more than a few", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => ({ image: `a:${index}` }));
    expect(imagesOf(withContainers(many))).toHaveLength(8);
  });
});
