import { describe, expect, test } from "vitest";
import type { DependencyKind, KubeObject } from "../../apis/index.ts";
import type { Dependency } from "../../interpreter/index.ts";
import { createLogger } from "../../observability/index.ts";
import { ApiError, CONFIGMAPS, SECRETS, SERVICEACCOUNTS } from "../../runtime/index.ts";
import { FakeClient, FakeCluster } from "../../runtime/testing/fakeClient.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { type Collected, DependencyWatches } from "./dependencies.ts";
import { ObjectStates } from "../states/index.ts";

const needs = (kind: DependencyKind, name: string, namespace = "default"): Dependency => ({
  ref: { apiVersion: "v1", kind, namespace, name },
  optional: false,
  readByPods: true,
});
const secret = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "default" },
});
const configMap = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data: { key: "value" },
});

function watches() {
  const server = new FakeCluster();
  const client = new FakeClient(server, "hub");
  const clock = new FakeClock();
  const changed: string[] = [];
  const lines: string[] = [];
  const stop = new AbortController();
  const states = new ObjectStates();
  const dependencies = new DependencyWatches({
    client,
    clock,
    random: () => 0.5,
    states,
    logger: createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } }),
  });
  dependencies.changes.subscribe((owner) => void changed.push(owner));
  stop.signal.addEventListener("abort", () => dependencies[Symbol.dispose]());
  return { server, client, clock, changed, lines, stop, dependencies };
}

const names = (collected: Collected | undefined) =>
  collected && [...collected.found.values()].map(({ metadata }) => metadata.name);

test("what is needed is not known before its watch has synced; then everybody who asked is enqueued", async () => {
  const { server, clock, changed, dependencies } = watches();
  server.create(CONFIGMAPS, configMap("settings"));
  const needed = [needs("ConfigMap", "settings"), needs("ConfigMap", "missing")];
  expect(dependencies.collect("a", needed)).toBeUndefined();
  expect(dependencies.collect("b", needed)).toBeUndefined();
  await clock.advance(10);
  expect(changed).toEqual(["a", "b"]);
  expect(names(dependencies.collect("a", needed))).toEqual(["settings"]);
});

test("one watch serves a kind and namespace, and only those who refer to an object hear of it", async () => {
  const { server, client, clock, changed, dependencies } = watches();
  dependencies.collect("a", [needs("ConfigMap", "settings")]);
  dependencies.collect("b", [needs("ConfigMap", "others")]);
  await clock.advance(10);
  changed.length = 0;
  server.create(CONFIGMAPS, configMap("settings"));
  server.create(CONFIGMAPS, configMap("nobodys"));
  await clock.advance(10);
  expect(changed).toEqual(["a"]);
  expect(client.calls).toEqual(["watch configmaps"]);
});

test("the watch ends with the last who refers to its kind and namespace", async () => {
  const { server, clock, dependencies } = watches();
  dependencies.collect("a", [needs("ConfigMap", "settings"), needs("Secret", "database")]);
  dependencies.collect("b", [needs("Secret", "database")]);
  await clock.advance(10);
  expect(server.watchers.size).toBe(2);
  dependencies.collect("a", []);
  await clock.advance(10);
  expect([...server.watchers].map(({ type }) => type)).toEqual([SECRETS]);
  dependencies.forget("b");
  await clock.advance(10);
  expect(server.watchers.size).toBe(0);
});

describe("what a dependency needs in its turn", () => {
  const account = (...pull: string[]): KubeObject => ({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "web", namespace: "default" },
    imagePullSecrets: pull.map((name) => ({ name })),
  });
  const asked = [needs("ServiceAccount", "web")];

  test("is watched once the dependency is known, and comes with it", async () => {
    const { server, client, clock, changed, dependencies } = watches();
    server.create(SERVICEACCOUNTS, account("pull"));
    server.create(SECRETS, secret("pull"));
    expect(dependencies.collect("a", asked)).toBeUndefined();
    await clock.advance(10);
    expect([changed, client.calls]).toEqual([["a"], ["watch serviceaccounts"]]);
    expect(dependencies.collect("a", asked)).toBeUndefined();
    await clock.advance(10);
    expect([changed, client.calls]).toEqual([
      ["a", "a"],
      ["watch serviceaccounts", "watch secrets"],
    ]);
    const collected = dependencies.collect("a", asked);
    expect(names(collected)).toEqual(["web", "pull"]);
    expect(collected?.needed.map(({ ref }) => ref.name)).toEqual(["web", "pull"]);
    expect([...dependencies.referrersTo("/Secret/default/pull")]).toEqual(["a"]);
  });

  test("follows the dependency: what it names no more is let go of", async () => {
    const { server, clock, changed, dependencies } = watches();
    server.create(SERVICEACCOUNTS, account("pull"));
    dependencies.collect("a", asked);
    await clock.advance(10);
    dependencies.collect("a", asked);
    await clock.advance(10);
    changed.length = 0;
    server.create(SECRETS, secret("pull"));
    await clock.advance(10);
    expect(changed).toEqual(["a"]);
    const released: string[] = [];
    dependencies.releases.subscribe((owner) => void released.push(owner));
    server.merge(SERVICEACCOUNTS, "default", "web", { imagePullSecrets: null });
    await clock.advance(10);
    expect(names(dependencies.collect("a", asked))).toEqual(["web"]);
    await clock.advance(10);
    expect(released).toEqual(["a"]);
    expect([...server.watchers].map(({ type }) => type)).toEqual([SERVICEACCOUNTS]);
  });
});

