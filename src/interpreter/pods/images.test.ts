import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { imagesOf } from "./images.ts";
import { memberReport } from "../registry/memberReport.ts";

const withContainers = (containers: unknown, kind = "Deployment", apiVersion = "apps/v1"): KubeObject =>
  ({ apiVersion, kind, metadata: { name: "shop" }, spec: { template: { spec: { containers } } } }) as KubeObject;

describe("the images of an object", () => {
  test.each<[string, KubeObject, string[]]>([
    [
      "of a Deployment: those of its containers",
      withContainers([{ image: "nginx:2" }, { image: "envoy:1" }]),
      ["nginx:2", "envoy:1"],
    ],
    ["each once", withContainers([{ image: "nginx:2" }, { image: "nginx:2" }]), ["nginx:2"]],
    [
      "of a Pod",
      { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers: [{ image: "a:1" }] } },
      ["a:1"],
    ],
    [
      "of a CronJob",
      {
        apiVersion: "batch/v1",
        kind: "CronJob",
        metadata: { name: "c" },
        spec: { jobTemplate: { spec: { template: { spec: { containers: [{ image: "a:1" }] } } } } },
      },
      ["a:1"],
    ],
    ["of a custom kind with a template", withContainers([{ image: "db:8" }], "Database", "example.com/v1"), ["db:8"]],
    ["of what has none", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } }, []],
    [
      "of a member that is broken or hostile: none that is no image",
      withContainers([{ image: 7 }, { image: "a b\u001b[2J" }, { image: `a:${"1".repeat(5000)}` }, 3]),
      [],
    ],
    ["where the containers are no list", withContainers("nginx:2"), []],
  ])("%s", (_name, object, want) => {
    expect(imagesOf(object)).toEqual(want);
  });

  test("are no more than a few", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => ({ image: `a:${index}` }));
    expect(imagesOf(withContainers(many))).toHaveLength(8);
  });

  test("are told of a member object, and nothing is where there are none", () => {
    expect(memberReport(withContainers([{ image: "nginx:2" }])).images).toEqual(["nginx:2"]);
    expect(memberReport({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } })).not.toHaveProperty("images");
  });
});
