import { describe, expect, test } from "vitest";
import { decideRemovals } from "./removals.ts";
import { copy, facts } from "../testing/builders.ts";
import type { ClusterFacts, Observation, RemovalFacts } from "../types.ts";

/** The rows of removals as a whole, and every sentence that says why something stays. */

const service = copy("shanghai-1", "Service");
const KEY = "shanghai-1//Service/default/nginx-demo";
const ready = { synced: true, deletionsHeld: false, planned: true };
const on = (cluster: ClusterFacts): Partial<RemovalFacts> => ({ clusters: new Map([["shanghai-1", cluster]]) });
const removal = (
  more: Partial<RemovalFacts> = {},
  given: Observation = service,
  serving?: Parameters<typeof decideRemovals>[2],
) => decideRemovals([given], facts(more), serving)[0];
const base = { cluster: "shanghai-1", ref: service.ref, owner: facts().owner, role: "rendered" };
const cause = facts().cause;

test("a row says of which life of the copy it is, and why", () => {
  expect(removal()).toStrictEqual({ ...base, verb: "Delete", uid: "shanghai-1-Service", why: cause });
  expect(removal({ policy: "Orphan" })).toStrictEqual({
    ...base,
    verb: "Release",
    uid: "shanghai-1-Service",
    why: cause,
  });
  expect(removal({ hub: { ...ready, synced: false } })).toStrictEqual({
    ...base,
    verb: "Hold",
    wanted: false,
    why: {
      reason: "HubNotSynced",
      message: "not everything on the hub is known yet; nothing is removed before",
    },
  });
});

test("of an object that goes in phases each row has its own", () => {
  const phases = (kind: string) => removal({ inPhases: true }, copy("shanghai-1", kind))?.phase;
  expect([phases("ServiceAccount"), phases("Deployment")]).toEqual([1, 2]);
  expect(removal()).not.toHaveProperty("phase");
});

describe("why something stays is a sentence", () => {
  test.each<[what: string, more: Partial<RemovalFacts>, given: Observation, reason: string, message: string]>([
    [
      "held deletions",
      { hub: { ...ready, deletionsHeld: true } },
      service,
      "DeletionsHeld",
      "more than half of the objects vanished from the hub at once; held until a second read agrees",
    ],
    [
      "marks that nobody proves",
      {},
      copy("shanghai-1", "Service", { proven: false }),
      "OwnershipUnproven",
      "it has Meridian's marks, and its managedFields do not show that Meridian set them",
    ],
    [
      "another user",
      { neededByOthers: new Set([KEY]) },
      service,
      "NeededByOthers",
      "another object on the hub needs it there",
    ],
    [
      "what was there before",
      { foundOnJoin: new Set([KEY]) },
      service,
      "FoundOnJoin",
      "it was on the cluster before the cluster was joined, and has not been taken up since",
    ],
    [
      "what cannot be read",
      on({ synced: true, unseen: new Map([["/Service", "services cannot be watched"]]) }),
      service,
      "ClusterNotSynced",
      "services cannot be watched",
    ],
    ["what holds the cluster", on({ synced: true, held: { reason: "R", message: "m" } }), service, "R", "m"],
    ["what holds the kind", { held: { reason: "R", message: "m" } }, service, "R", "m"],
  ])("%s", (_what, more, given, reason, message) => {
    expect(removal(more, given)?.why).toStrictEqual({ reason, message });
  });
});

test("what holds everything goes before what holds the cluster, and that before the owner", () => {
  const held = { reason: "R", message: "m" };
  expect(removal({ held, clusters: new Map() })?.why.reason).toBe("R");
  expect(removal({ held, hub: { ...ready, deletionsHeld: true } })?.why.reason).toBe("DeletionsHeld");
  expect(removal({ hub: { synced: false, planned: false, deletionsHeld: true } })?.why.reason).toBe("HubNotSynced");
  expect(removal({ hub: { synced: true, planned: false, deletionsHeld: true } })?.why.reason).toBe(
    "PlanningIncomplete",
  );
  expect(removal({ ...on({ synced: false, namespaces: ["x"] }), ownership: "OtherClass" })?.why.reason).toBe(
    "NamespaceNotGranted",
  );
  expect(removal({ ...on({ synced: false }), ownership: "OtherClass" })?.why.reason).toBe("ClusterNotSynced");
});

