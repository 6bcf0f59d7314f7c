import { describe, expect, onTestFinished, test } from "vitest";
import {
  DELETION_POLICY_ANNOTATION,
  HASH_ANNOTATION,
  type KubeObject,
  MANAGED_BY_LABEL,
  OBJECT_ANNOTATION,
  OWNER_ANNOTATION,
} from "../../../src/apis/index.ts";
import type { ApplyRow } from "../../../src/desiredstate/index.ts";
import { CONFIGMAPS } from "../../../src/runtime/index.ts";
import { FakeClock } from "../../../src/runtime/testing/fakeClock.ts";
import { TestCluster } from "../federation/testCluster.ts";
import { MemberWriter } from "../../../src/clusters/write/memberWriter.ts";
import { NamespaceLabels } from "../../../src/clusters/model/carriedLabels.ts";
import { MemberNamespaces } from "../../../src/clusters/model/namespaces.ts";
import { observe } from "../../../src/clusters/model/observed.ts";
import { CONFIG_REF, OWNER, row } from "../../../src/clusters/testing/builders.ts";

const HUB = "hub";
const NONE = { yielded: [], kept: [] };
const marked: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "shop",
    namespace: "default",
    labels: { [MANAGED_BY_LABEL]: HUB },
    annotations: {
      [OWNER_ANNOTATION]: JSON.stringify(OWNER),
      [OBJECT_ANNOTATION]: "/ConfigMap/default/shop",
      [HASH_ANNOTATION]: "h1",
    },
  },
  data: { key: "value" },
};
const wanted = (change: Partial<ApplyRow> = {}): ApplyRow => row({ ref: CONFIG_REF, object: marked, ...change });

/** A cluster of the sandbox, and a writer for it; `earlier` is a connection for what Meridian wrote before. */
async function member() {
  const clock = new FakeClock();
  const server = await TestCluster.start({ name: "shanghai-1", clock, controllers: { readinessDelayMs: 0 } });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const [client, earlier] = [server.connect(clock), server.connect(clock)];
  const writer = new MemberWriter({
    client,
    signal: new AbortController().signal,
    hubId: HUB,
    systemNamespace: "meridian-system",
    namespaces: new MemberNamespaces({ cluster: "shanghai-1", client }, HUB, new NamespaceLabels()),
    typeOf: () => CONFIGMAPS,
    vanished: () => undefined,
    serves: () => true,
  });
  return { server, client, earlier, writer };
}

describe("the first write", () => {
  test("never merges with what appeared a moment before, though no field of it is in the way", async () => {
    const { server, client, writer } = await member();
    const theirs = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shop", namespace: "default" } };
    client.gate = async ({ verb, phase }) => {
      if (verb === "apply" && phase === "before") await server.create(CONFIGMAPS, theirs);
    };
    await expect(writer.create(wanted())).rejects.toMatchObject({ reason: "AlreadyExists" });
    expect(server.get(CONFIGMAPS, "default", "shop").metadata).not.toHaveProperty("labels");
    expect(server.get(CONFIGMAPS, "default", "shop")).not.toHaveProperty("data");
    expect(client.calls).toEqual(["apply configmaps", "get configmaps"]);
  });

  test("names the life that was looked at when it takes something up", async () => {
    const { server, client, writer } = await member();
    await server.create(CONFIGMAPS, { ...marked, metadata: { name: "shop", namespace: "default" } });
    client.gate = async ({ verb, phase }) => {
      if (verb !== "get" || phase !== "after") return;
      await server.delete(CONFIGMAPS, "default", "shop");
      await server.create(CONFIGMAPS, { ...marked, metadata: { name: "shop", namespace: "default" } });
    };
    await expect(writer.create(wanted({ conflictResolution: "Adopt" }))).rejects.toThrow(/uid/i);
    expect(server.get(CONFIGMAPS, "default", "shop").metadata).not.toHaveProperty("labels");
  });
});