describe("what may not be read", () => {
  const forbid = ({ type }: { type: unknown }) => {
    if (type === SECRETS) throw new ApiError(403, "Forbidden", "no");
  };

  test("is neither there nor missing, beside what may be read; it is found when it may, by itself", async () => {
    const { server, client, clock, changed, dependencies } = watches();
    server.create(CONFIGMAPS, configMap("settings"));
    server.create(SECRETS, secret("database"));
    client.gate = forbid;
    const needed = [needs("ConfigMap", "settings"), needs("Secret", "database")];
    expect(dependencies.collect("a", needed)).toBeUndefined();
    await clock.advance(1_000);
    expect(changed).toContain("a");
    expect(names(dependencies.collect("a", needed))).toEqual(["settings"]);
    expect(dependencies.collect("a", needed)?.unreadable).toEqual(new Set(["/Secret/default/database"]));
    client.gate = () => undefined;
    changed.length = 0;
    await clock.advance(60_000);
    expect(changed).toContain("a");
    expect(names(dependencies.collect("a", needed))).toEqual(["settings", "database"]);
    expect(dependencies.collect("a", needed)?.unreadable.size).toBe(0);
  });

  test("is not taken from what was read before the right was taken away", async () => {
    const { server, client, clock, changed, dependencies } = watches();
    server.create(SECRETS, secret("database"));
    const needed = [needs("Secret", "database")];
    dependencies.collect("a", needed);
    await clock.advance(10);
    expect(names(dependencies.collect("a", needed))).toEqual(["database"]);
    client.gate = forbid;
    changed.length = 0;
    for (const watcher of server.watchers) watcher.end();
    await clock.advance(10_000);
    expect(changed).toEqual(["a"]);
    expect(dependencies.collect("a", needed)).toEqual({
      found: new Map(),
      unreadable: new Set(["/Secret/default/database"]),
      needed,
    });
  });

  test.each([
    { namespaces: 1, perMinute: 8 },
    { namespaces: 160, perMinute: 600 },
  ])("is asked for at a modest pace, with $namespaces namespaces too, and is logged once for each", async (given) => {
    const { client, clock, lines, dependencies } = watches();
    client.gate = forbid;
    for (let i = 0; i < given.namespaces; i += 1) dependencies.collect(`app-${i}`, [needs("Secret", "s", `team-${i}`)]);
    await clock.advance(90_000);
    client.calls.length = 0;
    const logged = lines.length;
    await clock.advance(120_000);
    expect(client.calls.length / 2).toBeGreaterThan(given.namespaces / 2);
    expect(client.calls.length / 2).toBeLessThanOrEqual(given.perMinute);
    expect(lines.length).toBe(logged);
    expect(lines.filter((line) => line.includes("SecretAccessDenied")).length).toBe(given.namespaces);
  });
});

test("what is being read for the first time is a matter of time, unless the read has failed", async () => {
  const { server, client, clock, dependencies } = watches();
  server.create(CONFIGMAPS, configMap("settings"));
  expect(dependencies.areComing("a")).toBe(false);
  dependencies.collect("a", [needs("ConfigMap", "settings")]);
  expect([dependencies.areComing("a"), dependencies.areComing("b")]).toEqual([true, false]);
  await clock.advance(10);
  expect(dependencies.areComing("a")).toBe(false);
  client.gate = () => {
    throw new ApiError(403, "Forbidden", "no");
  };
  dependencies.collect("c", [needs("Secret", "login"), needs("ConfigMap", "settings")]);
  expect(dependencies.areComing("c")).toBe(true);
  await clock.advance(10);
  expect(dependencies.areComing("c")).toBe(false);
  dependencies.forget("c");
  expect(dependencies.areComing("c")).toBe(false);
});

test("who needs fewer objects than before, or none, is told of; who needs more, others or the same again is not", async () => {
  const { server, clock, dependencies } = watches();
  const released: string[] = [];
  dependencies.releases.subscribe((owner) => void released.push(owner));
  const releasedBy = (needed: readonly Dependency[]): string[] => {
    released.length = 0;
    dependencies.collect("a", needed);
    return [...released];
  };
  const [settings, other] = [needs("ConfigMap", "settings"), needs("ConfigMap", "other")];
  expect([
    releasedBy([]),
    releasedBy([settings]),
    releasedBy([settings, other]),
    releasedBy([settings, other]),
  ]).toEqual([[], [], [], []]);
  await clock.advance(10);
  expect(releasedBy([other])).toEqual(["a"]);
  expect(releasedBy([settings])).toEqual(["a"]);
  expect(releasedBy([])).toEqual(["a"]);
  await clock.advance(10);
  expect([[...dependencies.referrersTo("/ConfigMap/default/settings")], server.watchers.size]).toEqual([[], 0]);
  released.length = 0;
  dependencies.forget("a");
  dependencies.forget("never seen");
  expect(released).toEqual([]);
  releasedBy([settings]);
  dependencies.forget("a");
  expect([released, [...dependencies.referrersTo("/ConfigMap/default/settings")]]).toEqual([["a"], []]);
});

