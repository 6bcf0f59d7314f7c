import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { KubeObject, OwnerReference } from "../../../apis/index.ts";
import { CONFIG_MAPS, DEPLOYMENTS, PODS, REPLICA_SETS, SECRETS, uidOf } from "../shared/objects.ts";
import { deployment, TestSandbox } from "../testing/index.ts";

function ownedBy(owner: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: uidOf(owner), ...more };
}

function configMap(name: string, ownerReferences: OwnerReference[] = [], finalizers: string[] = []): KubeObject {
  const metadata = { name, namespace: "default", ownerReferences, finalizers };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

function names(sandbox: TestSandbox): string[] {
  return sandbox.list(CONFIG_MAPS).map(({ metadata }) => metadata.name);
}

describe("the garbage collector", () => {
  test("keeps an owner that is deleted in the foreground until its dependents are gone", async () => {
    await using sandbox = await TestSandbox.with(DEPLOYMENTS, deployment({ replicas: 2 }), {
      options: { terminationDelayMs: 1000 },
    });
    await sandbox.cluster.delete(DEPLOYMENTS, "default", "web", { propagationPolicy: "Foreground" });
    await sandbox.pass(500);
    expect(sandbox.deployment().metadata.finalizers).toEqual(["foregroundDeletion"]);
    expect(sandbox.replicaSets()[0]?.metadata.finalizers).toEqual(["foregroundDeletion"]);
    expect(sandbox.pods()).toHaveLength(2);
    await sandbox.pass(1000);
    expect([sandbox.list(DEPLOYMENTS), sandbox.replicaSets(), sandbox.pods()]).toEqual([[], [], []]);
  });

  test("keeps what has another owner, and takes the reference to the one that is gone", async () => {
    await using sandbox = await TestSandbox.start();
    const [a, b] = [
      await sandbox.create(CONFIG_MAPS, configMap("a")),
      await sandbox.create(CONFIG_MAPS, configMap("b")),
    ];
    await sandbox.create(CONFIG_MAPS, configMap("c", [ownedBy(a), ownedBy(b)]));
    await sandbox.cluster.delete(CONFIG_MAPS, "default", "a");
    await sandbox.settle();
    expect(sandbox.get(CONFIG_MAPS, "c").metadata.ownerReferences).toEqual([ownedBy(b)]);
    await sandbox.cluster.delete(CONFIG_MAPS, "default", "b");
    await sandbox.settle();
    expect(names(sandbox)).toEqual([]);
  });

  test.each([
    { name: "never was there", reference: { name: "nobody", uid: "x" } },
    { name: "is another one of the same name", reference: { name: "a", uid: "x" } },
  ])("deletes a new object whose owner $name", async ({ reference }) => {
    await using sandbox = await TestSandbox.start();
    await sandbox.create(CONFIG_MAPS, configMap("a"));
    await sandbox.create(CONFIG_MAPS, configMap("b", [{ apiVersion: "v1", kind: "ConfigMap", ...reference }]));
    await sandbox.settle();
    expect(names(sandbox)).toEqual(["a"]);
  });

  test("leaves an object alone whose owner is of a kind that is not served, until it is", async () => {
    await using sandbox = await TestSandbox.start();
    const owner = { apiVersion: "example.com/v1", kind: "Thing", name: "t", uid: "x" };
    await sandbox.create(CONFIG_MAPS, configMap("a", [owner]));
    await sandbox.settle();
    expect(names(sandbox)).toEqual(["a"]);
    using _things = sandbox.cluster.serve("example.com", "Thing", "things", true);
    await sandbox.settle();
    expect(names(sandbox)).toEqual([]);
  });

  test("takes away the dependents of custom resources, also when their kind goes with them", async () => {
    await using sandbox = await TestSandbox.start();
    const things = { group: "example.com", plural: "things" };
    using kind = sandbox.cluster.serve("example.com", "Thing", "things", true);
    const metadata = { name: "t", namespace: "default" };
    const owner = await sandbox.create(things, { apiVersion: "example.com/v1", kind: "Thing", metadata });
    await sandbox.create(CONFIG_MAPS, configMap("a", [ownedBy(owner)]));
    await sandbox.settle();
    await sandbox.cluster.delete(things, "default", "t");
    kind[Symbol.dispose]();
    await sandbox.settle();
    expect(names(sandbox)).toEqual([]);
  });

  test("waits for a dependent that blocks and has a finalizer, not for one that does not block", async () => {
    await using sandbox = await TestSandbox.start();
    const owner = await sandbox.create(CONFIG_MAPS, configMap("owner"));
    await sandbox.create(
      CONFIG_MAPS,
      configMap("blocks", [ownedBy(owner, { blockOwnerDeletion: true })], ["example.com/a"]),
    );
    await sandbox.create(CONFIG_MAPS, configMap("idle", [ownedBy(owner)], ["example.com/a"]));
    await sandbox.cluster.delete(CONFIG_MAPS, "default", "owner", { propagationPolicy: "Foreground" });
    await sandbox.settle();
    expect(names(sandbox)).toEqual(["owner", "blocks", "idle"]);
    await sandbox.cluster.patch(CONFIG_MAPS, "default", "blocks", { metadata: { finalizers: [] } });
    await sandbox.settle();
    expect(names(sandbox)).toEqual(["idle"]);
  });

  test("breaks a circle of owners that are deleted in the foreground", async () => {
    await using sandbox = await TestSandbox.start();
    const a = await sandbox.create(CONFIG_MAPS, configMap("a"));
    const b = await sandbox.create(CONFIG_MAPS, configMap("b", [ownedBy(a, { blockOwnerDeletion: true })]));
    const back = { ...ownedBy(b), blockOwnerDeletion: true };
    await sandbox.cluster.patch(CONFIG_MAPS, "default", "a", { metadata: { ownerReferences: [back] } });
    await sandbox.cluster.delete(CONFIG_MAPS, "default", "a", { propagationPolicy: "Foreground" });
    await sandbox.settle();
    expect(names(sandbox)).toEqual([]);
  });

  const link = fc.record({ from: fc.nat(9), to: fc.nat(9), blocks: fc.boolean() });
  const policies = fc.constantFrom("Foreground" as const, "Background" as const, "Orphan" as const);

  property.prop([fc.array(link, { maxLength: 20 }), fc.array(fc.tuple(fc.nat(9), policies), { maxLength: 5 })], {
    numRuns: 100,
  })("leaves no object whose owners are all gone, and none that waits for nothing", async (links, deletions) => {
    await using sandbox = await TestSandbox.start({ options: { nodes: [] } });
    const objects: KubeObject[] = [];
    for (let i = 0; i < 10; i++) {
      const owners = links.filter(({ from, to }) => from === i && to < i);
      const references = [...new Map(owners.map((one) => [one.to, one])).values()].flatMap(({ to, blocks }) => {
        const owner = objects[to];
        return owner === undefined ? [] : [ownedBy(owner, { blockOwnerDeletion: blocks })];
      });
      objects.push(
        await sandbox.create(i % 2 === 0 ? CONFIG_MAPS : SECRETS, {
          apiVersion: "v1",
          kind: i % 2 === 0 ? "ConfigMap" : "Secret",
          metadata: { name: `o${i}`, namespace: "default", ownerReferences: references },
        }),
      );
    }
    const orphaned = new Set<number>();
    for (const [index, propagationPolicy] of deletions) {
      const resource = index % 2 === 0 ? CONFIG_MAPS : SECRETS;
      if (sandbox.find(resource, `o${index}`) === undefined) continue;
      if (propagationPolicy === "Orphan") orphaned.add(index);
      await sandbox.cluster.delete(resource, "default", `o${index}`, { propagationPolicy });
      await sandbox.pass(1000);
    }
    const left = [...sandbox.list(CONFIG_MAPS), ...sandbox.list(SECRETS)];
    const uids = new Set(left.map(uidOf));
    for (const { metadata } of left) {
      expect(metadata.deletionTimestamp).toBeUndefined();
      expect((metadata.ownerReferences ?? []).every(({ uid }) => uids.has(uid))).toBe(true);
    }
    expect(sandbox.errors).toEqual([]);
  });

  test("lets the pods of an orphaning ReplicaSet be taken in by the next one", async () => {
    await using sandbox = await TestSandbox.with(DEPLOYMENTS, deployment({ replicas: 2 }));
    const [replicaSet] = sandbox.replicaSets();
    await sandbox.cluster.delete(REPLICA_SETS, "default", replicaSet?.metadata.name ?? "", {
      propagationPolicy: "Orphan",
    });
    await sandbox.pass(1000);
    const [adopter] = sandbox.replicaSets();
    expect(adopter?.metadata.uid).not.toBe(replicaSet?.metadata.uid);
    const owners = sandbox.list(PODS).map(({ metadata }) => metadata.ownerReferences?.[0]?.uid);
    expect(owners).toEqual([adopter?.metadata.uid, adopter?.metadata.uid]);
  });
});
