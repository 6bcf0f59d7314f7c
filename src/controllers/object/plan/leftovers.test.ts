import { describe, expect, test } from "vitest";
import { refKey } from "../../../apis/index.ts";
import type { Observation } from "../../../desiredstate/index.ts";
import type { PlacedKind } from "../../../hub/index.ts";
import type { Footprint } from "../../states/index.ts";
import { footprintOf, leftoversOf } from "./leftovers.ts";
import {
  absent,
  applyRow,
  CLUSTER,
  CONFIG_KEY,
  CONFIG_REF,
  deleteRow,
  holdRow,
  inContact,
  observation,
  owner,
  SHOP,
} from "../../testing/builders.ts";
import { copySources, hubObject, member } from "../../testing/copySources.ts";

const CART = owner("cart");
const SHOP_KEY = refKey(SHOP);
const CART_KEY = refKey(CART);
const FOOTPRINT: Footprint = { refs: [CONFIG_REF], kinds: ["/ConfigMap"] };
const NO_FOOTPRINT: Footprint = { refs: [], kinds: [] };

type All = ReturnType<typeof copySources>;

const remaining = ({ sources }: All, footprint = FOOTPRINT, clusters: Iterable<string> = [CLUSTER]) =>
  leftoversOf(sources, { owner: SHOP, clusters, footprint });
const openOn = (all: All, footprint = FOOTPRINT): string[] => [...remaining(all, footprint).open];

/** The report of a worker that has looked for the object by name. */
const looked = (more: Partial<Omit<Observation, "present">> = {}): Observation =>
  absent({ absent: true, revision: 1_000, ...more });

/** The confirm rows are set, and the worker has looked for the object. */
function certain(): All {
  const all = copySources();
  all.assignments.replace(SHOP_KEY, remaining(all).rows);
  all.observations.report(CLUSTER, [looked()]);
  return all;
}

test("the footprint has the rendered objects, the dependencies of occasional kinds, and all kinds", () => {
  const rendered = ["a", "b"].map((name) => ({
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace: "default" } },
  }));
  const kinds = ["ConfigMap", "PersistentVolumeClaim", "Secret", "ServiceAccount"];
  const needed = kinds.map((one) => ({ ref: { ...CONFIG_REF, kind: one }, optional: false, readByPods: true }));
  const kind = { interpreter: { render: () => rendered } } as unknown as PlacedKind;
  const { refs, kinds: all } = footprintOf(kind, hubObject("shop"), needed);
  expect(refs.map((ref) => `${ref.kind}/${ref.name}`)).toEqual([
    ...["Deployment/a", "Deployment/b", "PersistentVolumeClaim/shop", "ServiceAccount/shop"],
  ]);
  expect(all).toEqual(["apps/Deployment", ...kinds.map((one) => `/${one}`)]);
});

