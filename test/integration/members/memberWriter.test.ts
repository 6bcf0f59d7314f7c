import { describe, expect, test } from "vitest";
import {
  DELETION_POLICY_ANNOTATION,
  HASH_ANNOTATION,
  type KubeObject,
  MANAGED_BY_LABEL,
  OBJECT_ANNOTATION,
  OWNER_ANNOTATION,
  refKey,
} from "../../../src/apis/index.ts";
import type { ApplyRow } from "../../../src/desiredstate/index.ts";
import { CONFIGMAPS, NAMESPACES, TransportError } from "../../../src/runtime/index.ts";
import { startMember } from "./testMember.ts";
import { MemberWriter } from "../../../src/clusters/write/memberWriter.ts";
import { NamespaceLabels } from "../../../src/clusters/model/carriedLabels.ts";
import { MemberNamespaces, wasCreatedByMeridian } from "../../../src/clusters/model/namespaces.ts";
import { observe } from "../../../src/clusters/model/observed.ts";
import { CONFIG_REF, OWNER, row } from "../../../src/clusters/testing/builders.ts";

const HUB = "hub";
const NONE = { yielded: [], kept: [] };
const marked = (namespace: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "shop",
    namespace,
    labels: { [MANAGED_BY_LABEL]: HUB },
    annotations: {
      [OWNER_ANNOTATION]: JSON.stringify(OWNER),
      [OBJECT_ANNOTATION]: `/ConfigMap/${namespace}/shop`,
      [HASH_ANNOTATION]: "h1",
    },
  },
  data: { key: "value" },
});

async function member(granted?: readonly string[]) {
  const { server, client, earlier, pass } = await startMember();
  const end = new AbortController();
  const vanished: string[] = [];
  const namespaces = new MemberNamespaces(
    { cluster: "shanghai-1", client, namespaces: granted },
    HUB,
    new NamespaceLabels(),
  );
  const writer = new MemberWriter({
    client,
    signal: end.signal,
    hubId: HUB,
    systemNamespace: "meridian-system",
    namespaces,
    typeOf: () => CONFIGMAPS,
    vanished: (ref, uid) => void vanished.push(`${refKey(ref)} ${uid}`),
    serves: () => true,
  });
  const wanted = (namespace = "default", change: Partial<ApplyRow> = {}): ApplyRow =>
    row({ ref: { ...CONFIG_REF, namespace }, object: marked(namespace), ...change });
  return { server, client, earlier, pass, end, namespaces, writer, wanted, vanished };
}

