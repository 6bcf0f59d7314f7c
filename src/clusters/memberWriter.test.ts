import { describe, expect, test } from "vitest";
import { HASH_ANNOTATION, type KubeObject, MANAGED_BY_LABEL, OWNER_ANNOTATION } from "../apis/index.ts";
import { ApiError, CONFIGMAPS, type Informer, NAMESPACES } from "../runtime/index.ts";
import { createLogger } from "../observability/index.ts";
import { Discovery } from "../runtime/index.ts";
import { FakeApiClient, FakeApiServer } from "../runtime/testing/fakeApiServer.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { ForeignCheck } from "./foreignCheck.ts";
import { MemberWriter } from "./memberWriter.ts";
import { NamespaceJanitor } from "./namespaceJanitor.ts";
import { isOurNamespace, MemberNamespaces } from "./namespaces.ts";
import { observe } from "./observed.ts";
import { DesiredStateTable, type Entry } from "./table.ts";
import { CONFIG_REF, OWNER, OWNER_KEY, row } from "./testing/builders.ts";

const HUB = "hub";
const marked = (namespace: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "shop",
    namespace,
    labels: { [MANAGED_BY_LABEL]: HUB },
    annotations: { [OWNER_ANNOTATION]: JSON.stringify(OWNER), [HASH_ANNOTATION]: "h1" },
  },
  data: { key: "value" },
});

function member() {
  const server = new FakeApiServer("member-uid");
  const client = new FakeApiClient(server, "shanghai-1");
  const clock = new FakeClock();
  const end = new AbortController();
  const namespaces = new MemberNamespaces(client, HUB);
  const observed: KubeObject[] = [];
  const table = new DesiredStateTable({ entryChanged: () => undefined, ownerChanged: () => undefined });
  const writer = new MemberWriter({
    client,
    signal: end.signal,
    foreign: new ForeignCheck(client, HUB, clock),
    namespaces,
    typeOf: () => CONFIGMAPS,
    isSynced: () => true,
    wrote: (_type, object) => void observed.push(object),
    invalidateDiscovery: () => undefined,
  });
  const wanted = (namespace = "default", change: Partial<ReturnType<typeof row>> = {}): Entry => {
    const ref = { ...CONFIG_REF, namespace };
    table.replace(OWNER_KEY, [row({ ref, object: marked(namespace), ...change })], { release: "Delete", monotonic: 0 });
    const [entry] = table.entriesIn("shanghai-1");
    if (entry === undefined) throw new Error("no entry");
    return entry;
  };
  const see = (object: KubeObject): Entry | undefined => table.observe("shanghai-1", CONFIG_REF, observe(object), 0);
  return { server, client, clock, end, namespaces, observed, table, writer, wanted, see };
}

