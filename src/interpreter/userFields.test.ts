import { describe, expect, test } from "vitest";
import type { KubeObject } from "../apis/index.ts";
import captured from "./testdata/userFields.json" with { type: "json" };
import { userSetObject } from "./userFields.ts";

// Objects as a real API server returned them; another one took each result by server-side apply.
const cases = captured as unknown as { name: string; live: KubeObject; user: KubeObject }[];
const user = (name: string): KubeObject => userSetObject(cases.find((c) => c.name === name)?.live as KubeObject);

describe("userSetObject", () => {
  test.each(cases)("$name", ({ live, user: want }) => expect(userSetObject(live)).toEqual(want));

  test.each(cases)("leaves nothing of the server's in: $name", ({ live }) => {
    const { metadata, ...rest } = userSetObject(live);
    expect(
      Object.keys(metadata).filter((key) => !["name", "namespace", "labels", "annotations"].includes(key)),
    ).toEqual([]);
    expect(rest).not.toHaveProperty("status");
    expect(JSON.stringify(metadata)).not.toContain("last-applied");
  });

  test("what the hub allocated stays at home", () => {
    const service = user("Service by kubectl create")["spec"] as Record<string, unknown>;
    expect(Object.keys(service)).not.toContain("clusterIP");
    expect(JSON.stringify(service)).not.toContain("nodePort");
    expect(user("PersistentVolumeClaim bound by the controller")).not.toHaveProperty("spec.volumeName");
    expect(user("Job by kubectl create")).not.toHaveProperty("spec.selector");
  });

  test("what a person chose goes along", () => {
    expect(user("headless Service by apply --server-side")).toHaveProperty("spec.clusterIP", "None");
    expect(user("Deployment created and scaled")).toHaveProperty("spec.replicas", 5);
    expect(user("Secret by apply --server-side with stringData")).toMatchObject({
      type: "kubernetes.io/basic-auth",
      data: { username: "dQ==", password: "cA==" },
    });
    expect(user("Secret by kubectl apply with stringData, immutable")).toHaveProperty("immutable", true);
  });

  test("an object of which no ownership is known is taken whole, less what the server sets", () => {
    const live: KubeObject = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "a",
        namespace: "n",
        uid: "u",
        resourceVersion: "1",
        labels: { keep: "1", "federation.paas.cmft.com/managed-by": "hub" },
        annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" },
        finalizers: ["x"],
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "q" }],
      },
      data: { a: "1" },
      status: { x: 1 },
    };
    const before = structuredClone(live);
    expect(userSetObject(live)).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", namespace: "n", labels: { keep: "1" } },
      data: { a: "1" },
    });
    expect(live).toEqual(before);
    expect(userSetObject(userSetObject(live))).toEqual(userSetObject(live));
  });
});
