import { expect, test } from "vitest";
import type { KubeObject } from "../apis/index.ts";
import type { Dependency } from "../interpreter/index.ts";
import { createLogger } from "../observability/index.ts";
import { ApiError, CONFIGMAPS, SECRETS } from "../runtime/index.ts";
import { FakeApiClient, FakeApiServer } from "../runtime/testing/fakeApiServer.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { DependencyWatches } from "./dependencies.ts";

const needs = (kind: "ConfigMap" | "Secret", name: string): Dependency => ({
  ref: { apiVersion: "v1", kind, namespace: "default", name },
  optional: false,
  readByPods: true,
});
const configMap = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data: { key: "value" },
});

function watches() {
  const server = new FakeApiServer("hub-uid");
  const client = new FakeApiClient(server, "hub");
  const clock = new FakeClock();
  const changed: string[] = [];
  const stop = new AbortController();
  const dependencies = new DependencyWatches({
    client,
    clock,
    random: () => 0.5,
    logger: createLogger({ level: "silent" }),
    changed: (owner) => void changed.push(owner),
    signal: stop.signal,
  });
  return { server, client, clock, changed, stop, dependencies };
}

const names = (found: Map<string, KubeObject> | undefined) =>
  found && [...found.values()].map(({ metadata }) => metadata.name);

test("what is needed is not known before its watch has synced; then everybody who asked is told", async () => {
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

test("what may not be read counts as missing, and is found when it may", async () => {
  const { server, client, clock, changed, dependencies } = watches();
  server.create(CONFIGMAPS, configMap("settings"));
  client.gate = ({ type }) => {
    if (type === CONFIGMAPS) throw new ApiError(403, "Forbidden", "no");
  };
  const needed = [needs("ConfigMap", "settings")];
  expect(dependencies.collect("a", needed)).toBeUndefined();
  await clock.advance(1_000);
  expect(changed).toContain("a");
  expect(names(dependencies.collect("a", needed))).toEqual([]);
  client.gate = () => undefined;
  changed.length = 0;
  await clock.advance(60_000);
  expect(changed).toContain("a");
  expect(names(dependencies.collect("a", needed))).toEqual(["settings"]);
});

test("everything ends with the signal", async () => {
  const { server, clock, stop, dependencies } = watches();
  dependencies.collect("a", [needs("ConfigMap", "settings")]);
  await clock.advance(10);
  stop.abort(new Error("the end"));
  await clock.advance(10);
  expect([server.watchers.size, clock.pending]).toEqual([0, 0]);
});
