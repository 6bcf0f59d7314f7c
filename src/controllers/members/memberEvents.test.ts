import { describe, expect, onTestFinished, test } from "vitest";
import { REMOVE_FOUND_ANNOTATION, refKey } from "../../apis/index.ts";
import type { Heal, HoldRow } from "../../desiredstate/index.ts";
import type { EventRecord } from "../../observability/index.ts";
import { recordMemberEvents } from "./memberEvents.ts";
import {
  absent,
  applyRow,
  CLUSTER,
  CONFIG_REF,
  deleteRow,
  holdRow,
  observation,
  owner,
  SHOP,
} from "../testing/builders.ts";
import { copySources, member } from "../testing/copySources.ts";

const SHOP_KEY = refKey(SHOP);
const MEMBER = { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "MemberCluster", name: CLUSTER };

function recording() {
  const all = copySources();
  all.join(member(CLUSTER, { uid: "m" }));
  const events: EventRecord[] = [];
  const { hub } = all.sources;
  const subscription = recordMemberEvents({
    hub,
    assignments: all.assignments,
    observations: all.observations,
    events: { record: (event) => void events.push(event) },
  });
  onTestFinished(() => subscription[Symbol.dispose]());
  const report = (...reports: Parameters<typeof all.observations.report>[1]): void =>
    all.observations.report(CLUSTER, reports);
  return { ...all, events, subscription, report };
}

describe("what was put right on a member is told to the owner", () => {
  const heal = (more: Partial<Heal> = {}): Heal => ({
    at: 5,
    lost: [{ path: "data.key", takenBy: "kubectl" }],
    gone: false,
    contested: false,
    ...more,
  });

  const lost = (...paths: string[]) => paths.map((path) => ({ path, takenBy: "kubectl" }));
  const many = [...lost("data.key"), { path: "data.b", takenBy: "argocd" }, ...lost("data.c")];
  const retain = 'to leave it to the member, add to the Placement: retain: [{kind: ConfigMap, path: "data.key"}]';
  const drift = "DriftHealed";
  test.each<[string, Partial<Heal>, string, string]>([
    ["a field", {}, drift, "data.key changed by kubectl; put back"],
    [
      "several fields, with every writer",
      { lost: many },
      drift,
      "data.key and 2 more changed by kubectl, argocd; put back",
    ],
    ["the marks", { lost: [] }, drift, "Meridian's marks; put back"],
    ["the whole object", { lost: [], gone: true }, "Recreated", "was deleted, or lost its label; put back"],
    [
      "a contested field, with the remedy",
      { contested: true },
      "Contested",
      `data.key changed by kubectl again; put back less and less often; ${retain}`,
    ],
  ])("%s", (_, healed, reason, note) => {
    const { assignments, report, events } = recording();
    assignments.replace(SHOP_KEY, [applyRow()]);
    report(observation({ healed: heal(healed) }));
    const words = { reason, action: "Heal", note: `${CLUSTER}: ConfigMap shop ${note}` };
    expect(events).toEqual([{ regarding: SHOP, type: "Warning", ...words, related: MEMBER }]);
  });

  test("a placeholder that is given up, once", () => {
    const { assignments, report, events } = recording();
    assignments.replace(SHOP_KEY, [applyRow()]);
    const givenUp = [{ path: "data.ca", takenBy: "injector" }];
    report(observation({ givenUp }));
    report(observation({ givenUp, revision: 2 }));
    expect(events).toMatchObject([{ regarding: SHOP, type: "Normal", reason: "GivenUp", related: MEMBER }]);
    expect(events[0]?.["note"]).toContain("data.ca changed by injector");
  });

  test("once, and again the next time", () => {
    const { report, events } = recording();
    report(observation({ healed: heal() }));
    report(observation({ healed: heal(), revision: 2 }));
    expect(events).toHaveLength(1);
    report(observation({ healed: heal({ at: 6 }) }));
    expect(events).toHaveLength(2);
  });

  test("of a copy without a row to whom the copy names, and to nobody of one that names nobody", () => {
    const cart = owner("cart");
    const { report, events } = recording();
    report(observation({ healed: heal(), present: { owner: cart } }));
    expect(events.map(({ regarding }) => regarding)).toEqual([cart]);
    report(absent({ ref: { ...CONFIG_REF, name: "b" }, healed: heal() }));
    expect(events).toHaveLength(1);
  });
});

