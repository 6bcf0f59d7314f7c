import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { type ObjectRef, refKey } from "../../apis/index.ts";
import { step } from "./step.ts";
import {
  app,
  copy,
  facts,
  frankfurt,
  other,
  overrides,
  placement,
  running,
  shanghai,
  singapore,
  stepInput,
  targetOf,
} from "../testing/builders.ts";
import type { Observation, StepInput, Target } from "../types.ts";

const names = [shanghai, singapore, frankfurt].map(({ name }) => name);
const places = [...names, "nowhere"];
const placeOf = ({ cluster, ref }: { cluster: string; ref: ObjectRef }): string => `${cluster}/${refKey(ref)}`;

const arbitraryTarget: fc.Arbitrary<Target> = fc
  .record({
    chosen: fc.subarray(names),
    current: fc.subarray(names),
    suspend: fc.boolean(),
    bad: fc.boolean(),
    refers: fc.boolean(),
    denied: fc.boolean(),
    image: fc.constantFrom("nginx:1", "nginx:2"),
    ports: fc.boolean(),
  })
  .map(({ chosen, current, suspend, bad, refers, denied, image, ports }) =>
    targetOf({
      object: app({
        image,
        ...(ports ? {} : { ports: [] }),
        ...(refers ? { envFrom: [{ secretRef: { name: "nginx-demo" } }] } : {}),
      }),
      placements: [placement("p", { suspend, clusterAffinities: [{ name: "g", clusterNames: chosen }] })],
      overrides: bad
        ? [
            overrides("o", {
              targetClusters: { clusterNames: ["shanghai-1"] },
              patches: [{ op: "remove", path: "/x" }],
            }),
          ]
        : [],
      ...(denied ? { unreadable: new Set(["/Secret/default/nginx-demo"]) } : {}),
      previous: running(current),
      running: new Set(current),
    }),
  );

const arbitraryObservations: fc.Arbitrary<Observation[]> = fc.uniqueArray(
  fc
    .record({
      cluster: fc.constantFrom(...places),
      kind: fc.constantFrom("Deployment", "Service", "Secret"),
      deleting: fc.boolean(),
      there: fc.boolean(),
      others: fc.boolean(),
    })
    .map(({ cluster, kind, deleting, there, others }): Observation => {
      const { present, ...absent } = copy(cluster, kind, { deleting, ...(others ? { owner: other } : {}) });
      return there && present !== undefined ? { ...absent, present } : absent;
    }),
  { selector: placeOf, maxLength: 8 },
);

const arbitraryInput: fc.Arbitrary<StepInput> = fc
  .record({
    target: fc.option(arbitraryTarget, { nil: undefined, freq: 5 }),
    lastGood: fc.option(arbitraryTarget, { nil: undefined }),
    waiting: fc.option(fc.subarray(places), { nil: undefined }),
    observations: arbitraryObservations,
    hub: fc.record({
      synced: fc.boolean(),
      deletionsHeld: fc.constantFrom(false, false, true),
      planned: fc.constantFrom(true, true, false),
    }),
    synced: fc.constantFrom(true, true, false),
    leaving: fc.subarray(names, { maxLength: 1 }),
    keep: fc.boolean(),
    needed: fc.subarray(places),
  })
  .map(({ target, lastGood, waiting, observations, hub, synced, leaving, keep, needed }) => {
    const drains = keep ? ("Keep" as const) : ("Drain" as const);
    const clusters = new Map(
      names.map((name) => [name, leaving.includes(name) ? { synced, leaving: drains } : { synced }]),
    );
    const neededByOthers = new Set(needed.map((name) => `${name}//Secret/default/nginx-demo`));
    return stepInput({
      target,
      ...(lastGood === undefined ? {} : { lastGood }),
      ...(waiting === undefined ? {} : { rollout: { waiting: new Set(waiting) } }),
      observations,
      removal: facts({ hub, clusters, neededByOthers }),
    });
  });