describe("something of an object may be left on a cluster", () => {
  test("until its worker has looked for it by its name", () => {
    const all = copySources();
    const { rows, open } = remaining(all);
    expect([...open]).toEqual([CLUSTER]);
    expect(rows).toEqual([
      {
        verb: "Hold",
        cluster: CLUSTER,
        ref: CONFIG_REF,
        owner: SHOP,
        role: "rendered",
        wanted: false,
        confirm: true,
        why: { reason: "Confirming", message: "it is looked for by its name before the object is let go of" },
      },
    ]);
    all.observations.report(CLUSTER, [looked()]);
    expect(openOn(all)).toEqual([CLUSTER]);
    all.assignments.replace(SHOP_KEY, rows);
    expect(openOn(all)).toEqual([CLUSTER]);
    all.observations.report(CLUSTER, [looked()]);
    expect(openOn(all)).toEqual([]);
    expect(remaining(all).rows).toEqual(rows);
  });

  test.each<{ name: string; change: (all: All) => void }>([
    { name: "its worker has not taken the row yet", change: () => undefined },
    {
      name: "nobody has looked",
      change: ({ observations }) => observations.report(CLUSTER, [absent({ revision: 1_000 })]),
    },
    {
      name: "a write is under way",
      change: ({ observations }) => observations.report(CLUSTER, [looked({ writing: true })]),
    },
  ])("while $name", ({ change }) => {
    const all = copySources();
    all.assignments.replace(SHOP_KEY, remaining(all).rows);
    all.observations.report(CLUSTER, [looked({ revision: 0 })]);
    change(all);
    expect(openOn(all)).toEqual([CLUSTER]);
  });

  test.each<{ name: string; change: (all: All) => void }>([
    {
      name: "not all of the cluster is known",
      change: ({ observations }) => observations.contact(CLUSTER, { ...inContact, synced: false }),
    },
    {
      name: "a kind of what goes along cannot be read there",
      change: ({ observations }) =>
        observations.contact(CLUSTER, {
          ...inContact,
          synced: false,
          partlySynced: true,
          unreadable: new Map([["/ConfigMap", "forbidden"]]),
        }),
    },
    {
      name: "something could not be planned that may need it",
      change: ({ progress }) => progress.begin([CART_KEY]),
    },
    {
      name: "a copy of something else of it is seen there",
      change: ({ observations }) =>
        observations.report(CLUSTER, [observation({ ref: { ...CONFIG_REF, name: "another" } })]),
    },
    {
      name: "a row of it was withdrawn that the worker may be carrying out",
      change: ({ assignments }) => {
        assignments.replace(SHOP_KEY, [applyRow({ ref: { ...CONFIG_REF, name: "another" } })]);
        assignments.replace(SHOP_KEY, []);
      },
    },
  ])("while $name, though its worker has looked", ({ change }) => {
    const all = certain();
    expect(openOn(all)).toEqual([]);
    change(all);
    expect(openOn(all)).toEqual([CLUSTER]);
  });

  test("not of kinds that have nothing to do with it", () => {
    const all = certain();
    const unreadable = new Map([["/Secret", "forbidden"]]);
    all.observations.contact(CLUSTER, { ...inContact, synced: false, partlySynced: true, unreadable });
    expect(openOn(all)).toEqual([]);
  });

  test("not where a copy of it is another's to keep", () => {
    const all = certain();
    const ref = { ...CONFIG_REF, name: "shared" };
    all.observations.report(CLUSTER, [observation({ ref })]);
    all.assignments.replace(CART_KEY, [applyRow({ ref, owner: CART })]);
    expect(openOn(all)).toEqual([]);
  });

  test("not where there is no such cluster any more", () => {
    const all = copySources();
    all.members.clear();
    expect(remaining(all)).toEqual({ open: new Set(), rows: [] });
  });

  test("on those of several clusters alone where that is so", () => {
    const all = certain();
    all.join(member("frankfurt-1"));
    const { open, rows } = remaining(all, FOOTPRINT, [CLUSTER, "gone", "frankfurt-1"]);
    expect([...open]).toEqual(["frankfurt-1"]);
    expect(rows.map(({ cluster }) => cluster)).toEqual([CLUSTER, "frankfurt-1"]);
  });

  test("on clusters that are asked about alone", () => {
    const all = certain();
    all.join(member("frankfurt-1"));
    all.observations.report("frankfurt-1", [observation({ cluster: "frankfurt-1" })]);
    expect(openOn(all)).toEqual([]);
  });
});

