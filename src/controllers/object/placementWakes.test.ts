import { describe, expect, test } from "vitest";
import { bindingName, refOf, ROLLOUT_COMMAND_ANNOTATION } from "../../apis/index.ts";
import { DEMOAPPLICATIONS, MEMBERCLUSTERS, NAMESPACES, PLACEMENTS, RESOURCEBINDINGS } from "../../runtime/index.ts";
import { observation, owner } from "../testing/builders.ts";
import { APP, app, placing, statusOn } from "../testing/planning.ts";
import { configMap, sending, SETTINGS } from "../testing/sending.ts";

const ONCE = [{ key: APP, afterMs: undefined }];

/** An application that runs on both clusters, as its status says. */
async function running() {
  const all = await placing();
  await all.plan();
  for (const name of ["a", "b"]) all.carryOut(name);
  await all.update(statusOn("a", "b"));
  const woken = all.wokenBy(all.reconciler);
  expect(woken.splice(0)).toEqual(ONCE);
  const [row] = all.rows();
  if (row === undefined) throw new Error("no row");
  const copy = (present: object = {}, ref = row.ref) =>
    observation({ cluster: "a", ref, present: { owner: row.owner, ...present } });
  return { ...all, woken, row, copy };
}

/** As {@link running}, but the application must leave the cluster `b`. */
async function leaving() {
  const all = await running();
  all.server.merge(PLACEMENTS, "default", "everywhere", {
    metadata: { generation: 2 },
    spec: { clusterAffinities: [{ name: "these", clusterNames: ["a"] }] },
  });
  await all.settle();
  await all.reconcile();
  all.woken.length = 0;
  return all;
}

type All = Awaited<ReturnType<typeof running>>;
const [NEVER, REMOVAL, ALWAYS] = [
  [false, false],
  [false, true],
  [true, true],
] as const;
const merge =
  (type: typeof PLACEMENTS, name: string, patch: object) =>
  ({ server }: All): unknown =>
    server.merge(type, type.namespaced ? "default" : undefined, name, patch);
const entries = statusOn("a", "b").status.clusters ?? [];
const saying = (more: object) => ({ status: { clusters: [{ ...entries[0], ...more }, entries[1]] } });

test.each<[string, readonly [calm: boolean, leaving: boolean], (all: All) => unknown]>([
  ["a change of its spec", ALWAYS, ({ update }) => update({ metadata: { generation: 3 }, spec: { replica: 3 } })],
  ["a change of its status", NEVER, ({ update }) => update({ status: { observedGeneration: 1 } })],
  ["bad health in its status", ALWAYS, ({ update }) => update(saying({ unhealthySince: "2026-01-01T00:00:00Z" }))],
  ["a record with fewer clusters", REMOVAL, ({ update }) => update({ status: { ...statusOn("a").status } })],
  ["a change of its policy", ALWAYS, merge(PLACEMENTS, "everywhere", { metadata: { generation: 5 } })],
  ["a change of its policy's status", NEVER, merge(PLACEMENTS, "everywhere", { status: { matched: 1 } })],
  ["a change of its cluster", ALWAYS, merge(MEMBERCLUSTERS, "a", { metadata: { generation: 5, labels: { z: "x" } } })],
  [
    "a change of the cluster that it leaves",
    ALWAYS,
    merge(MEMBERCLUSTERS, "b", { metadata: { generation: 5, labels: { z: "1" } } }),
  ],
  ["a change of its cluster's status", NEVER, merge(MEMBERCLUSTERS, "a", { status: { nodes: 5 } })],
  ["a change of its dependency", ALWAYS, ({ dependencies }) => dependencies.changes.emit(APP)],
  ["a change of its namespace", ALWAYS, ({ shared }) => shared.namespaces.changes.emit("default")],
  ["another place of its kind's replicas", ALWAYS, ({ cache }) => cache.rescaled.emit(DEMOAPPLICATIONS)],
  [
    "a copy that nobody asks for",
    ALWAYS,
    (all) => all.observations.report("a", [all.copy({}, { ...all.row.ref, name: "x" })]),
  ],
  ["a copy that refuses its content", ALWAYS, (all) => all.observations.report("a", [all.copy({ refused: ["h2"] })])],
  ["contact with a cluster", REMOVAL, ({ contact }) => contact("b", { synced: false })],
  ["a hold of deletions", REMOVAL, ({ cache }) => cache.holds.emit(true)],
  ["a hold of a kind's deletions", REMOVAL, ({ cache }) => cache.kindDeletions.changes.emit(DEMOAPPLICATIONS)],
  ["the sync of the hub's caches", REMOVAL, ({ cache }) => cache.syncs.emit()],
  ["missing owners", REMOVAL, ({ missing }) => missing.changes.emit()],
  ["progress of planning", REMOVAL, ({ progress }) => progress.advanced.emit({ namespace: undefined })],
  ["an object of another class", REMOVAL, ({ classes }) => classes.othersChanged.emit(undefined)],
  ["its last copy of a withdrawn row", REMOVAL, ({ assignments }) => assignments.departures.emit(APP)],
])("%s wakes the planning of an object, or of one that leaves a cluster: %s", async (_, want, wake) => {
  for (const [index, set] of [running, leaving].entries()) {
    const all = await set();
    await wake(all);
    await all.settle();
    expect(new Set(all.woken.map(({ key }) => key))).toEqual(new Set(want[index] === true ? [APP] : []));
    if (want === REMOVAL) expect(all.woken).toEqual(index === 0 ? [] : ONCE);
  }
});

