import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { refKey } from "../../apis/index.ts";
import { defaultTerms, namespaceTerms } from "../podSecurity/index.ts";
import {
  app,
  copy,
  facts,
  frankfurt,
  other,
  overrides,
  placedBy,
  placement,
  running,
  shanghai,
  singapore,
  stepInput,
  targetOf,
} from "../testing/builders.ts";
import { placeOf, rowsOfStep } from "../testing/oracle.ts";
import { inChina, named, observed, rowsOf, target, texts } from "../testing/steps.ts";
import type { Observation, RolloutState, StepInput, Target } from "../types.ts";
import { step } from "./step.ts";

const names = [shanghai, singapore, frankfurt].map(({ name }) => name);
const places = [...names, "nowhere"];
const health = (available: number) => ({
  state: available > 0 ? ("Available" as const) : ("Progressing" as const),
  replicas: { desired: 2, updated: 2, ready: available, available },
});

describe("for any input", () => {
  const rarely = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
    fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
  const arbitraryTarget: fc.Arbitrary<Target> = fc
    .record({
      chosen: fc.subarray(names),
      current: fc.subarray(names),
      suspend: rarely(false, true),
      bad: rarely(false, true),
      refers: fc.boolean(),
      denied: rarely(false, true),
      makeBeforeBreak: rarely(true, false),
      image: fc.constantFrom("nginx:1", "nginx:2"),
      ports: fc.boolean(),
      life: rarely("1", "2"),
    })
    .map(({ chosen, current, suspend, bad, refers, denied, makeBeforeBreak, image, ports, life }) => {
      const patches = [{ op: "remove" as const, path: "/x" }];
      return targetOf({
        object: app(
          {
            image,
            ...(ports ? {} : { ports: [] }),
            ...(refers ? { envFrom: [{ secretRef: { name: "nginx-demo" } }] } : {}),
          },
          life === "1" ? {} : { uid: "of an earlier life" },
        ),
        placements: [
          placement("p", {
            suspend,
            clusterAffinities: [{ name: "g", clusterNames: chosen }],
            ...(makeBeforeBreak ? {} : { failover: { makeBeforeBreak } }),
          }),
        ],
        overrides: bad ? [overrides("o", { targetClusters: { clusterNames: ["shanghai-1"] }, patches })] : [],
        ...(denied ? { unreadable: new Set(["/Secret/default/nginx-demo"]) } : {}),
        previous: running(current),
        running: new Set(current),
      });
    });
  const arbitraryObservations: fc.Arbitrary<Observation[]> = fc.uniqueArray(
    fc
      .record({
        cluster: fc.constantFrom(...places),
        kind: fc.constantFrom("Deployment", "Deployment", "Service", "Secret"),
        deleting: rarely(false, true),
        there: rarely(true, false),
        others: rarely(false, true),
        available: fc.constantFrom(0, 2, 2),
      })
      .map(({ cluster, kind, deleting, there, others, available }): Observation => {
        const { present, ...absent } = copy(cluster, kind, {
          deleting,
          ...(others ? { owner: other } : {}),
          ...(kind === "Deployment" ? { health: health(available) } : {}),
        });
        return there && present !== undefined ? { ...absent, present } : absent;
      }),
    { selector: placeOf, maxLength: 8 },
  );
  const arbitraryRollout: fc.Arbitrary<RolloutState> = fc
    .record({
      waiting: fc.subarray(places),
      returning: fc.subarray(places),
      kept: fc.subarray(places, { maxLength: 1 }),
    })
    .map(({ waiting, returning, kept }) => ({
      waiting: new Set(waiting),
      returning: new Set(returning.filter((name) => !waiting.includes(name))),
      kept: new Set(kept.filter((name) => !waiting.includes(name) && !returning.includes(name))),
    }));
  const arbitraryInput: fc.Arbitrary<StepInput> = fc
    .record({
      target: fc.option(arbitraryTarget, { nil: undefined, freq: 8 }),
      lastGood: fc.option(arbitraryTarget, { nil: undefined }),
      rollout: fc.option(arbitraryRollout, { nil: undefined }),
      observations: arbitraryObservations,
      hub: fc.record({ synced: rarely(true, false), deletionsHeld: rarely(false, true), planned: rarely(true, false) }),
      synced: fc.tuple(...names.map(() => rarely(true, false))),
      leaving: rarely<[string, "Keep" | "Drain"][]>(
        [],
        ...names.flatMap(
          (name) => [[[name, "Keep" as const]], [[name, "Drain" as const]]] as [string, "Keep" | "Drain"][][],
        ),
      ),
      needed: fc.subarray(places, { maxLength: 1 }),
    })
    .map(({ target: to, lastGood, rollout, observations, hub, synced, leaving, needed }) => {
      const left = new Map(leaving);
      const clusters = names.map((name, i) => {
        const going = left.get(name);
        const isSynced = synced[i] ?? true;
        return [name, going === undefined ? { synced: isSynced } : { synced: isSynced, leaving: going }] as const;
      });
      const neededByOthers = new Set(needed.map((name) => `${name}//Secret/default/nginx-demo`));
      return stepInput({
        target: to,
        ...(lastGood === undefined ? {} : { lastGood }),
        ...(rollout === undefined ? {} : { rollout }),
        observations,
        removal: facts({ hub, clusters: new Map(clusters), neededByOthers }),
      });
    });

  test.prop([arbitraryInput], { numRuns: Number(process.env["MERIDIAN_PROPERTY_RUNS"] ?? 300) })(
    "each object and each copy has the one row that the rules say",
    (input) => {
      const { rows } = step(input);
      const told = rows.map((row) => [placeOf(row), row.verb === "Apply" ? "Apply" : `${row.verb} ${row.why.reason}`]);
      expect(new Set(rows.map(placeOf)).size).toBe(rows.length);
      expect(Object.fromEntries(told)).toEqual(Object.fromEntries(rowsOfStep(input)));
      const seen = new Map(input.observations.map((observation) => [placeOf(observation), observation.present]));
      for (const row of rows)
        if (row.verb === "Delete" || row.verb === "Release") expect(seen.get(placeOf(row))?.uid).toBe(row.uid);
    },
  );

  test.prop([arbitraryInput])("the order of the input does not matter, and the input never changes", (input) => {
    const before = structuredClone(input);
    const { rows } = step(input);
    expect(input).toEqual(before);
    const { rollout } = before;
    const turned = {
      ...before,
      observations: before.observations.toReversed(),
      ...(rollout === undefined
        ? {}
        : { rollout: { ...rollout, waiting: new Set([...rollout.waiting].toReversed()) } }),
    };
    expect(step(turned).rows).toEqual(rows);
    expect(rows.map(({ cluster }) => cluster)).toEqual(rows.map(({ cluster }) => cluster).toSorted());
    const removals = rows.filter(({ verb }) => verb === "Delete" || verb === "Release");
    for (const [, some] of Map.groupBy(removals, ({ cluster }) => cluster))
      expect(some.map(({ ref }) => refKey(ref))).toEqual(some.map(({ ref }) => refKey(ref)).toSorted());
  });
});