describe("of a kind that is not granted there", () => {
  const unreadable = new Map([["/ConfigMap", "configmaps are not granted: run `meridian join`"]]);
  const ungranted = new Set(["/ConfigMap"]);

  /** The worker has acknowledged the confirm row, and may not read the kind. */
  function ungrantedOn(status: object, report: Partial<Observation> = {}): All {
    const all = copySources();
    all.have(hubObject("shop", [], status));
    all.observations.contact(CLUSTER, { ...inContact, synced: false, partlySynced: true, unreadable, ungranted });
    all.assignments.replace(SHOP_KEY, remaining(all).rows);
    expect(openOn(all)).toEqual([CLUSTER]);
    all.observations.report(CLUSTER, [absent({ revision: 1_000, ...report })]);
    return all;
  }

  const never = { clusters: [{ name: CLUSTER, state: "Failed" }] };

  test("nothing is left where nothing was ever seen, and every write was refused", () =>
    expect(openOn(ungrantedOn(never))).toEqual([]));

  test.each<{ name: string; status?: object; report?: Partial<Observation>; change?: (all: All) => void }>([
    { name: "its status says that it was seen there", status: { clusters: [{ name: CLUSTER, observedHash: "h" }] } },
    { name: "its status says nothing of the cluster", status: { clusters: [], unlistedClusters: [CLUSTER] } },
    { name: "the worker knows of a write that was not refused", report: { mayBeThere: true } },
    { name: "a write is under way", report: { writing: true } },
    { name: "the worker has not taken the row yet", report: { revision: 0 } },
    {
      name: "the kind cannot be read for another reason",
      change: ({ observations }) =>
        observations.contact(CLUSTER, { ...inContact, synced: false, partlySynced: true, unreadable }),
    },
    {
      name: "it goes along with another kind that cannot be read",
      change: ({ observations }) => {
        const both = new Map([...unreadable, ["/Secret", "forbidden"]]);
        observations.contact(CLUSTER, { ...inContact, synced: false, partlySynced: true, unreadable: both, ungranted });
      },
    },
  ])("something may be left where $name", ({ status = never, report, change }) => {
    const all = ungrantedOn(status, report);
    change?.(all);
    expect(openOn(all, { ...FOOTPRINT, kinds: ["/ConfigMap", "/Secret"] })).toEqual([CLUSTER]);
  });
});

describe("the row that makes certain", () => {
  test("is not needed for what is seen, which is the plan's", () => {
    const all = copySources();
    all.observations.report(CLUSTER, [observation()]);
    const { rows, open } = remaining(all);
    expect([rows, [...open]]).toEqual([[], [CLUSTER]]);
  });

  test("is not needed for what another asks for: that one's rows say what becomes of it", () => {
    const all = copySources();
    all.assignments.replace(CART_KEY, [applyRow({ owner: CART })]);
    expect(remaining(all)).toEqual({ open: new Set(), rows: [] });
  });

  test("is not enough while the object itself, or another, asks for it", () => {
    const all = copySources();
    all.assignments.replace(SHOP_KEY, [applyRow()]);
    all.assignments.replace(CART_KEY, [applyRow({ owner: CART })]);
    all.observations.report(CLUSTER, [looked()]);
    const { rows, open } = remaining(all);
    expect([rows.map(({ verb }) => verb), [...open]]).toEqual([["Hold"], [CLUSTER]]);
  });

  test.each([deleteRow(), deleteRow({ verb: "Release" as never })])("is the $verb that removed it", (row) => {
    const all = copySources();
    all.assignments.replace(SHOP_KEY, [row]);
    all.observations.report(CLUSTER, [looked()]);
    expect(remaining(all)).toEqual({ open: new Set(), rows: [row] });
  });

  test("takes the place of another hold", () => {
    const all = copySources();
    all.assignments.replace(SHOP_KEY, [holdRow({ wanted: false })]);
    expect(remaining(all).rows).toMatchObject([{ verb: "Hold", confirm: true, why: { reason: "Confirming" } }]);
  });

  test("says why one cannot look", () => {
    const all = copySources();
    const unreadable = new Map([["/ConfigMap", "configmaps cannot be watched on the member: forbidden"]]);
    all.observations.contact(CLUSTER, { ...inContact, synced: false, partlySynced: true, unreadable });
    expect(remaining(all).rows).toMatchObject([
      {
        why: {
          reason: "ClusterNotSynced",
          message: "configmaps cannot be watched on the member: forbidden",
        },
      },
    ]);
    expect(all.observations.get(CLUSTER, CONFIG_KEY)).toBeUndefined();
  });

  test("nothing is left of what comes to nothing, where everything is known", () => {
    const all = copySources();
    expect(remaining(all, NO_FOOTPRINT)).toEqual({ open: new Set(), rows: [] });
    all.observations.contact(CLUSTER, { ...inContact, synced: false });
    expect(openOn(all, NO_FOOTPRINT)).toEqual([CLUSTER]);
  });
});