describe("the first write", () => {
  test("makes no namespace where the account is bounded to some, and says who does", async () => {
    const { server, writer, wanted } = await member(["bank"]);
    await expect(writer.create(wanted("bank"))).rejects.toThrow(
      "namespace bank is gone: `meridian join shanghai-1 --renew --member-kubeconfig FILE` makes it again",
    );
    expect(server.has(NAMESPACES, undefined, "bank")).toBe(false);
  });

  test("creates the namespace that is missing, marked as ours, and answers what the server said", async () => {
    const { server, client, writer, wanted } = await member();
    const written = await writer.create(wanted("team"));
    const made = server.get(NAMESPACES, undefined, "team");
    expect([wasCreatedByMeridian(made), made.metadata.labels]).toMatchObject([true, { [MANAGED_BY_LABEL]: HUB }]);
    // A copy under another name is not ours.
    expect(wasCreatedByMeridian({ ...made, metadata: { ...made.metadata, name: "copy" } })).toBe(false);
    expect(client.writes).toEqual(["apply configmaps", "create namespaces", "apply configmaps"]);
    expect(written).toEqual({ type: CONFIGMAPS, object: server.get(CONFIGMAPS, "team", "shop"), altered: [] });
  });

  test("of many objects creates a missing namespace once", async () => {
    const { client, namespaces, end } = await member();
    await Promise.all([namespaces.ensure("team", end.signal), namespaces.ensure("team", end.signal)]);
    await namespaces.ensure("team", end.signal);
    expect(client.writes).toEqual(["create namespaces", "create namespaces"]);
  });

  test("is one request when the name is free", async () => {
    const { client, writer, wanted } = await member();
    await writer.create(wanted());
    expect(client.calls).toEqual(["apply configmaps"]);
  });

  test("never merges with what appeared a moment before, though no field of it is in the way", async () => {
    const { server, client, writer, wanted } = await member();
    const theirs = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shop", namespace: "default" } };
    client.gate = async ({ verb, phase }) => {
      if (verb === "apply" && phase === "before") await server.create(CONFIGMAPS, theirs);
    };
    await expect(writer.create(wanted())).rejects.toMatchObject({ reason: "AlreadyExists" });
    expect(server.get(CONFIGMAPS, "default", "shop").metadata).not.toHaveProperty("labels");
    expect(server.get(CONFIGMAPS, "default", "shop")).not.toHaveProperty("data");
    expect(client.calls).toEqual(["apply configmaps", "get configmaps"]);
  });

  test("is tried anew when what held the name is gone again", async () => {
    const { server, client, writer, wanted } = await member();
    await server.create(CONFIGMAPS, { ...marked("default"), metadata: { name: "shop", namespace: "default" } });
    client.gate = async ({ verb, phase }) => {
      if (verb === "get" && phase === "before") await server.delete(CONFIGMAPS, "default", "shop");
    };
    await expect(writer.create(wanted())).rejects.toMatchObject({ status: 409, reason: "Conflict" });
    await writer.create(wanted());
    expect(server.has(CONFIGMAPS, "default", "shop")).toBe(true);
  });

  test("waits for what is on its way out", async () => {
    const { server, writer, wanted } = await member();
    const held = { name: "shop", namespace: "default", finalizers: ["example.com/wait"] };
    await server.create(CONFIGMAPS, { ...marked("default"), metadata: held });
    await server.delete(CONFIGMAPS, "default", "shop");
    await expect(writer.create(wanted("default", { conflictResolution: "Adopt" }))).rejects.toMatchObject({
      reason: "Conflict",
    });
    expect(server.get(CONFIGMAPS, "default", "shop").metadata).not.toHaveProperty("labels");
  });

  test("takes up its own object when the answer to the first attempt was lost", async () => {
    const { server, client, writer, wanted } = await member();
    client.gate = ({ verb, phase }) => {
      if (verb === "apply" && phase === "after" && client.calls.length === 1)
        throw new TransportError("ConnectionReset", "broken off");
    };
    await expect(writer.create(wanted())).rejects.toThrow("broken off");
    const before = server.get(CONFIGMAPS, "default", "shop");
    expect((await writer.create(wanted())).object).toEqual(before);
  });

  test("takes up its own object without its label", async () => {
    const { server, earlier, writer, wanted } = await member();
    await earlier.apply(CONFIGMAPS, marked("default"));
    await server.merge(CONFIGMAPS, "default", "shop", { metadata: { labels: { [MANAGED_BY_LABEL]: null } } });
    await writer.create(wanted());
    expect(server.get(CONFIGMAPS, "default", "shop").metadata.labels).toEqual({ [MANAGED_BY_LABEL]: HUB });
  });

  test("takes up what a backup of the member brought back", async () => {
    const { server, writer, wanted } = await member();
    const { metadata, ...rest } = marked("default");
    await server.create(CONFIGMAPS, { ...rest, metadata: { ...metadata, labels: {} } });
    const { object } = await writer.create(wanted());
    expect(observe(object)).toMatchObject({ isOurs: true, proven: true });
  });

  test.each([
    { name: "names another object", change: { [OBJECT_ANNOTATION]: "/ConfigMap/default/another" } },
    {
      name: "names another life of the hub object",
      change: { [OWNER_ANNOTATION]: JSON.stringify({ ...OWNER, uid: "x" }) },
    },
    { name: "names nobody that could be read", change: { [OWNER_ANNOTATION]: "{" } },
  ])("leaves an object without label alone that $name", async ({ change }) => {
    const { server, writer, wanted } = await member();
    const { metadata, ...rest } = marked("default");
    const copied = { ...metadata, labels: {}, annotations: { ...metadata.annotations, ...change } };
    await server.create(CONFIGMAPS, { ...rest, metadata: copied });
    await expect(writer.create(wanted())).rejects.toMatchObject({ reason: "AlreadyExists" });
  });

  test("names the life that was looked at when it takes something up", async () => {
    const { server, client, writer, wanted } = await member();
    await server.create(CONFIGMAPS, { ...marked("default"), metadata: { name: "shop", namespace: "default" } });
    client.gate = async ({ verb, phase }) => {
      if (verb !== "get" || phase !== "after") return;
      await server.delete(CONFIGMAPS, "default", "shop");
      await server.create(CONFIGMAPS, { ...marked("default"), metadata: { name: "shop", namespace: "default" } });
    };
    await expect(writer.create(wanted("default", { conflictResolution: "Adopt" }))).rejects.toThrow(/uid/i);
    expect(server.get(CONFIGMAPS, "default", "shop").metadata).not.toHaveProperty("labels");
  });

  test("waits while its namespace is being removed", async () => {
    const { server, client, pass, namespaces, end, writer, wanted } = await member();
    await namespaces.ensure("team", end.signal);
    const arrives = Promise.withResolvers<void>();
    client.gate = async ({ verb, phase }) => {
      if (verb !== "delete") return;
      // The member finishes the deletion before the answer is read.
      await (phase === "before" ? arrives.promise : pass(0));
    };
    const { uid = "", resourceVersion = "" } = server.get(NAMESPACES, undefined, "team").metadata;
    const removing = namespaces.remove({ name: "team", uid, resourceVersion }, end.signal);
    const creating = writer.create(wanted("team"));
    await new Promise((resolve) => setImmediate(resolve));
    arrives.resolve();
    expect(await removing).toBe(true);
    await creating;
    expect(server.has(CONFIGMAPS, "team", "shop")).toBe(true);
  });
});