describe("the first write", () => {
  test("creates the namespace that is missing, marked as ours, and tells what the server answered", async () => {
    const { server, client, writer, wanted, observed } = member();
    await writer.create(wanted("team"));
    expect(isOurNamespace(server.get(NAMESPACES, undefined, "team"), HUB)).toBe(true);
    expect(client.writes).toEqual(["apply configmaps", "create namespaces", "apply configmaps"]);
    expect(observed).toEqual([server.get(CONFIGMAPS, "team", "shop")]);
  });

  test("of many objects creates a missing namespace once", async () => {
    const { client, namespaces, end } = member();
    await Promise.all([namespaces.ensure("team", end.signal), namespaces.ensure("team", end.signal)]);
    await namespaces.ensure("team", end.signal);
    expect(client.writes).toEqual(["create namespaces", "create namespaces"]);
  });

  test("does not force its way into what appeared after the check", async () => {
    const { server, client, writer, wanted } = member();
    client.gate = ({ verb, phase }) => {
      if (verb === "apply" && phase === "before")
        server.create(CONFIGMAPS, {
          ...marked("default"),
          metadata: { name: "shop", namespace: "default" },
          data: { key: "theirs" },
        });
    };
    await expect(writer.create(wanted())).rejects.toThrow(/conflict/);
    expect(server.get(CONFIGMAPS, "default", "shop")["data"]).toEqual({ key: "theirs" });
  });

  test("waits while its namespace is being removed", async () => {
    const { server, client, namespaces, end, writer, wanted } = member();
    await namespaces.ensure("team", end.signal);
    const arrives = Promise.withResolvers<void>();
    client.gate = async ({ verb, phase }) => {
      if (verb === "delete" && phase === "before") await arrives.promise;
    };
    const removing = namespaces.remove(server.get(NAMESPACES, undefined, "team"), end.signal);
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
    const { server, writer, wanted, see } = member();
    wanted();
    const entry = see(server.create(CONFIGMAPS, marked("default")));
    server.delete(CONFIGMAPS, "default", "shop");
    if (entry === undefined) throw new Error("no entry");
    await expect(writer.update(entry, [])).rejects.toThrow(/uid/);
    expect(server.has(CONFIGMAPS, "default", "shop")).toBe(false);
  });

  describe("of an object of which something is left to the member", () => {
    const before = { ...marked("default"), data: { key: "value", theirs: "1" } };
    const change = { unretained: before, hash: "h2" };
    const ownersOf = (object: KubeObject) =>
      (object.metadata.managedFields ?? []).map(({ manager, fieldsV1 }) => [manager, fieldsV1?.["f:data"]]);

    test("keep the value that is there, and own it no more", async () => {
      const { server, client, writer, wanted, see } = member();
      wanted("default", change);
      const entry = see(server.apply(CONFIGMAPS, before));
      if (entry === undefined) throw new Error("no entry");
      await writer.update(entry, []);
      const after = server.get(CONFIGMAPS, "default", "shop");
      expect(after["data"]).toEqual({ key: "value", theirs: "1" });
      expect(ownersOf(after)).toEqual([["meridian", { "f:key": {} }]]);
      expect(client.writes).toEqual(["patch configmaps", "apply configmaps"]);
    });

    test("send nothing more once it is given up", async () => {
      const { server, client, writer, wanted, see } = member();
      wanted("default", change);
      const entry = see(server.apply(CONFIGMAPS, marked("default")));
      if (entry === undefined) throw new Error("no entry");
      await writer.update(entry, []);
      expect(client.writes).toEqual(["apply configmaps"]);
      client.calls.length = 0;
      // Only a drift: nothing new is left to the member.
      see(server.merge(CONFIGMAPS, "default", "shop", { metadata: { annotations: { [HASH_ANNOTATION]: "h2" } } }));
      await writer.update(entry, []);
      expect(client.calls).toEqual(["apply configmaps"]);
    });

    test("do so too when the object is found without its label, or is taken over", async () => {
      const { server, writer, wanted } = member();
      server.apply(CONFIGMAPS, { ...before, metadata: { ...before.metadata, labels: {} } });
      await writer.create(wanted("default", change));
      expect(server.get(CONFIGMAPS, "default", "shop")["data"]).toEqual({ key: "value", theirs: "1" });
    });

    test("read again when somebody wrote in between, and leave it to another time when that goes on", async () => {
      const { server, client, writer, wanted, see } = member();
      wanted("default", change);
      const entry = see(server.apply(CONFIGMAPS, before));
      if (entry === undefined) throw new Error("no entry");
      let others = 2;
      client.gate = ({ verb, phase }) => {
        if (verb !== "patch" || phase !== "before" || others-- <= 0) return;
        server.merge(CONFIGMAPS, "default", "shop", { metadata: { annotations: { seen: String(others) } } }, "other");
      };
      await writer.update(entry, []);
      expect(server.get(CONFIGMAPS, "default", "shop")["data"]).toEqual({ key: "value", theirs: "1" });
      others = 100;
      see(server.apply(CONFIGMAPS, before, { force: true }));
      await expect(writer.update(entry, [])).rejects.toMatchObject({ status: 409 });
      expect(server.get(CONFIGMAPS, "default", "shop")["data"]).toEqual({ key: "value", theirs: "1" });
    });
  });

  test("letting go leaves the object without our marks, and waits for the watch to say so", async () => {
    const { server, writer, observed, see } = member();
    const entry = see(server.create(CONFIGMAPS, marked("default")));
    if (entry?.observed === undefined) throw new Error("no entry");
    await writer.release(entry, entry.observed.uid);
    const { metadata, ...rest } = server.get(CONFIGMAPS, "default", "shop");
    expect([metadata.labels, metadata.annotations]).toEqual([{}, {}]);
    expect(rest["data"]).toEqual({ key: "value" });
    expect(observed).toEqual([]);
  });

  test("letting go of another life changes nothing", async () => {
    const { server, writer, see } = member();
    const entry = see(server.create(CONFIGMAPS, marked("default")));
    if (entry === undefined) throw new Error("no entry");
    await expect(writer.release(entry, "another")).rejects.toThrow(ApiError);
    expect(server.get(CONFIGMAPS, "default", "shop").metadata.labels).toEqual({ [MANAGED_BY_LABEL]: HUB });
  });

  test("a delete of what is gone is no failure; one of another life is", async () => {
    const { server, writer, see } = member();
    const entry = see(server.create(CONFIGMAPS, marked("default")));
    if (entry?.observed === undefined) throw new Error("no entry");
    await expect(writer.delete(entry, "another")).rejects.toThrow(/UID/);
    await writer.delete(entry, entry.observed.uid);
    await writer.delete(entry, entry.observed.uid);
    expect(server.has(CONFIGMAPS, "default", "shop")).toBe(false);
  });
});

