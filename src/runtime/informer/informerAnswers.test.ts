import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { CONFIGMAPS } from "../client/resources.ts";
import { ServerHistory } from "../client/serverHistory.ts";
import { broken, configMap, startInformer } from "../testing/informerOfConfigMaps.ts";
import type { WatchOptions } from "../types.ts";

/** The question where the server is, before a watch goes on where it was. */
const isCheck = (options: object): boolean => "limit" in options && options.limit === 1;

describe("the answer to one's own write", () => {
  test("is in the store at once, and its watch event changes nothing more", async () => {
    const { server, informer, events, stop } = startInformer();
    await events();
    informer.observe(server.create(CONFIGMAPS, configMap("a")));
    expect(informer.get("ns/a")).toMatchObject({ value: "1" });
    expect(await events()).toEqual(["Added ns/a"]);
    await stop();
  });

  test("is not parsed again when the watch brings it, and counts as read", async () => {
    const { client, server, informer, events, stop } = startInformer({ objects: 1 });
    let known: WatchOptions["known"];
    client.gate = ({ verb, options }) => {
      if (verb === "watch") ({ known } = options as WatchOptions);
    };
    await events();
    expect(known?.size).toBe(0);
    // The answer is faster than the watch.
    const watchers = [...server.watchers];
    server.watchers.clear();
    const answer = server.merge(CONFIGMAPS, "ns", "c0", { data: { value: "2" } });
    informer.observe(answer);
    const version = answer.metadata.resourceVersion ?? "";
    expect([known?.size, known?.has(version)]).toEqual([1, true]);
    for (const watcher of watchers) server.watchers.add(watcher);
    expect(await events()).toEqual(["Updated ns/c0"]);
    for (const { push } of watchers) push({ type: "MODIFIED", object: answer });
    expect(await events()).toEqual([]);
    expect(known?.size).toBe(0);
    // What others wrote before that is old.
    informer.observe({ ...answer, metadata: { ...answer.metadata, resourceVersion: "101" } });
    expect(informer.get("ns/c0")).toMatchObject({ value: "2", version });
    server.merge(CONFIGMAPS, "ns", "c0", { data: { value: "3" } });
    expect(await events()).toEqual(["Updated ns/c0"]);
    await stop();
  });

  test("is read with everything else in a snapshot that is under way", async () => {
    const { client, server, informer, events, stop } = startInformer({ objects: 1 });
    await events();
    let written = false;
    client.gate = ({ verb, phase }) => {
      if (verb !== "watch" || phase !== "before" || written) return;
      written = true;
      informer.observe(server.create(CONFIGMAPS, configMap("own")));
    };
    server.inject({ type: "ERROR", status: { code: 410, reason: "Expired", message: "too old resource version" } });
    await events(1_000);
    expect(written).toBe(true);
    expect(informer.keys()).toEqual(["ns/c0", "ns/own"]);
    await stop();
  });

  test("does not go back when a later version is known already", async () => {
    const { server, informer, events, stop } = startInformer();
    await events();
    const answer = server.create(CONFIGMAPS, configMap("a"));
    server.merge(CONFIGMAPS, "ns", "a", { data: { value: "2" } });
    await events();
    informer.observe(answer);
    expect(informer.get("ns/a")?.value).toBe("2");
    await stop();
  });

  test("does not bring back what was deleted since, whether the watch or a relist showed it", async () => {
    const { server, informer, events, relist, stop } = startInformer();
    await events();
    const first = server.create(CONFIGMAPS, configMap("a"));
    server.delete(CONFIGMAPS, "ns", "a");
    await events();
    informer.observe(first);
    expect(informer.size).toBe(0);
    const second = server.create(CONFIGMAPS, configMap("b"));
    server.delete(CONFIGMAPS, "ns", "b");
    await relist();
    informer.observe(second);
    expect(informer.size).toBe(0);
    await stop();
  });

  test("survives a relist that was read before it was written", async () => {
    const { client, server, informer, events, stop } = startInformer();
    server.watchList = 422;
    await events();
    client.gate = ({ verb, phase, options }) => {
      if (verb === "list" && phase === "after" && !isCheck(options))
        informer.observe(server.create(CONFIGMAPS, configMap("own")));
    };
    server.dropWatches(broken());
    server.create(CONFIGMAPS, configMap("x"));
    server.compact();
    expect(await events(1_000)).toEqual(["Added ns/own", "Added ns/x"]);
    expect(informer.size).toBe(2);
    await stop();
  });
});