describe("that a copy went since its owner is gone", () => {
  const why = { reason: "ObjectGone", message: "the object is gone from the hub" };

  test.each([
    {
      row: deleteRow({ why }),
      note: "ConfigMap default/shop deleted: DemoApplication default/shop is gone from the hub",
    },
    {
      row: deleteRow({ why, verb: "Release" as never }),
      note: "ConfigMap default/shop let go of: DemoApplication default/shop is gone from the hub",
    },
  ])("is told on the MemberCluster: $row.verb", ({ row, note }) => {
    const { assignments, report, events } = recording();
    report(observation());
    assignments.replace(SHOP_KEY, [row]);
    report(absent({ absent: true }));
    expect(events).toEqual([
      { regarding: { ...MEMBER, uid: "m" }, type: "Normal", reason: "OwnerGone", action: "CleanUp", note },
    ]);
    report(absent({ absent: true, revision: 2 }));
    expect(events).toHaveLength(1);
  });

  test.each([
    { name: "was moved", row: deleteRow() },
    { name: "is held", row: holdRow({ wanted: false, why }) },
    { name: "is applied", row: applyRow() },
  ])("is not told of a copy that $name", ({ row }) => {
    const { assignments, report, events } = recording();
    report(observation());
    assignments.replace(SHOP_KEY, [row]);
    report(absent({ absent: true }));
    expect(events).toEqual([]);
  });

  test("is not told of a copy that is still there, or that nobody removes", () => {
    const { assignments, report, events } = recording();
    report(observation(), observation({ ref: { ...CONFIG_REF, name: "b" } }));
    assignments.replace(SHOP_KEY, [deleteRow({ why })]);
    report(observation({ present: { deleting: true } }), absent({ ref: { ...CONFIG_REF, name: "b" } }));
    expect(events).toEqual([]);
  });
});

test("that objects were there before the join is told once for each cluster, with what to do", () => {
  const { assignments, events, join } = recording();
  join(member("b"));
  const why = { reason: "FoundOnJoin", message: "it was there" };
  const found = (cluster: string, name: string): HoldRow =>
    holdRow({ cluster, ref: { ...CONFIG_REF, name }, wanted: false, why });
  assignments.replace(SHOP_KEY, [applyRow({ ref: { ...CONFIG_REF, name: "ours" } }), found(CLUSTER, "one")]);
  assignments.replace(SHOP_KEY, [found(CLUSTER, "one"), found(CLUSTER, "two"), found("b", "three")]);
  expect(events).toEqual([
    {
      regarding: { ...MEMBER, uid: "m" },
      type: "Warning",
      reason: "FoundOnJoin",
      action: "CleanUp",
      note: `ConfigMap one and maybe more was there before the join and stays; to have it removed: kubectl annotate membercluster ${CLUSTER} ${REMOVE_FOUND_ANNOTATION}=true`,
    },
    expect.objectContaining({ regarding: { ...MEMBER, name: "b" } }),
  ]);
});

const TEAM = { apiVersion: "v1", kind: "Namespace", name: "team" };
const kept = (message: string, reason = "NamespaceKept") =>
  observation({ ref: TEAM, failure: { reason, message, final: false } });

test("that a namespace stays, since nobody can see what is in it, is told on the MemberCluster once for each reason", () => {
  const { report, events } = recording();
  report(kept("secrets may not be listed there"));
  report(kept("secrets may not be listed there"));
  expect(events).toEqual([
    {
      regarding: { ...MEMBER, uid: "m" },
      type: "Warning",
      reason: "NamespaceKept",
      action: "CleanUp",
      note: "namespace team stays on the member: secrets may not be listed there",
    },
  ]);
  report(kept("pods may not be listed there"));
  expect(events).toHaveLength(2);
});

test("nothing is told of a cluster that goes, nor after the end", () => {
  const { observations, assignments, report, events, subscription } = recording();
  report(observation());
  assignments.replace(SHOP_KEY, [deleteRow({ why: { reason: "ObjectGone", message: "" } })]);
  observations.contact(CLUSTER, undefined);
  subscription[Symbol.dispose]();
  report(observation({ ref: { ...CONFIG_REF, name: "b" }, healed: { at: 5, lost: [], gone: true, contested: false } }));
  expect(events).toEqual([]);
});
