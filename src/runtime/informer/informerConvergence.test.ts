import { fc, test as prop } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { CONFIGMAPS } from "../client/resources.ts";
import type { FakeCluster } from "../testing/fakeCluster.ts";
import { broken, configMap, keep, type Kept, startInformer } from "../testing/informerOfConfigMaps.ts";

const ofWeights = <T>(...kinds: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...kinds.map(([weight, arbitrary]) => ({ weight, arbitrary })));
const byName = (a: Kept, b: Kept): number => a.name.localeCompare(b.name);
const truthOf = (server: FakeCluster): Kept[] =>
  server.list(CONFIGMAPS, { labelSelector: "managed=yes" }).map(keep).toSorted(byName);
const has = (server: FakeCluster, name: string): boolean =>
  server.list(CONFIGMAPS).some((object) => object.metadata.name === name);

const EVENTS = ["drop", "compact", "bookmark", "restart", "observe late"] as const;
const OBSERVED = ["now", "later", "never"] as const;
type Step =
  | { do: "write"; name: string; value: string; observe: (typeof OBSERVED)[number] }
  | { do: "delete" | "relabel"; name: string }
  | { do: (typeof EVENTS)[number] }
  | { do: "advance"; ms: number };

const name = fc.constantFrom("a", "b", "c", "d", "e");
const value = fc.constantFrom("1", "2", "3");
const step = ofWeights<Step>(
  [6, fc.record({ do: fc.constant("write" as const), name, value, observe: fc.constantFrom(...OBSERVED) })],
  [3, fc.record({ do: fc.constantFrom("delete" as const, "relabel" as const), name })],
  [4, fc.record({ do: fc.constantFrom(...EVENTS) })],
  [4, fc.record({ do: fc.constant("advance" as const), ms: fc.nat(3_000) })],
);

describe("under any sequence of changes, breaks, relists and own writes", () => {
  prop.prop([fc.array(step, { maxLength: 60, size: "max" })])(
    "the store ends as the server is, never goes back, and its events say the same",
    async (steps) => {
      const { server, informer, events, stop } = startInformer();
      const replica = new Map<string, Kept>();
      // Collected, since an informer survives what its handlers throw.
      const contradictions: string[] = [];
      informer.onEvent(({ type, key, object, old }) => {
        const known = replica.get(key);
        if ((known !== undefined) !== (type !== "Added"))
          contradictions.push(`${type} of ${key}, which was ${known === undefined ? "not " : ""}there`);
        if (type === "Updated" && old !== known)
          contradictions.push(`${key} was updated from a state that no event had`);
        if (type === "Updated" && Number(object.version) <= Number(known?.version))
          contradictions.push(`${key} went back from ${known?.version} to ${object.version}`);
        if (type === "Deleted") replica.delete(key);
        else replica.set(key, object);
      });
      const late: KubeObject[] = [];
      for (const now of steps) {
        switch (now.do) {
          case "write": {
            const answer = server.apply(CONFIGMAPS, configMap(now.name, now.value));
            if (now.observe === "now") informer.observe(answer);
            if (now.observe === "later") late.push(answer);
            break;
          }
          case "delete":
            if (has(server, now.name)) server.delete(CONFIGMAPS, "ns", now.name);
            break;
          case "relabel":
            if (has(server, now.name))
              server.merge(CONFIGMAPS, "ns", now.name, { metadata: { labels: { managed: "no" } } });
            break;
          case "drop":
            server.dropWatches();
            break;
          case "restart":
            server.compact();
            server.dropWatches(broken());
            break;
          case "compact":
            server.compact();
            break;
          case "bookmark":
            server.bookmark();
            break;
          case "observe late":
            for (const object of late.splice(0)) informer.observe(object);
            break;
          case "advance":
            await events(now.ms);
            break;
        }
      }
      await events(300_000);
      for (const object of late) informer.observe(object);
      await events();
      expect(contradictions).toEqual([]);
      const truth = truthOf(server);
      expect(informer.list().toSorted(byName)).toEqual(truth);
      expect([...replica.values()].toSorted(byName)).toEqual(truth);
      for (const value of ["1", "2", "3"])
        expect(informer.byIndex("value", value).toSorted(byName)).toEqual(truth.filter((kept) => kept.value === value));
      await stop();
    },
  );
});