describe("towards a target", () => {
  test("a copy whose owner annotation was removed goes like any other", () => {
    const { owner: _, ...unnamed } = copy("singapore-1", "Service").present ?? {
      uid: "",
      proven: true,
      deleting: false,
      health: { state: "Available" as const },
    };
    const observations = [{ ...copy("singapore-1", "Service"), present: unnamed }];
    expect(texts({ target: target({ placements: [inChina] }), observations }).at(-1)).toBe(
      "Delete singapore-1 Service/nginx-demo NotSelected",
    );
  });
});

describe("a rollout", () => {
  const NAME = "singapore-1";
  const clusters = [shanghai, singapore];
  const to = (spec: object, more: Parameters<typeof targetOf>[0] = {}): Target =>
    target({ object: app(spec), clusters, ...more });
  const before = to({ image: "nginx:1" });
  const after = to({ image: "nginx:2", ports: [] });
  const only = new Set([NAME]);
  const none: ReadonlySet<string> = new Set();
  const waits: RolloutState = { waiting: only };
  const returns: RolloutState = { waiting: none, returning: only };
  const isKept: RolloutState = { waiting: none, kept: only };
  const hashes = (input: Partial<StepInput>): unknown[] =>
    rowsOf({ target: after, lastGood: before, ...input }).flatMap((row) =>
      row.cluster === NAME && row.verb === "Apply" ? [row.hash] : [],
    );
  const hashesIn = (given: Target): unknown[] | undefined =>
    given.clusters.find(({ name }) => name === NAME)?.objects.map(({ hash }) => hash);

  test("writes the last good revision where a cluster waits or goes back, and the new one elsewhere", () => {
    for (const rollout of [waits, returns]) expect(hashes({ rollout })).toEqual(hashesIn(before));
    expect(hashes({ rollout: { waiting: none, returning: none, kept: none } })).toEqual(hashesIn(after));
    expect(hashes({ rollout: isKept })).toEqual([]);
  });

  test("holds a copy by the hash that it has", () => {
    const rows = rowsOf({ target: after, rollout: isKept, observations: [copy(NAME, "Deployment")] });
    const held = rows.find(({ cluster }) => cluster === NAME);
    expect(held).toMatchObject({ verb: "Hold", role: "rendered", hash: "an-older-hash", wanted: true });
  });
});