describe("the answer to one's own write, of a server that then went back to before the write", () => {
  /** Writes, and the server is set back before the watch has shown it. Since then the server has written as much as `since` says. */
  async function lose(
    { server, informer }: ReturnType<typeof startInformer>,
    { write, since }: { write: () => KubeObject; since: number },
  ): Promise<void> {
    const restore = server.backup();
    const watchers = [...server.watchers];
    server.watchers.clear();
    informer.observe(write());
    for (const watcher of watchers) server.watchers.add(watcher);
    restore();
    for (let n = 0; n < since; n += 1)
      server.create(CONFIGMAPS, { ...configMap(`since-${n}`), metadata: { name: `since-${n}` } });
  }

  test.each([0, 1, 20])("is not taken for what the server has, %s writes later", async (since) => {
    const informed = startInformer({ objects: 1 });
    const { server, informer, events, stop } = informed;
    await events(20_000);
    await lose(informed, {
      write: () => server.merge(CONFIGMAPS, "ns", "c0", { data: { value: "2" } }),
      since,
    });
    expect(informer.get("ns/c0")?.value).toBe("2");
    await events(1_000);
    expect(informer.get("ns/c0")?.value).toBe("1");
    await stop();
  });

  test.each([0, 1, 20])(
    "which made the object, is not taken for what the server has, %s writes later",
    async (since) => {
      const informed = startInformer({ objects: 1 });
      const { server, informer, events, stop } = informed;
      await events(20_000);
      await lose(informed, { write: () => server.create(CONFIGMAPS, configMap("made")), since });
      expect(informer.keys()).toEqual(["ns/c0", "ns/made"]);
      await events(1_000);
      expect(informer.keys()).toEqual(["ns/c0"]);
      await stop();
    },
  );

  describe.each(["before", "while"] as const)("%s a snapshot begins that then breaks off", (when) => {
    test.each([0, 20])("is not taken for it either, %s writes later", async (since) => {
      const { client, server, informer, events, stop } = startInformer({ objects: 1 });
      await events(20_000);
      const restore = server.backup();
      const write = (): void => informer.observe(server.merge(CONFIGMAPS, "ns", "c0", { data: { value: "2" } }));
      const watchers = [...server.watchers];
      server.watchers.clear();
      if (when === "before") write();
      for (const watcher of watchers) server.watchers.add(watcher);
      let lost = false;
      client.gate = ({ verb, phase }) => {
        if (verb !== "watch" || phase !== "before" || lost) return;
        lost = true;
        if (when === "while") write();
        restore();
        for (let n = 0; n < since; n += 1) server.create(CONFIGMAPS, configMap(`since-${n}`));
        throw broken();
      };
      server.inject({ type: "ERROR", status: { code: 410, reason: "Expired", message: "too old resource version" } });
      await events(20_000);
      expect(lost).toBe(true);
      expect(informer.get("ns/c0")?.value).toBe("1");
      await stop();
    });
  });

  describe("behind a proxy that keeps the streams open", () => {
    async function loseSilently({ server, informer, events }: ReturnType<typeof startInformer>): Promise<void> {
      await events(20_000);
      const restore = server.backup();
      const watchers = [...server.watchers];
      server.watchers.clear();
      informer.observe(server.create(CONFIGMAPS, configMap("made")));
      informer.observe(server.merge(CONFIGMAPS, "ns", "made", { data: { value: "2" } }));
      restore();
      for (const watcher of watchers) server.watchers.add(watcher);
    }

    test("is seen to be lost by whoever reads where the server is", async () => {
      const informed = startInformer({ objects: 1 });
      await loseSilently(informed);
      const { client, server, informer, events, stop } = informed;
      ServerHistory.of(client).expect()(server.version);
      await events(1_000);
      expect(informer.keys()).toEqual(["ns/c0"]);
      await stop();
    });

    test("is seen to be lost by a snapshot that was asked for later", async () => {
      const informed = startInformer({ objects: 1 });
      await loseSilently(informed);
      const { server, informer, events, stop } = informed;
      server.inject({ type: "ERROR", status: { code: 410, reason: "Expired", message: "too old resource version" } });
      await events(1_000);
      expect(informer.keys()).toEqual(["ns/c0"]);
      await stop();
    });
  });
});
