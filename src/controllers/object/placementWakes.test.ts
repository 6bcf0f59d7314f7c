import { describe, expect, test } from "vitest";
import { DEMOAPPLICATIONS, MEMBERCLUSTERS, PLACEMENTS, type ResourceType } from "../../runtime/index.ts";
import { observation, owner } from "../testing/builders.ts";
import { APP, placing, statusOn } from "../testing/planning.ts";

const ONCE = [{ key: APP, afterMs: undefined }];
const OTHER = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true } as ResourceType;

/** An application that runs on both clusters, as its status says, and everything that its planning is woken with. */
async function running() {
  const all = await placing();
  await all.plan();
  for (const name of ["a", "b"]) all.carryOut(name);
  await all.update(statusOn("a", "b"));
  const listen = () => all.wokenBy(all.reconciler);
  return { ...all, listen };
}

/** As {@link running}, but it is to leave the cluster `b`. */
async function leaving() {
  const all = await running();
  all.server.merge(PLACEMENTS, "default", "everywhere", {
    metadata: { generation: 2 },
    spec: { clusterAffinities: [{ name: "these", clusterNames: ["a"] }] },
  });
  await all.settle();
  await all.reconcile();
  return all;
}

test.each([
  { name: "that is as it is to be", set: running },
  { name: "that is to leave a cluster", set: leaving },
])("a manager that starts plans an object once, one $name", async ({ set }) => {
  const all = await set();
  expect(all.listen()).toEqual(ONCE);
});

describe("an object that is to leave a cluster", () => {
  const wakers: {
    name: string;
    wake: (all: Awaited<ReturnType<typeof leaving>>) => unknown;
    /** Of an object that is as it is to be. */
    calm: number;
  }[] = [
    { name: "the hub has been read", wake: ({ cache }) => cache.syncs.emit(), calm: 0 },
    {
      name: "another class's object has changed",
      wake: ({ classes }) => classes.othersChanged.emit(undefined),
      calm: 0,
    },
    { name: "its copies have left the tables", wake: ({ assignments }) => assignments.departures.emit(APP), calm: 0 },
    {
      name: "its record names fewer clusters",
      wake: ({ update }) => update({ status: { ...statusOn("a").status } }),
      calm: 0,
    },
    {
      name: "the cluster itself has changed, which is no place for it",
      wake: ({ server }) =>
        server.merge(MEMBERCLUSTERS, undefined, "b", { metadata: { generation: 5, labels: { z: "1" } } }),
      calm: 1,
    },
  ];

  test.each(wakers)("is considered again when $name", async ({ wake, calm }) => {
    const all = await leaving();
    const woken = all.listen();
    woken.length = 0;
    await wake(all);
    await all.settle();
    expect(woken).toEqual(ONCE);
    const other = await running();
    const heard = other.listen();
    heard.length = 0;
    await wake(other);
    await other.settle();
    expect(heard).toHaveLength(calm);
  });

  test("is not considered again for what departs of another object, nor for a status of its clusters", async () => {
    const all = await leaving();
    const woken = all.listen();
    woken.length = 0;
    all.assignments.departures.emit("another");
    all.server.merge(MEMBERCLUSTERS, undefined, "b", { status: { nodes: 5 } });
    await all.settle();
    expect(woken).toEqual([]);
  });
});

describe("any object", () => {
  const calm = async () => {
    const all = await running();
    const woken = all.listen();
    woken.length = 0;
    return { ...all, woken };
  };

  test("is planned again when its kind keeps its replicas elsewhere, and not when another kind does", async () => {
    const { woken, cache } = await calm();
    cache.rescaled.emit(OTHER);
    expect(woken).toEqual([]);
    cache.rescaled.emit(DEMOAPPLICATIONS);
    expect(woken).toEqual(ONCE);
  });

  test("is planned again when room is measured that it asks for", async () => {
    const { woken, shared } = await calm();
    shared.rooms.changes.emit("a");
    expect(woken).toEqual([]);
    const asked: string[] = [];
    shared.rooms.awaiting = function* (cluster) {
      asked.push(cluster);
      yield APP;
    };
    shared.rooms.changes.emit("a");
    expect([woken, asked]).toEqual([ONCE, ["a"]]);
  });

  test("is planned again when it becomes unhealthy somewhere, and well again, and not for other news of its status", async () => {
    const { woken, update } = await calm();
    const [a, b] = statusOn("a", "b").status.clusters ?? [];
    const clusters = (more: object) => ({ status: { clusters: [{ ...a, ...more }, b] } });
    await update(clusters({ message: "all is well" }));
    expect(woken).toEqual([]);
    await update(clusters({ unhealthySince: "2026-01-01T00:00:00Z" }));
    expect(woken.splice(0)).toEqual(ONCE);
    await update(clusters({}));
    expect(woken).toEqual(ONCE);
  });

  test("is planned again when the terms of its namespace change", async () => {
    const { woken, dependencies, shared } = await calm();
    shared.namespaces.changes.emit("elsewhere");
    expect(woken).toEqual([]);
    shared.namespaces.changes.emit("default");
    expect(woken.splice(0)).toEqual(ONCE);
    dependencies.changes.emit(APP);
    expect(woken).toEqual(ONCE);
  });

  test("that nobody plans, and of which nothing is known, costs nothing", async () => {
    const { woken, cache, update, plans, observations, carryOut } = await calm();
    cache.planned.includes = () => false;
    await update({ metadata: { generation: 2 } });
    expect(woken.splice(0)).toEqual(ONCE);
    plans.drop(APP);
    for (const copy of [...observations.naming(APP)])
      observations.report(copy.cluster, [{ ...copy, present: undefined } as never]);
    woken.length = 0;
    await update({ metadata: { generation: 3 } });
    expect(woken).toEqual([]);
    carryOut("a");
    woken.length = 0;
    await update({ metadata: { generation: 4 } });
    expect(woken).toEqual(ONCE);
  });
});

test("news of the copies of an object that is being deleted are gathered, of new ones too", async () => {
  const { reconcile, update, listen, observations, rows } = await running();
  const woken = listen();
  await update({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", generation: 2 } });
  await reconcile();
  const [row] = rows();
  if (row === undefined) throw new Error("no row");
  woken.length = 0;
  const copy = (named: typeof row.owner) =>
    observation({ cluster: "a", ref: { ...row.ref, name: "unheard" }, present: { owner: named } });
  observations.report("a", [copy(row.owner)]);
  expect(woken.splice(0)).toEqual([{ key: APP, afterMs: 50 }]);
  observations.report("a", [copy(owner("another"))]);
  expect(woken.filter(({ key }) => key === APP)).toEqual([{ key: APP, afterMs: undefined }]);
});
