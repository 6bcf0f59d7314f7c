import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { app, goldenText, hub, inRegion, overrides, placement, rows, shanghai, targetOf } from "../testing/builders.ts";

describe("the golden plan", () => {
  const regional = overrides(
    "regional-replicas",
    { targetClusters: inRegion("cn-shanghai"), replicas: 5, image: { registry: "registry.example.cn" } },
    {
      targetClusters: inRegion("ap-southeast-1"),
      replicas: 3,
      env: [{ name: "REGION", value: "ap-southeast-1" }],
      labels: { "data-residency": "sg" },
      annotations: { "example.com/owner": "sre-asia" },
      patches: [
        { kind: "Service", op: "replace", path: "/spec/type", value: "LoadBalancer" },
        { kind: "Deployment", op: "add", path: "/spec/template/spec/terminationGracePeriodSeconds", value: 45 },
      ],
    },
  );

  test("of the sample with 5, 3 and 2 replicas", async () => {
    const result = targetOf({ placements: [placement("everywhere")], overrides: [regional] });
    expect(result.clusters.map(({ name, replicas }) => [name, replicas])).toEqual([
      ["frankfurt-1", 2],
      ["shanghai-1", 5],
      ["singapore-1", 3],
    ]);
    expect(result.overrides).toEqual([{ kind: "OverridePolicy", namespace: "default", name: "regional-replicas" }]);
    await expect(goldenText(result)).toMatchFileSnapshot("testdata/sample-5-3-2.golden.json");
  });

  test("of an application with dependencies, on a member and on the hub itself", async () => {
    const object = app(
      {
        ports: [],
        env: [{ name: "P", valueFrom: { secretKeyRef: { name: "shop-secret", key: "p" } } }],
        imagePullSecrets: [{ name: "registry" }],
      },
      { name: "shop" },
    );
    const secret: KubeObject = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "shop-secret", namespace: "default" },
      type: "Opaque",
      data: { p: "cA==" },
    };
    const result = targetOf({
      object,
      placements: [placement("shop", { deletionPolicy: "Orphan", conflictResolution: "Adopt" })],
      clusters: [shanghai, hub],
      dependencies: new Map([["/Secret/default/shop-secret", secret]]),
    });
    expect(rows(result)).toEqual([
      "Apply hub Deployment/shop",
      "Apply shanghai-1 Secret/shop-secret",
      "Apply shanghai-1 Deployment/shop",
    ]);
    await expect(goldenText(result)).toMatchFileSnapshot("testdata/dependencies.golden.json");
  });
});