describe("an object is planned again", () => {
  test("not for news of a copy that is asked for, and once for a refusal", async () => {
    const { woken, observations, copy } = await running();
    observations.report("a", [copy()]);
    observations.report("a", [copy({ health: { state: "Degraded" } })]);
    expect(woken).toEqual([]);
    observations.report("a", [copy({ refused: ["h2"] })]);
    observations.report("a", [{ ...copy({ refused: ["h2"] }), revision: 9 }]);
    expect(woken).toEqual(ONCE);
  });

  test("when other objects need less, if a copy is held, and not during its deletion", async () => {
    const { woken, contact, reconcile, rowLines, dependencies, states } = await leaving();
    const wakes = (): number => {
      const plan = states.planOf(APP);
      if (plan === undefined) throw new Error("no plan");
      woken.length = 0;
      dependencies.releases.emit("another");
      states.setPlan("other", plan);
      states.dropPlan("other");
      return woken.length;
    };
    expect(rowLines()).toContain("b Delete Deployment/shop");
    expect(wakes()).toBe(0);
    contact("b", { synced: false });
    await reconcile();
    expect(rowLines().filter((line) => line.startsWith("b "))).toEqual([expect.stringContaining("Hold")]);
    expect(wakes()).toBe(2);
  });

  test("when room that it awaits is measured", async () => {
    const { woken, shared, states } = await running();
    shared.capacities.changes.emit("a");
    expect(woken).toEqual([]);
    states.waits.set(APP, [{ for: "capacity", of: "a" }], 0);
    shared.capacities.changes.emit("b");
    expect(woken).toEqual([]);
    shared.capacities.changes.emit("a");
    expect(woken).toEqual(ONCE);
  });

  test("only if it is planned, was planned or has copies", async () => {
    const { woken, cache, update, states, observations, carryOut } = await running();
    cache.planned.includes = () => false;
    await update({ metadata: { generation: 2 } });
    expect(woken.splice(0)).toEqual(ONCE);
    states.dropPlan(APP);
    for (const seen of [...observations.naming(APP)])
      observations.report(seen.cluster, [{ ...seen, present: undefined } as never]);
    woken.length = 0;
    await update({ metadata: { generation: 3 } });
    expect(woken).toEqual([]);
    carryOut("a");
    woken.length = 0;
    await update({ metadata: { generation: 4 } });
    expect(woken).toEqual(ONCE);
  });

  test("after 50 ms for observations of its copies during its deletion", async () => {
    const { reconcile, update, woken, observations, row } = await running();
    await update({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", generation: 2 } });
    await reconcile();
    woken.length = 0;
    const copy = (named: typeof row.owner) =>
      observation({ cluster: "a", ref: { ...row.ref, name: "unheard" }, present: { owner: named } });
    observations.report("a", [copy(row.owner)]);
    expect(woken.splice(0)).toEqual([{ key: APP, afterMs: 50 }]);
    observations.report("a", [copy(owner("another"))]);
    expect(woken.filter(({ key }) => key === APP)).toEqual(ONCE);
  });

  test("when its namespace becomes known", async () => {
    const { reconciler, reconcile, wokenBy, server, settle, states } = await placing({
      apps: [{ ...app(), metadata: { ...app().metadata, namespace: "new" } }],
    });
    const key = APP.replace("default", "new");
    expect(await reconcile(key)).toEqual({});
    expect(states.planOf(key)).toBeUndefined();
    const woken = wokenBy(reconciler);
    woken.length = 0;
    server.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "new" } });
    await settle();
    expect(woken.map((one) => one.key)).toContain(key);
    await reconcile(key);
    expect(states.planOf(key)).toBeDefined();
  });
});

describe("an object that is sent as it is", () => {
  const planned = async () => {
    const all = await sending();
    await all.plan();
    const woken = all.wokenBy(all.reconciler);
    woken.length = 0;
    return { ...all, woken };
  };
  const once = [{ key: SETTINGS, afterMs: undefined }];

  test("is planned again when its own content changes, although it has no generation", async () => {
    const { woken, change } = await planned();
    await change({ data: { a: "2" } }, "other");
    await change({ status: { seen: true } });
    expect(woken).toEqual([]);
    await change({ data: { a: "2" } });
    expect(woken).toEqual(once);
  });

  test("is planned again for a rollout command on its binding", async () => {
    const { woken, server, settle } = await planned();
    const annotate = async (name: string, value: string): Promise<void> => {
      const patch = { metadata: { annotations: { [name]: value } } };
      server.merge(RESOURCEBINDINGS, "default", bindingName(refOf(configMap("settings"))), patch);
      await settle();
    };
    await annotate("note", "x");
    expect(woken).toEqual([]);
    await annotate(ROLLOUT_COMMAND_ANNOTATION, '{"revision":1,"paused":true}');
    expect(woken).toEqual(once);
  });
});
