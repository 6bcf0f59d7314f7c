import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../apis/index.ts";
import { CONFIG_MAPS, DEPLOYMENTS, NAMESPACES, SERVICE_ACCOUNTS } from "../shared/objects.ts";
import { deployment, namespace, TestSandbox } from "../testing/index.ts";

function conditions(object: KubeObject) {
  const { conditions: list = [] } = (object["status"] ?? {}) as {
    conditions?: { type: string; status: string; message: string }[];
  };
  return list;
}

describe("a namespace", () => {
  test("has the ServiceAccount default and the cluster's certificate, and gets them back", async () => {
    await using sandbox = await TestSandbox.start({ caPem: "PEM" });
    expect(sandbox.get(SERVICE_ACCOUNTS, "default").metadata.namespace).toBe("default");
    expect(sandbox.get(CONFIG_MAPS, "kube-root-ca.crt")["data"]).toEqual({ "ca.crt": "PEM" });
    await sandbox.cluster.delete(SERVICE_ACCOUNTS, "default", "default");
    await sandbox.cluster.delete(CONFIG_MAPS, "default", "kube-root-ca.crt");
    await sandbox.settle();
    expect(sandbox.find(SERVICE_ACCOUNTS, "default")).toBeDefined();
    await sandbox.change(CONFIG_MAPS, "kube-root-ca.crt", (map) => ({ ...map, data: {} }));
    await sandbox.settle();
    expect(sandbox.get(CONFIG_MAPS, "kube-root-ca.crt")["data"]).toEqual({ "ca.crt": "PEM" });
  });

  test("that is deleted is emptied, pods first, and goes", async () => {
    await using sandbox = await TestSandbox.with(DEPLOYMENTS, deployment({ replicas: 2 }), {
      options: { terminationDelayMs: 1000 },
    });
    await sandbox.cluster.delete(NAMESPACES, undefined, "default");
    await sandbox.pass(500);
    expect(sandbox.find(NAMESPACES, "default")?.metadata.deletionTimestamp).toBeDefined();
    expect(sandbox.pods().length).toBeGreaterThan(0);
    await sandbox.pass(5000);
    expect(sandbox.find(NAMESPACES, "default")).toBeUndefined();
    expect([sandbox.pods(), sandbox.list(DEPLOYMENTS), sandbox.list(SERVICE_ACCOUNTS)]).toEqual([[], [], []]);
  });

  test("says what holds it up, and leaves other namespaces alone", async () => {
    await using sandbox = await TestSandbox.with(NAMESPACES, namespace("other"));
    const metadata = { name: "held", namespace: "other", finalizers: ["example.com/hold"] };
    await sandbox.create(CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata });
    await sandbox.cluster.delete(NAMESPACES, undefined, "other");
    await sandbox.settle();
    const held = sandbox.get(NAMESPACES, "other");
    expect(held["status"]).toMatchObject({ phase: "Terminating" });
    expect(conditions(held).map(({ type, status, message }) => `${type} ${status}: ${message}`)).toEqual([
      "NamespaceDeletionDiscoveryFailure False: All resources successfully discovered",
      "NamespaceDeletionGroupVersionParsingFailure False: All legacy kube types successfully parsed",
      "NamespaceDeletionContentFailure False: All content successfully deleted, may be waiting on finalization",
      "NamespaceContentRemaining True: Some resources are remaining: configmaps. has 1 resource instances",
      "NamespaceFinalizersRemaining True: Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
    ]);
    await sandbox.cluster.patch(CONFIG_MAPS, "other", "held", { metadata: { finalizers: [] } });
    await sandbox.settle();
    expect(sandbox.find(NAMESPACES, "other")).toBeUndefined();
    expect(sandbox.find(SERVICE_ACCOUNTS, "default")).toBeDefined();
  });
});