describe("later writes", () => {
  test("an update of another life than the one that was seen is refused", async () => {
    const { server, writer } = await member();
    const observed = observe(await server.create(CONFIGMAPS, marked));
    await server.delete(CONFIGMAPS, "default", "shop");
    await expect(writer.update(wanted(), observed, [], NONE)).rejects.toThrow(/uid/);
    expect(server.has(CONFIGMAPS, "default", "shop")).toBe(false);
  });

  describe("of an object of which something is left to the member", () => {
    const before = { ...marked, data: { key: "value", theirs: "1" } };
    const change = { unretained: before, hash: "h2" };
    const ownersOf = (object: KubeObject) =>
      (object.metadata.managedFields ?? []).map(({ manager, fieldsV1 }) => [manager, fieldsV1?.["f:data"]]);

    test("keep the value that is there, and own it no more", async () => {
      const { server, earlier, client, writer } = await member();
      const observed = observe(await earlier.apply(CONFIGMAPS, before));
      await writer.update(wanted(change), observed, [], NONE);
      const after = server.get(CONFIGMAPS, "default", "shop");
      expect(after["data"]).toEqual({ key: "value", theirs: "1" });
      expect(ownersOf(after)).toEqual([["meridian", { "f:key": {} }]]);
      expect(client.writes).toEqual(["patch configmaps", "apply configmaps"]);
    });

    test.each(["Abort", "Adopt"] as const)("do so too when the object is found without its label: %s", async (how) => {
      const { server, earlier, writer } = await member();
      await earlier.apply(CONFIGMAPS, { ...before, metadata: { ...before.metadata, labels: {} } });
      await writer.create(wanted({ ...change, conflictResolution: how }));
      expect(server.get(CONFIGMAPS, "default", "shop")["data"]).toEqual({ key: "value", theirs: "1" });
    });
  });

  test("letting go leaves the object without our marks, and without proof that it was ours", async () => {
    const { server, earlier, client, writer } = await member();
    const ownerReferences = [
      { apiVersion: "v1", kind: "ConfigMap", name: "shop", uid: OWNER.uid, controller: true },
      { apiVersion: "v1", kind: "ConfigMap", name: "theirs", uid: "theirs" },
    ];
    const { metadata, ...object } = marked;
    const annotations = { ...metadata.annotations, [DELETION_POLICY_ANNOTATION]: "Orphan" };
    await earlier.apply(CONFIGMAPS, { ...object, metadata: { ...metadata, annotations, ownerReferences } });
    const observed = observe(await server.merge(CONFIGMAPS, "default", "shop", { data: { theirs: "1" } }));
    await writer.release(CONFIG_REF, observed);
    const after = server.get(CONFIGMAPS, "default", "shop");
    expect([after.metadata.labels ?? {}, after.metadata.annotations ?? {}]).toEqual([{}, {}]);
    expect(after.metadata.ownerReferences).toEqual([ownerReferences[1]]);
    expect(after.metadata.managedFields?.map(({ manager }) => manager)).toEqual(["kubectl"]);
    expect(after["data"]).toEqual({ key: "value", theirs: "1" });
    expect(client.writes).toEqual(["patch configmaps"]);
  });

  test("letting go of another life changes nothing", async () => {
    const { server, writer } = await member();
    const observed = observe(await server.create(CONFIGMAPS, marked));
    await writer.release(CONFIG_REF, { uid: "another", visible: true });
    expect(server.get(CONFIGMAPS, "default", "shop").metadata).toMatchObject({
      uid: observed.uid,
      resourceVersion: observed.resourceVersion,
      labels: { [MANAGED_BY_LABEL]: HUB },
    });
  });

  test("a delete of what is gone is no failure; one of another life is", async () => {
    const { server, writer } = await member();
    const observed = observe(await server.create(CONFIGMAPS, marked));
    await expect(writer.delete(CONFIG_REF, { uid: "another", visible: true }, {})).rejects.toThrow(/UID/);
    await writer.delete(CONFIG_REF, observed, {});
    await writer.delete(CONFIG_REF, observed, {});
    expect(server.has(CONFIGMAPS, "default", "shop")).toBe(false);
  });
});