describe("the janitor of namespaces", () => {
  async function withJanitor(deletesAllowed: () => boolean = () => true) {
    const parts = member();
    const { server, client, clock, end, namespaces, table } = parts;
    await namespaces.ensure("team", end.signal);
    const informer = {
      get: (name: string) => server.find(NAMESPACES, undefined, name),
      list: () => server.list(NAMESPACES),
      onEvent: () => ({ [Symbol.dispose]: () => undefined }),
    };
    const kept: string[] = [];
    const janitor = new NamespaceJanitor({
      session: {
        cluster: "shanghai-1",
        client,
        discovery: new Discovery(client, clock),
        clusterUid: "member-uid",
        local: false,
        signal: end.signal,
        suspect: () => undefined,
      },
      table,
      hubId: HUB,
      clock,
      random: () => 0.5,
      logger: createLogger({ level: "silent" }),
      informer: informer as unknown as Informer<KubeObject>,
      namespaces,
      deletesAllowed,
      custody: { isAlone: () => true, isOthers: () => Promise.resolve(false) },
      namespaceKept: (namespace, why) => void kept.push(`${namespace}: ${why}`),
    });
    janitor.start();
    return { ...parts, janitor, kept };
  }

  test("removes what is ours and empty, and nothing else", async () => {
    const { server, clock, janitor } = await withJanitor();
    janitor.considerAll();
    await clock.advance(10);
    expect(
      server
        .list(NAMESPACES)
        .map(({ metadata }) => metadata.name)
        .toSorted(),
    ).toEqual(["default", "kube-system"]);
  });

  test.each([
    { name: "the gate is closed", closed: true, prepare: () => undefined },
    {
      name: "something is to be in it",
      closed: false,
      prepare: ({ wanted }: ReturnType<typeof member>) => void wanted("team"),
    },
    {
      name: "something foreign is in it",
      closed: false,
      prepare: ({ server }: ReturnType<typeof member>) =>
        void server.create(CONFIGMAPS, {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "theirs", namespace: "team" },
        }),
    },
    {
      name: "a kind cannot be listed",
      closed: false,
      prepare: ({ client }: ReturnType<typeof member>) => {
        client.gate = ({ verb, type }) => {
          if (verb === "list" && type?.kind === "Secret") throw new ApiError(403, "Forbidden", "no");
        };
      },
    },
  ])("keeps it while $name", async ({ closed, prepare }) => {
    const parts = await withJanitor(() => !closed);
    prepare(parts);
    parts.janitor.considerAll();
    await parts.clock.advance(60_000);
    expect(parts.server.has(NAMESPACES, undefined, "team")).toBe(true);
  });

  test("says once why a namespace stays that it cannot look through, and removes it when it can", async () => {
    const { server, client, clock, janitor, kept } = await withJanitor();
    client.gate = ({ verb, type }) => {
      if (verb === "list" && type?.kind === "Secret") throw new ApiError(403, "Forbidden", "no");
    };
    janitor.considerAll();
    await clock.advance(300_000);
    expect(kept).toEqual(["team: secrets may not be listed there"]);
    client.gate = () => undefined;
    await clock.advance(300_000);
    expect(server.has(NAMESPACES, undefined, "team")).toBe(false);
    expect(kept).toHaveLength(1);
  });

  test("keeps it when something is placed there while it looks", async () => {
    const { server, client, clock, janitor, wanted } = await withJanitor();
    client.gate = ({ verb, phase }) => {
      if (verb === "list" && phase === "after") wanted("team");
    };
    janitor.considerAll();
    await clock.advance(60_000);
    expect(server.has(NAMESPACES, undefined, "team")).toBe(true);
  });

  test("looks again when it was asked while it looked", async () => {
    const { server, client, clock, janitor, table, wanted } = await withJanitor();
    let placed = false;
    client.gate = ({ verb, phase }) => {
      if (verb !== "list" || phase !== "after" || placed) return;
      placed = true;
      wanted("team");
      queueMicrotask(() => {
        table.replace(OWNER_KEY, [], { release: "Delete", monotonic: 0 });
        janitor.consider("team");
      });
    };
    janitor.considerAll();
    await clock.advance(10);
    expect(server.has(NAMESPACES, undefined, "team")).toBe(false);
  });
});