test("another trouble than a missing right is no news of rights, and what was read stays known", async () => {
  const { server, client, clock, lines, changed, dependencies } = watches();
  server.create(CONFIGMAPS, configMap("settings"));
  const needed = [needs("ConfigMap", "settings")];
  dependencies.collect("a", needed);
  await clock.advance(10);
  client.gate = () => {
    throw new ApiError(500, "InternalError", "etcd is away");
  };
  changed.length = 0;
  for (const watcher of server.watchers) watcher.end();
  await clock.advance(10_000);
  expect([names(dependencies.collect("a", needed)), changed]).toEqual([["settings"], []]);
  dependencies.collect("b", [needs("Secret", "login")]);
  await clock.advance(10);
  expect([changed, dependencies.areComing("b")]).toEqual([["b"], false]);
  expect(lines.filter((line) => line.includes("may "))).toEqual([]);
});

test("a service account that may not be read any more needs nothing in its turn, as far as anybody knows", async () => {
  const { server, client, clock, dependencies } = watches();
  server.create(SERVICEACCOUNTS, {
    ...{ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "web", namespace: "default" } },
    imagePullSecrets: [{ name: "pull" }],
  });
  const asked = [needs("ServiceAccount", "web")];
  for (let reads = 0; reads < 2; reads += 1) {
    dependencies.collect("a", asked);
    await clock.advance(10);
  }
  expect(dependencies.collect("a", asked)?.needed).toHaveLength(2);
  client.gate = ({ type }) => {
    if (type === SERVICEACCOUNTS) throw new ApiError(403, "Forbidden", "no");
  };
  for (const watcher of server.watchers) watcher.end();
  await clock.advance(10_000);
  const collected = dependencies.collect("a", asked);
  expect([collected?.needed, collected?.unreadable]).toEqual([asked, new Set(["/ServiceAccount/default/web"])]);
});

test("each watch is of one namespace, where there is one", async () => {
  const { client, clock, dependencies } = watches();
  const asked: unknown[] = [];
  client.gate = ({ options, phase }) =>
    void (phase === "before" && asked.push("namespace" in options && options.namespace));
  const { ref, ...rest } = needs("ConfigMap", "settings");
  const { namespace: _, ...wide } = ref;
  dependencies.collect("a", [{ ref, ...rest }]);
  dependencies.collect("b", [{ ref: wide, ...rest }]);
  await clock.advance(10);
  expect(asked).toEqual(["default", false]);
});

test("Secrets of Helm's releases are not read", async () => {
  const { server, client, clock, dependencies } = watches();
  const selectors: unknown[] = [];
  client.gate = ({ type, options }) =>
    void selectors.push([type?.kind, (options as { fieldSelector?: string }).fieldSelector]);
  server.create(SECRETS, { ...secret("release"), type: "helm.sh/release.v1" });
  const needed = [needs("Secret", "release"), needs("ConfigMap", "settings")];
  dependencies.collect("a", needed);
  await clock.advance(10);
  expect(dependencies.collect("a", needed)?.found).toEqual(new Map());
  expect(selectors).toContainEqual(["Secret", "type!=helm.sh/release.v1"]);
  expect(selectors).toContainEqual(["ConfigMap", undefined]);
});

test("a missing right, and its return, stand in the log with kind and namespace", async () => {
  const { client, clock, lines, dependencies } = watches();
  client.gate = () => {
    throw new ApiError(403, "Forbidden", "no");
  };
  dependencies.collect("a", [needs("Secret", "login")]);
  await clock.advance(10);
  client.gate = () => undefined;
  await clock.advance(60_000);
  const said = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ kind }) => kind !== undefined);
  expect(said).toMatchObject([
    {
      level: "warn",
      kind: "Secret",
      namespace: "default",
      event_reason: "SecretAccessDenied",
      msg: "what applications refer to may not be read; those applications are held",
    },
    { level: "info", kind: "Secret", namespace: "default", msg: "what applications refer to may be read again" },
  ]);
});

test("an object that two need is known of both, until each of them goes", async () => {
  const { server, clock, changed, dependencies } = watches();
  for (const owner of ["a", "b"]) dependencies.collect(owner, [needs("ConfigMap", "settings")]);
  await clock.advance(10);
  changed.length = 0;
  dependencies.forget("a");
  server.create(CONFIGMAPS, configMap("settings"));
  server.create(CONFIGMAPS, configMap("nobody's"));
  await clock.advance(10);
  expect([changed, [...dependencies.referrersTo("/ConfigMap/default/settings")]]).toEqual([["b"], ["b"]]);
});