describe("for any step", () => {
  test.prop([arbitraryInput])("there is one row at most for each member object", (input) => {
    const { rows } = step(input);
    expect(new Set(rows.map(placeOf)).size).toBe(rows.length);
  });

  test.prop([arbitraryInput])("every copy of this object that is there gets exactly one row", (input) => {
    const { rows } = step(input);
    for (const observation of input.observations) {
      if (observation.present === undefined || observation.present.owner?.name === other.name) continue;
      expect(rows.filter((row) => placeOf(row) === placeOf(observation))).toHaveLength(1);
    }
  });

  test.prop([arbitraryInput])(
    "only what was seen is removed, by the life that was seen, and only when all is known",
    (input) => {
      const { hub, clusters } = input.removal;
      for (const row of step(input).rows) {
        if (row.verb !== "Delete" && row.verb !== "Release") continue;
        const seen = input.observations.find((observation) => placeOf(observation) === placeOf(row))?.present;
        expect(seen).toMatchObject({ uid: row.uid, deleting: false });
        expect(seen?.owner?.name).not.toBe(other.name);
        // Letting go deletes nothing.
        if (clusters.get(row.cluster)?.leaving === "Keep") {
          expect(row).toMatchObject({ verb: "Release", why: { reason: "ClusterLeaving" } });
          continue;
        }
        expect(hub).toEqual({ synced: true, deletionsHeld: false, planned: true });
        expect(clusters.get(row.cluster)).toMatchObject({ synced: true });
      }
    },
  );

  test.prop([arbitraryInput])(
    "what the target renders is neither removed nor missed where nothing waits or is frozen",
    (input) => {
      const waiting = input.rollout?.waiting ?? new Set();
      const { rows } = step(input);
      const applied = new Set(rows.flatMap((row) => (row.verb === "Apply" ? [placeOf(row)] : [])));
      for (const { name, frozen, objects } of input.target?.clusters ?? []) {
        for (const { ref } of objects) {
          const row = rows.find((one) => placeOf(one) === placeOf({ cluster: name, ref }));
          expect(row?.verb ?? "none").not.toMatch(/Delete|Release/);
          if (frozen) expect(row).toMatchObject({ verb: "Hold", wanted: true });
          else if (!waiting.has(name)) expect(applied.has(placeOf({ cluster: name, ref }))).toBe(true);
        }
      }
    },
  );

  test.prop([arbitraryInput])("a cluster that waits, is frozen or has a problem never loses a copy", (input) => {
    if (input.target === undefined) return;
    const keeps = new Set(
      input.target.clusters.flatMap(({ name, frozen, problem }) => (frozen || problem !== undefined ? [name] : [])),
    );
    for (const name of input.rollout?.waiting ?? [])
      if (names.includes(name) && input.removal.clusters.get(name)?.leaving === undefined) keeps.add(name);
    for (const row of step(input).rows) {
      if (!keeps.has(row.cluster)) continue;
      expect(row.verb === "Apply" || (row.verb === "Hold" && row.wanted)).toBe(true);
    }
  });

  test.prop([arbitraryInput])("a frozen cluster is never written", (input) => {
    const frozen = new Set(input.target?.clusters.filter((one) => one.frozen).map(({ name }) => name));
    for (const row of step(input).rows) if (frozen.has(row.cluster)) expect(row.verb).toBe("Hold");
  });

  test.prop([arbitraryInput])("a row that is not carried out says why, in a sentence that fits a status", (input) => {
    for (const row of step(input).rows) {
      if (row.verb === "Apply") continue;
      expect(row.why.reason).toMatch(/^[A-Z][A-Za-z]+$/);
      expect(row.why.message).not.toBe("");
      expect(row.why.message.length).toBeLessThanOrEqual(120);
    }
  });

  test.prop([arbitraryInput, fc.infiniteStream(fc.nat())])(
    "the order of the inputs does not matter",
    (input, chance) => {
      const shuffled = <T>(values: Iterable<T>): T[] =>
        [...values]
          .map((value) => ({ value, at: chance.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ value }) => value);
      const { rollout } = input;
      const turned: StepInput = {
        ...input,
        observations: shuffled(input.observations),
        ...(rollout === undefined ? {} : { rollout: { waiting: new Set(shuffled(rollout.waiting)) } }),
      };
      expect(step(turned).rows).toEqual(step(input).rows);
    },
  );

  test.prop([arbitraryInput])("the given values are never changed, and the same ones give the same rows", (input) => {
    const before = structuredClone(input);
    const { rows } = step(input);
    expect(input).toEqual(before);
    expect(step(before).rows).toEqual(rows);
  });
});