describe("the last copy that serves", () => {
  const why = { reason: "AwaitingReplacement", message: "m" };

  test("stays when nothing else keeps it, and says for what", () => {
    const serving = new Map([["shanghai-1", why]]);
    expect(removal({}, service, serving)).toMatchObject({ verb: "Hold", why });
    expect(removal({ neededByOthers: new Set([KEY]) }, service, serving)?.why.reason).toBe("NeededByOthers");
    expect(removal({}, service, new Map([["frankfurt-1", why]]))?.verb).toBe("Delete");
    expect(removal(on({ synced: true, leaving: "Keep" }), service, serving)?.verb).toBe("Release");
  });
});

describe("a copy that nobody knows the policy for", () => {
  const forgotten = (policy?: "Orphan") =>
    removal({ policy: undefined }, copy("shanghai-1", "Service", policy === undefined ? {} : { policy }))?.verb;

  test("says itself what becomes of it", () => {
    expect([forgotten(), forgotten("Orphan")]).toEqual(["Delete", "Release"]);
  });

  test("does not say it where the policy is known", () => {
    expect(removal({ policy: "Delete" }, copy("shanghai-1", "Service", { policy: "Orphan" }))?.verb).toBe("Delete");
  });
});

describe("a definition of which objects exist", () => {
  const definition = (name = "widgets.example.com", kind = "CustomResourceDefinition"): Observation => ({
    ...service,
    ref: { apiVersion: kind === "Service" ? "v1" : "apiextensions.k8s.io/v1", kind, name },
  });
  const agreed = (text: string | undefined, given = definition()) => {
    const row = removal(text === undefined ? {} : { agreed: text }, given);
    return row?.verb === "Delete" ? row.agreed : row?.verb;
  };

  test.each([
    ["widgets.example.com", true],
    [" a.example.com , widgets.example.com ", true],
    ["*", true],
    ["a.example.com, *", true],
    ["widgets", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("goes with the agreement %j: %j", (text, want) => expect(agreed(text)).toBe(want));

  test("needs it, and nothing else does", () => {
    expect(agreed("*", definition("x", "Service"))).toBeUndefined();
    expect(removal({}, definition())).not.toHaveProperty("agreed");
    expect(removal({ agreed: "*", policy: "Orphan" }, definition())).not.toHaveProperty("agreed");
  });
});

describe("a claim", () => {
  const claim = (more: object = {}) => copy("shanghai-1", "PersistentVolumeClaim", more);

  test("that was found in nobody's name stays while the object goes on, whatever else may go", () => {
    expect(removal({}, claim())?.why.reason).toBe("HoldsData");
    expect(removal({ policy: "Orphan" }, claim())?.why.reason).toBe("HoldsData");
  });

  test("on a cluster that is drained is let go of, and nothing else is", () => {
    const drained = on({ synced: true, leaving: "Drain" });
    expect([removal(drained, claim())?.verb, removal(drained)?.verb]).toEqual(["Release", "Delete"]);
  });

  test("of an owner that is gone goes as it says itself", () => {
    const gone = { cause: { reason: "ObjectDeleted", message: "m" } };
    expect([removal(gone, claim())?.verb, removal(gone, claim({ policy: "Orphan" }))?.verb]).toEqual([
      "Delete",
      "Release",
    ]);
    expect(removal(gone, copy("shanghai-1", "Service", { policy: "Orphan" }))?.verb).toBe("Delete");
  });
});