describe("later writes", () => {
  test("an update of another life than the one that was seen is refused", async () => {
    const { server, writer, wanted } = await member();
    const observed = observe(await server.create(CONFIGMAPS, marked("default")));
    await server.delete(CONFIGMAPS, "default", "shop");
    await expect(writer.update(wanted(), observed, [], NONE)).rejects.toThrow(/uid/);
    expect(server.has(CONFIGMAPS, "default", "shop")).toBe(false);
  });

  describe("of an object of which something is left to the member", () => {
    const before = { ...marked("default"), data: { key: "value", theirs: "1" } };
    const change = { unretained: before, hash: "h2" };
    const ownersOf = (object: KubeObject) =>
      (object.metadata.managedFields ?? []).map(({ manager, fieldsV1 }) => [manager, fieldsV1?.["f:data"]]);

    test("keep the value that is there, and own it no more", async () => {
      const { server, earlier, client, writer, wanted } = await member();
      const observed = observe(await earlier.apply(CONFIGMAPS, before));
      await writer.update(wanted("default", change), observed, [], NONE);
      const after = server.get(CONFIGMAPS, "default", "shop");
      expect(after["data"]).toEqual({ key: "value", theirs: "1" });
      expect(ownersOf(after)).toEqual([["meridian", { "f:key": {} }]]);
      expect(client.writes).toEqual(["patch configmaps", "apply configmaps"]);
    });

    test("send nothing more once it is given up", async () => {
      const { server, earlier, client, writer, wanted } = await member();
      const observed = observe(await earlier.apply(CONFIGMAPS, marked("default")));
      await writer.update(wanted("default", change), observed, [], NONE);
      expect(client.writes).toEqual(["apply configmaps"]);
      client.calls.length = 0;
      // Only a drift: nothing new is left to the member.
      const annotations = { [HASH_ANNOTATION]: "h2" };
      const drifted = observe(await server.merge(CONFIGMAPS, "default", "shop", { metadata: { annotations } }));
      await writer.update(wanted("default", change), drifted, [], NONE);
      expect(client.calls).toEqual(["apply configmaps"]);
    });

    test.each(["Abort", "Adopt"] as const)("do so too when the object is found without its label: %s", async (how) => {
      const { server, earlier, writer, wanted } = await member();
      await earlier.apply(CONFIGMAPS, { ...before, metadata: { ...before.metadata, labels: {} } });
      await writer.create(wanted("default", { ...change, conflictResolution: how }));
      expect(server.get(CONFIGMAPS, "default", "shop")["data"]).toEqual({ key: "value", theirs: "1" });
    });

    test("read again when somebody wrote in between, and leave it to another time when that goes on", async () => {
      const { server, earlier, client, writer, wanted } = await member();
      const observed = observe(await earlier.apply(CONFIGMAPS, before));
      let others = 2;
      client.gate = async ({ verb, phase }) => {
        if (verb !== "patch" || phase !== "before" || others-- <= 0) return;
        await server.merge(CONFIGMAPS, "default", "shop", { metadata: { annotations: { seen: String(others) } } });
      };
      await writer.update(wanted("default", change), observed, [], NONE);
      expect(server.get(CONFIGMAPS, "default", "shop")["data"]).toEqual({ key: "value", theirs: "1" });
      others = 100;
      const again = observe(await earlier.apply(CONFIGMAPS, before, { force: true }));
      await expect(writer.update(wanted("default", change), again, [], NONE)).rejects.toMatchObject({ status: 409 });
      expect(server.get(CONFIGMAPS, "default", "shop")["data"]).toEqual({ key: "value", theirs: "1" });
    });
  });

  test("letting go leaves the object without our marks, and without proof that it was ours", async () => {
    const { server, earlier, client, writer } = await member();
    const ownerReferences = [
      { apiVersion: "v1", kind: "ConfigMap", name: "shop", uid: OWNER.uid, controller: true },
      { apiVersion: "v1", kind: "ConfigMap", name: "theirs", uid: "theirs" },
    ];
    const { metadata, ...object } = marked("default");
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

  test("letting go of what nobody else has written leaves it to nobody", async () => {
    const { server, earlier, writer } = await member();
    const observed = observe(await earlier.apply(CONFIGMAPS, marked("default")));
    await writer.release(CONFIG_REF, observed);
    const after = server.get(CONFIGMAPS, "default", "shop");
    expect(after.metadata.managedFields ?? []).toEqual([]);
    expect(after["data"]).toEqual({ key: "value" });
  });

  test("letting go is tried again when somebody wrote in between", async () => {
    const { server, earlier, client, writer } = await member();
    const observed = observe(await earlier.apply(CONFIGMAPS, marked("default")));
    let others = 2;
    client.gate = async ({ verb, phase }) => {
      if (verb !== "patch" || phase !== "before" || others-- <= 0) return;
      await server.merge(CONFIGMAPS, "default", "shop", { data: { theirs: String(others) } });
    };
    await writer.release(CONFIG_REF, observed);
    expect(server.get(CONFIGMAPS, "default", "shop").metadata.labels ?? {}).toEqual({});
  });

  test("letting go of another life changes nothing", async () => {
    const { server, writer } = await member();
    const observed = observe(await server.create(CONFIGMAPS, marked("default")));
    await writer.release(CONFIG_REF, { uid: "another", visible: true });
    expect(server.get(CONFIGMAPS, "default", "shop").metadata).toMatchObject({
      uid: observed.uid,
      resourceVersion: observed.resourceVersion,
      labels: { [MANAGED_BY_LABEL]: HUB },
    });
  });

  test("a delete of what is gone is no failure; one of another life is", async () => {
    const { server, writer } = await member();
    const observed = observe(await server.create(CONFIGMAPS, marked("default")));
    await expect(writer.delete(CONFIG_REF, { uid: "another", visible: true }, {})).rejects.toThrow(/UID/);
    await writer.delete(CONFIG_REF, observed, {});
    await writer.delete(CONFIG_REF, observed, {});
    expect(server.has(CONFIGMAPS, "default", "shop")).toBe(false);
  });

  describe("of an object that no watch sees", () => {
    const KEY = "/ConfigMap/default/shop";
    const unreadable = (object: KubeObject) => ({ ...observe(object), visible: false });

    test("whether it is there, going or gone is found by its name", async () => {
      const { server, earlier, writer } = await member();
      const object = marked("default");
      const labels = { [MANAGED_BY_LABEL]: null };
      const held = { ...object, metadata: { ...object.metadata, finalizers: ["example.com/wait"] } };
      const { uid } = observe(await earlier.apply(CONFIGMAPS, held));
      await server.merge(CONFIGMAPS, "default", "shop", { metadata: { labels } });
      await expect(writer.find(CONFIG_REF, OWNER)).resolves.toMatchObject({ uid, visible: false, deleting: false });
      await expect(writer.find(CONFIG_REF, { ...OWNER, uid: "another" })).resolves.toBeUndefined();
      await writer.delete(CONFIG_REF, { uid, visible: true }, {});
      await expect(writer.find(CONFIG_REF, OWNER)).resolves.toMatchObject({ uid, visible: false, deleting: true });
      await server.merge(CONFIGMAPS, "default", "shop", { metadata: { finalizers: null } });
      await expect(writer.find(CONFIG_REF, OWNER)).resolves.toBeUndefined();
    });

    test("what was let go of is not found", async () => {
      const { earlier, writer } = await member();
      const { uid } = observe(await earlier.apply(CONFIGMAPS, marked("default")));
      await writer.release(CONFIG_REF, { uid, visible: true });
      await expect(writer.find(CONFIG_REF, OWNER)).resolves.toBeUndefined();
    });

    test("an update of what is gone says so", async () => {
      const { server, earlier, writer, wanted, vanished } = await member();
      const observed = unreadable(await earlier.apply(CONFIGMAPS, marked("default")));
      await server.delete(CONFIGMAPS, "default", "shop");
      await expect(writer.update(wanted(), observed, [], NONE)).rejects.toThrow(/uid/i);
      expect(vanished).toEqual([`${KEY} ${observed.uid}`]);
    });
  });
});
