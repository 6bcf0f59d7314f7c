import { describe, expect, test } from "vitest";
import {
  CONTROLLER_CLASS_LABEL,
  crdNameOf,
  type KubeObject,
  type OwnerRef,
  parseObject,
  refKey,
} from "../../apis/index.ts";
import { type Observation, ownerRefOf } from "../../desiredstate/index.ts";
import { kindTerms } from "../../hub/index.ts";
import { DEMOAPPLICATIONS } from "../../runtime/index.ts";
import { departingNotes } from "./departing.ts";
import { PlannerHubState, put } from "./state/hubState.ts";
import { lostOwnerNotes } from "./lostOwners.ts";
import { Comparing, type PlannedObject } from "./planning.ts";
import { application, FEDERATION, placement } from "./testing/objects.ts";

/** `plan` says what the manager would hold, and why. */

const NOW = Date.parse("2026-03-01T00:00:00Z");
const [LONG_AGO, JOINED] = ["2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"];
const replicas = { desired: 2, updated: 2, ready: 2, available: 2 };

function member(name: string, spec: object = {}, metadata: object = {}, conditions: object[] = []): KubeObject {
  const ready = { type: "Ready", status: "True", reason: "Connected", message: "", lastTransitionTime: JOINED };
  return {
    apiVersion: FEDERATION,
    kind: "MemberCluster",
    metadata: { name, creationTimestamp: JOINED, ...metadata },
    spec: { connection: { pull: {} }, ...spec },
    status: { conditions: [ready, ...conditions] },
  };
}

function onHub(object: KubeObject, clusters: readonly string[], entry: object = {}, metadata: object = {}): KubeObject {
  const entries = clusters.map((name) => ({ name, state: "Available", replicas, observedHash: "h", ...entry }));
  return {
    ...object,
    metadata: { ...object.metadata, uid: `${object.metadata.name}-uid`, generation: 1, ...metadata },
    status: { observedGeneration: 1, clusters: entries },
  };
}

/** An application that runs on these clusters, and its copies there. */
const web = (clusters: readonly string[], entry: object = {}, metadata: object = {}): KubeObject =>
  onHub(application({ envFrom: [] }), clusters, entry, metadata);

const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web" };
const SERVICE = { apiVersion: "v1", kind: "Service", namespace: "shop", name: "web" };
const SECRET = { apiVersion: "v1", kind: "Secret", namespace: "shop", name: "password" };

function copy(cluster: string, owner: OwnerRef, ref = DEPLOYMENT, present: object = {}): Observation {
  const health = { state: "Available" as const, ...(ref === DEPLOYMENT ? { replicas } : {}) };
  const seen = {
    uid: `${cluster}-${ref.name}`,
    owner,
    createdAt: "2026-02-01T00:00:00Z",
    proven: true,
    deleting: false,
  };
  return { cluster, ref, present: { ...seen, health, ...present }, writing: false, revision: 0 };
}

/** With defaults, as a hub stores it. */
function stored(object: KubeObject): KubeObject {
  const parsed = parseObject(object);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.object;
}

interface Change {
  now: readonly KubeObject[];
  planned: readonly KubeObject[];
  copies: readonly Observation[];
}

function comparing({ now, planned: to }: Pick<Change, "now" | "planned">): Comparing {
  const before = new PlannerHubState();
  before.hubId = "hub";
  for (const object of now) put(before, stored(object));
  const after = before.clone();
  for (const object of to) put(after, stored(object));
  return new Comparing({ before, after, lost: new Set(), now: NOW });
}

/** What becomes of the object of that name by what the members say. */
function planned(change: Change, name = "web"): PlannedObject | undefined {
  const both = comparing(change);
  const observed = both.candidates.map((one) =>
    both.observed(
      one,
      change.copies.filter(({ present }) => present?.owner !== undefined && refKey(present.owner) === one.key),
    ),
  );
  const candidate = observed.find(({ object }) => object.metadata.name === name);
  return candidate === undefined ? undefined : both.planned(candidate);
}

/** What becomes of the member objects on a cluster, as `verb reason`. */
function fates(change: Change, cluster: string, name?: string): string[] {
  const found = planned(change, name)?.changes.find((one) => one.cluster === cluster);
  return (found?.objects ?? []).map(({ verb, why, ref }) => [verb, why?.reason, ref.kind].filter(Boolean).join(" "));
}

const placed = (clusters: string[]): KubeObject => placement(clusters);
const clusters = [member("m1"), member("m2")];

describe("a copy that is left behind", () => {
  const owner = ownerRefOf(web(["m1"]));
  const moved = [placed(["m1"])];
  const arrived = [copy("m1", owner), copy("m1", owner, SERVICE)];
  /** From two clusters to the first. */
  const leaving = (more: Partial<Change> & { object?: KubeObject } = {}): Change => {
    const { object = web(["m1", "m2"]), ...rest } = more;
    const now = [...clusters, placed(["m1", "m2"]), object];
    return { now, planned: moved, copies: [...arrived, copy("m2", owner)], ...rest };
  };

  test("goes where nothing holds it", () => {
    expect(fates(leaving(), "m2")).toEqual(["Deleted NotSelected Deployment"]);
  });

  test("stays while the manager holds all removals, as statuses say", () => {
    const cart = onHub(application({ envFrom: [] }, "cart"), ["m1"], { state: "Held", reason: "DeletionsHeld" });
    const change = leaving();
    expect(fates({ ...change, now: [...change.now, cart] }, "m2")).toEqual(["Held DeletionsHeld Deployment"]);
  });
});