describe("of a share of more objects than a few", () => {
  const NAME = "singapore-1";
  const after = target({ object: app({ image: "nginx:2", ports: [] }), clusters: [shanghai, singapore] });
  const object = (index: number) => ({ ref: named("ConfigMap", `c${index}`), role: "rendered" as const });
  const many = (count: number): Target => ({
    ...after,
    clusters: [
      {
        name: NAME,
        frozen: false,
        objects: Array.from({ length: count }, (_, index) => ({
          ...object(index),
          object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `c${index}` } },
          hash: `h${index}`,
        })),
      },
    ],
  });

  test.each([16, 17, 40])("each is known again: %i", (count) => {
    const observations = [`c${count - 1}`, "c0", "other"].map((name) => observed(NAME, named("ConfigMap", name)));
    const { rows } = step(stepInput({ target: many(count), observations }));
    expect(rows.filter(({ verb }) => verb === "Apply")).toHaveLength(count);
    expect(rows.flatMap(({ verb, ref }) => (verb === "Apply" ? [] : [`${verb} ${ref.name}`]))).toEqual([
      "Delete other",
    ]);
  });
});

describe("a row of a target", () => {
  const clusters = [shanghai, singapore];
  const after = target({ object: app({ image: "nginx:2", ports: [] }), clusters });

  test("has all that the target says of the object", () => {
    const [cluster] = after.clusters;
    const [first] = cluster?.objects ?? [];
    if (cluster === undefined || first === undefined) throw new Error("nothing is rendered");
    const more = { unretained: first.object, phase: 3, reporting: { withStatus: true as const } };
    const namespaceLabels = { a: "1" };
    const given: Target = {
      ...after,
      hubVersion: "12",
      namespaceLabels,
      clusters: [{ ...cluster, objects: [{ ...first, ...more }] }],
    };
    expect(rowsOf({ target: given })).toEqual([
      {
        verb: "Apply",
        cluster: cluster.name,
        ...first,
        ...more,
        owner: after.owner,
        conflictResolution: "Abort",
        hubVersion: "12",
        namespaceLabels,
      },
    ]);
  });

  test("leaves a part of it as it is where what it is to be is not known", () => {
    const [cluster] = after.clusters;
    const [first] = cluster?.objects ?? [];
    if (cluster === undefined || first === undefined) throw new Error("nothing is rendered");
    const held = { reason: "RolloutWaiting", message: "m" };
    const given: Target = { ...after, clusters: [{ ...cluster, objects: [{ ...first, held }] }] };
    expect(rowsOf({ target: given })).toStrictEqual([
      {
        verb: "Hold",
        cluster: cluster.name,
        ref: first.ref,
        owner: after.owner,
        role: first.role,
        why: held,
        wanted: true,
      },
    ]);
  });

  test("of a frozen copy has what the placement asks for about it, and only where it does", () => {
    const frozen = (health?: object) =>
      rowsOf({
        target: targetOf({
          placements: [placement("p", { suspend: true, ...health })],
          clusters,
          previous: running(["singapore-1"], placedBy("p")),
        }),
      });
    const rows = frozen({ health: [{ kind: "Service", available: "true" }] });
    expect(rows.map((row) => [row.ref.kind, row.reporting])).toEqual([
      ["Deployment", undefined],
      ["Service", { health: { available: "true" } }],
    ]);
    expect(rows[0]).not.toHaveProperty("reporting");
    expect(rows[1]?.verb === "Hold" && rows[1].why).toEqual({
      reason: "Suspended",
      message: { what: "Placement p is suspended", remedy: "it is kept as it is on 1 cluster" },
    });
  });
});

describe("the labels of the namespace", () => {
  const restricted = { "pod-security.kubernetes.io/enforce": "restricted" };
  const labelsIn = (more: Parameters<typeof target>[0]) =>
    rowsOf({
      target: targetOf({
        placements: [inChina],
        clusters: [shanghai],
        previous: running(["shanghai-1"], placedBy("p")),
        ...more,
      }),
    }).map((row) => (row.verb === "Hold" ? row.namespaceLabels : row.verb));

  test("go with the rows of what they refuse, and so does that there are none any more", () => {
    const placements = [placement("p")];
    const terms = namespaceTerms({ name: "default", labels: restricted }, false);
    expect(labelsIn({ placements, terms })).toEqual([restricted, restricted]);
    const path = "/spec/template/spec/hostNetwork";
    const debug = overrides("debug", { patches: [{ op: "add", path, value: true, kind: "Deployment" }] });
    expect(labelsIn({ placements, overrides: [debug], terms: defaultTerms("default") })).toEqual([{}, {}]);
  });

  test("stay at home while the object is suspended: nothing is written then", () => {
    const placements = [placement("p", { suspend: true })];
    const terms = namespaceTerms({ name: "default", labels: restricted }, false);
    expect(labelsIn({ placements, terms })).toEqual([undefined, undefined]);
  });
});