const ALONE = ["drop", "restart", "compact", "back up", "pause", "fail", "resume"] as const;
const NAMES = ["a", "b", "c"] as const;
type RestoreStep =
  | { do: "write"; name: string; value: string; observed: boolean }
  | { do: "delete"; name: string }
  | { do: (typeof ALONE)[number] }
  | { do: "restore"; since: number }
  | { do: "advance"; ms: number };

const restoreStep = ofWeights<RestoreStep>(
  [6, fc.record({ do: fc.constant("write" as const), name: fc.constantFrom(...NAMES), value, observed: fc.boolean() })],
  [2, fc.record({ do: fc.constant("delete" as const), name: fc.constantFrom(...NAMES) })],
  [8, fc.record({ do: fc.constantFrom(...ALONE) })],
  [3, fc.record({ do: fc.constant("restore" as const), since: fc.constantFrom(0, 1, 3, 20, 100) })],
  [5, fc.record({ do: fc.constant("advance" as const), ms: fc.constantFrom(0, 250, 3_000) })],
);

/** A server that was set back tells nobody, and its versions may have passed those that were known before. */
describe("under any sequence of changes, breaks, pauses and restores of the server", () => {
  prop.prop([fc.array(restoreStep, { maxLength: 40, size: "max" })], { numRuns: 300 })(
    "the store soon is as the server is, and its events say the same",
    async (steps) => {
      const { client, server, informer, events, stop } = startInformer();
      const replica = new Map<string, Kept>();
      const contradictions: string[] = [];
      informer.onEvent(({ type, key, object }) => {
        if (replica.has(key) !== (type !== "Added")) contradictions.push(`${type} of ${key}`);
        if (type === "Deleted") replica.delete(key);
        else replica.set(key, object);
      });
      /** Requests wait here while the process is paused; those of a server that is down fail. */
      let paused: PromiseWithResolvers<void> | undefined;
      let isDown = false;
      const connections = new Set<{ lost: boolean }>();
      client.gate = async ({ phase }) => {
        if (phase === "before" && isDown) throw broken();
        const connection = { lost: false };
        connections.add(connection);
        await paused?.promise;
        connections.delete(connection);
        if (connection.lost) throw broken();
      };
      const resume = (): void => {
        paused?.resolve();
        paused = undefined;
        isDown = false;
      };
      const lose = (): void => {
        for (const connection of connections) connection.lost = true;
      };
      await events();
      let restore = server.backup();
      let strangers = 0;
      const writeElsewhere = (): void => {
        strangers += 1;
        server.create(CONFIGMAPS, { ...configMap("stranger"), metadata: { name: `stranger-${strangers}` } });
      };
      /** One version that stands for two states of an object in two histories is beyond what anybody can tell. */
      let highest = 0;
      const skipKnownVersions = (): void => {
        while (Number(server.version) < highest) writeElsewhere();
      };
      for (const now of steps) {
        highest = Math.max(highest, Number(server.version));
        switch (now.do) {
          case "write": {
            skipKnownVersions();
            const answer = server.apply(CONFIGMAPS, configMap(now.name, now.value));
            if (now.observed && paused === undefined) informer.observe(answer);
            break;
          }
          case "delete":
            skipKnownVersions();
            if (has(server, now.name)) server.delete(CONFIGMAPS, "ns", now.name);
            break;
          case "drop":
            lose();
            server.dropWatches(broken());
            break;
          case "restart":
            lose();
            server.compact();
            server.dropWatches(broken());
            break;
          case "compact":
            server.compact();
            break;
          case "back up":
            // An object that was never seen, since it came and went unobserved, comes back unobserved.
            if (paused !== undefined || isDown) break;
            await events(25_000);
            restore = server.backup();
            break;
          case "pause":
            paused ??= Promise.withResolvers();
            break;
          case "fail":
            isDown = true;
            break;
          case "resume":
            resume();
            break;
          case "restore":
            lose();
            restore();
            for (let n = 0; n < now.since; n += 1) writeElsewhere();
            break;
          case "advance":
            await events(now.ms);
            break;
        }
        await events();
      }
      resume();
      await events(25_000);
      expect(contradictions).toEqual([]);
      expect(informer.list().toSorted(byName)).toEqual(truthOf(server));
      expect([...replica.values()].toSorted(byName)).toEqual(truthOf(server));
      await stop();
    },
  );
});