describe("a dependency that is left behind", () => {
  const secret = { ...SECRET, metadata: { name: "password", namespace: "shop" }, data: { password: "b2xk" } };
  const password = { apiVersion: "v1", kind: "Secret", metadata: secret.metadata, data: secret.data };
  const reader = (name: string, on: string[], metadata: object = {}): KubeObject =>
    onHub(application({}, name), on, {}, metadata);
  const owner = ownerRefOf(reader("web", []));
  const copies = [copy("m1", owner), copy("m1", owner, SERVICE), copy("m2", owner), copy("m2", owner, SECRET)];
  const change = (other: KubeObject): Change => {
    const byName = (name: string, on: string[]): KubeObject => {
      const one = placement(on);
      const [selector] = (one["spec"] as { resourceSelectors: object[] }).resourceSelectors;
      const spec = { ...(one["spec"] as object), resourceSelectors: [{ ...selector, name }] };
      return { ...one, metadata: { ...one.metadata, name }, spec };
    };
    return {
      now: [
        ...clusters,
        password,
        byName("web", ["m1", "m2"]),
        byName("cart", ["m1"]),
        reader("web", ["m1", "m2"]),
        other,
      ],
      planned: [byName("web", ["m1"])],
      copies,
    };
  };

  test("goes where no other object on that cluster needs it", () => {
    expect(fates(change(reader("cart", ["m1"])), "m2")).toContain("Deleted NotSelected Secret");
  });

  test("stays where an object of another controller class needs it: where that one runs, only its manager knows", () => {
    const canary = reader("cart", ["m1"], { labels: { [CONTROLLER_CLASS_LABEL]: "canary" } });
    expect(fates(change(canary), "m2")).toContain("Held NeededByOthers Secret");
  });
});

describe("an object that is being deleted", () => {
  const gone = { deletionTimestamp: "2026-02-01T00:00:00Z", finalizers: ["paas.cmft.com/members"] };
  const note = (terms: ReturnType<typeof kindTerms> | undefined, objects: readonly KubeObject[] = []): string => {
    const state = new PlannerHubState();
    const object = web(["m1"], {}, gone);
    for (const one of [...clusters, object, ...objects]) put(state, stored(one));
    if (terms !== undefined) state.kindTerms = new Map([["paas.cmft.com/DemoApplication", terms]]);
    return departingNotes(state, [object]).join();
  };
  const crd = { name: crdNameOf(DEMOAPPLICATIONS), creationTimestamp: LONG_AGO };

  test("is held with its kind, also before the status says so", () => {
    expect(note(kindTerms(DEMOAPPLICATIONS, { ...crd, deletionTimestamp: JOINED }))).toContain("(KindBeingDeleted)");
    expect(note(kindTerms(DEMOAPPLICATIONS, "Gone"))).toContain("(KindBeingDeleted)");
    expect(note(kindTerms(DEMOAPPLICATIONS, crd))).not.toContain("KindBeingDeleted");
  });

  test("is held while its policy is suspended", () => {
    expect(note(undefined, [placement(["m1"], { suspend: true })])).toContain("(Suspended)");
  });
});

describe("copies of an object that the hub lacks", () => {
  const lost: OwnerRef = {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    namespace: "shop",
    name: "old",
    uid: "o",
  };
  const notesOf = async (read: { exists: boolean; resourceVersion: string } | undefined, conditions: object[] = []) => {
    const state = new PlannerHubState();
    for (const one of [member("m1", {}, {}, conditions), web(["m1"])]) put(state, one);
    const seen = [copy("m1", lost, SECRET, { hubVersion: "900" }), copy("m1", ownerRefOf(web([])))];
    return (await lostOwnerNotes({ owner: async () => read }, state, seen)).join();
  };

  test("are held where they know a later state of the hub", async () => {
    expect(await notesOf({ exists: false, resourceVersion: "800" })).toContain("(HubWentBack)");
    expect(await notesOf({ exists: false, resourceVersion: "1000" })).toBe("");
  });

  test("are held where the manager says so on the cluster", async () => {
    const held = {
      type: "DeletionsHeld",
      status: "True",
      reason: "OwnersMissing",
      message: "",
      lastTransitionTime: JOINED,
    };
    expect(await notesOf({ exists: false, resourceVersion: "1000" }, [held])).toContain("(OwnersMissing)");
  });

  test("are no such copies where the object has come meanwhile, or nobody may ask", async () => {
    expect(await notesOf({ exists: true, resourceVersion: "800" })).toBe("");
    expect(await notesOf(undefined)).toBe("");
  });
});
