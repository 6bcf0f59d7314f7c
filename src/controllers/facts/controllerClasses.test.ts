import { describe, expect, onTestFinished, test } from "vitest";
import {
  CLUSTER_FINALIZER,
  CONTROLLER_CLASS_LABEL,
  finalizerOf,
  type KubeObject,
  type MemberCluster,
  OBJECT_FINALIZER,
  type ObjectMeta,
  type ObjectRef,
  refKey,
  refOf,
} from "../../apis/index.ts";
import { ScriptedClient } from "../../clusters/testing/scriptedClient.ts";
import type { HubCache, HubEvent, Policy } from "../../hub/index.ts";
import {
  ApiError,
  CLUSTERPLACEMENTS,
  DEMOAPPLICATIONS,
  Emitter,
  type ResourceType,
  SECRETS,
} from "../../runtime/index.ts";
import { ControllerClasses } from "./controllerClasses.ts";
import { applicationsOnHub } from "../testing/applicationsOnHub.ts";
import { CLUSTER, CONFIG_REF, owner } from "../testing/builders.ts";
import { hubObject, leaving, member } from "../testing/copySources.ts";
import { clusterPlacementObject } from "../../../test/builders/policyObjects.ts";
import { application, SELECTS_APPLICATIONS, setUpHub } from "../../hub/testing/fakeHub.ts";

const { signal } = new AbortController();
const CANARY = { labels: { [CONTROLLER_CLASS_LABEL]: "canary" } };
const CANARY_FINALIZER = finalizerOf(OBJECT_FINALIZER, "canary");
const SECRET: ObjectRef = { ...CONFIG_REF, kind: "Secret" };

/** A hub object with these dependencies. */
function object(name: string, metadata: Partial<ObjectMeta> = {}, needs: readonly ObjectRef[] = []): KubeObject {
  const plain = hubObject(name);
  return { ...plain, metadata: { ...plain.metadata, ...metadata }, spec: { needs } };
}

/** A manager of these classes, and the hub that it shares with other managers. */
function classesOn(names: readonly string[] = ["default"]) {
  const objectEvents = new Emitter<HubEvent<KubeObject>>();
  const policyEvents = new Emitter<HubEvent<Policy>>();
  const clusterEvents = new Emitter<HubEvent<MemberCluster>>();
  const objects = new Map<string, KubeObject>();
  const members = new Map<string, MemberCluster>();
  const state = { served: true, denied: [] as ResourceType[] };
  const dependencies = ({ spec }: KubeObject) =>
    (spec as { needs: ObjectRef[] }).needs.map((ref) => ({ ref, optional: false, readByPods: true }));
  const known = applicationsOnHub(objects, { dependencies });
  const client = new ScriptedClient(() => ({ items: [], resourceVersion: "1" }));
  const hub = {
    ...known,
    onObject: (handler: (event: HubEvent<KubeObject>) => void) => objectEvents.subscribe(handler),
    onPolicy: (handler: (event: HubEvent<Policy>) => void) => policyEvents.subscribe(handler),
    onCluster: (handler: (event: HubEvent<MemberCluster>) => void) => clusterEvents.subscribe(handler),
    kindOf: (ref: ObjectRef) => (state.served ? known.kindOf(ref) : undefined),
    deniedKinds: () => state.denied,
    clusters: { get: (name: string) => members.get(name) },
    catalog: { hubKinds: () => [DEMOAPPLICATIONS] },
  } as unknown as HubCache;
  const classes = new ControllerClasses({ hub, client: client.client, classes: new Set(names) });
  onTestFinished(() => classes[Symbol.dispose]());
  let others = 0;
  const needs: string[] = [];
  classes.othersChanged.subscribe(() => void (others += 1));
  classes.needs.subscribe((ref) => void needs.push(refKey(ref)));
  /** Sets or deletes the object on the hub. */
  const see = (now: KubeObject, type: "Seen" | "Deleted" = "Seen"): void => {
    const key = refKey(refOf(now));
    const old = objects.get(key);
    if (type === "Deleted") objects.delete(key);
    else objects.set(key, now);
    const change = type === "Deleted" ? "Deleted" : old === undefined ? "Added" : "Updated";
    objectEvents.emit({ type: change, key, object: now, ...(old === undefined ? {} : { old }), initial: false });
  };
  const seeCluster = (cluster: MemberCluster, type: "Added" | "Deleted" = "Added"): void => {
    members.set(cluster.metadata.name, cluster);
    clusterEvents.emit({ type, key: cluster.metadata.name, object: cluster, initial: false });
  };
  const changesOfOthers = (): number => others;
  return { classes, client, state, members, needs, see, seeCluster, changesOfOthers };
}

describe("whether this manager is alone on its hub", () => {
  test.each([
    { name: "names one", metadata: CANARY },
    { name: "is one's by its finalizer", metadata: { finalizers: ["other", CANARY_FINALIZER] } },
  ])("is not so while an object $name, and each change of that object is told", ({ metadata }) => {
    const { classes, see, changesOfOthers } = classesOn();
    see(object("shop", metadata));
    expect([classes.areAlone, changesOfOthers()]).toEqual([false, 1]);
    see(object("shop", { ...metadata, generation: 2 }));
    expect(changesOfOthers()).toBe(2);
    see({ ...object("shop", { ...metadata, generation: 2 }), status: { observedGeneration: 2 } });
    expect(changesOfOthers()).toBe(2);
    see(object("shop", { generation: 3 }));
    expect([classes.areAlone, changesOfOthers()]).toEqual([true, 3]);
    see(object("shop", { generation: 4 }));
    expect(changesOfOthers()).toBe(3);
  });

  test("does not mix up an object and a cluster of one name", () => {
    const { classes, see, seeCluster } = classesOn();
    seeCluster(member(CLUSTER, CANARY));
    see(object(CLUSTER), "Deleted");
    expect(classes.areAlone).toBe(false);
  });
});

describe("what is this manager's", () => {
  test.each([
    { metadata: {}, object: "Owned", ours: true },
    { metadata: CANARY, object: "Foreign", ours: false },
    { metadata: { ...CANARY, finalizers: [OBJECT_FINALIZER] }, object: "Yielding", ours: false },
    { metadata: { finalizers: [CANARY_FINALIZER] }, object: "Claimable", ours: true },
  ])("$metadata: the object is $object, a policy ours: $ours", ({ metadata, object: want, ours }) => {
    const { classes } = classesOn();
    expect(classes.of(object("shop", metadata))).toBe(want);
    expect(classes.isOurPolicy({ metadata: { name: "p", ...metadata } })).toBe(ours);
  });

  test.each([
    { metadata: {}, want: true },
    { metadata: CANARY, want: false },
    { metadata: { ...CANARY, finalizers: [CLUSTER_FINALIZER] }, want: true },
    { metadata: { finalizers: [finalizerOf(CLUSTER_FINALIZER, "canary")] }, want: false },
    { metadata: { ...CANARY, finalizers: [OBJECT_FINALIZER] }, want: false },
  ])("a MemberCluster with $metadata: $want", ({ metadata, want }) => {
    const { classes, members } = classesOn();
    expect(classes.ownsCluster(CLUSTER)).toBe(false);
    members.set(CLUSTER, member(CLUSTER, metadata));
    expect(classes.ownsCluster(CLUSTER)).toBe(want);
  });
});

describe("what objects of another class need", () => {
  const needing = (classes: ControllerClasses, ref: ObjectRef = CONFIG_REF): string[] =>
    Array.from(classes.needing(ref), ({ name }) => name);

  test("is known while they need it, and told when that changes", () => {
    const { classes, needs, see } = classesOn();
    see(object("shop", CANARY, [CONFIG_REF]));
    see(object("cart", CANARY, [CONFIG_REF]));
    expect([needing(classes), needing(classes, SECRET)]).toEqual([["shop", "cart"], []]);
    expect([...classes.needing(CONFIG_REF)][0]).toEqual(owner("shop"));
    expect(needs).toEqual([refKey(CONFIG_REF), refKey(CONFIG_REF)]);
    needs.length = 0;
    see(object("shop", { ...CANARY, generation: 2 }, [SECRET]));
    expect([needing(classes), needing(classes, SECRET)]).toEqual([["cart"], ["shop"]]);
    expect(needs).toEqual([refKey(CONFIG_REF), refKey(SECRET)]);
    needs.length = 0;
    see(object("cart", CANARY), "Deleted");
    expect([needing(classes), needs]).toEqual([[], [refKey(CONFIG_REF)]]);
  });

  test.each([
    { name: "is ours", metadata: { generation: 2 } },
    { name: "is being deleted", metadata: { ...CANARY, ...leaving } },
  ])("is nothing when the object $name", ({ metadata }) => {
    const { classes, see } = classesOn();
    see(object("shop", CANARY, [CONFIG_REF]));
    see(object("shop", metadata, [CONFIG_REF]));
    expect(needing(classes)).toEqual([]);
  });
});

describe("the copies of an object that is gone are this manager's to remove", () => {
  const SHOP = owner("shop");
  const CART = owner("cart");
  const having = (...uids: string[]) => ({ items: uids.map((uid) => ({ metadata: { uid } })), resourceVersion: "42" });
  const withOthers = (names?: readonly string[]) => {
    const all = classesOn(names);
    all.see(object("theirs", CANARY));
    return all;
  };

  test("when the hub itself says that this life of it is not there, as of which state, and is asked once", async () => {
    const { classes, client } = classesOn();
    client.answer = () => having("another life");
    expect(await classes.ofGone([SHOP], 0, signal)).toEqual({ verdict: "Ours", version: "42" });
    expect(client.calls).toEqual([
      {
        verb: "list",
        what: "demoapplications",
        options: { namespace: "default", fieldSelector: "metadata.name=shop", metadataOnly: true },
      },
    ]);
    expect(client.signals).toEqual([signal]);
    expect(await classes.ofGone([SHOP], 0, signal)).toEqual({ verdict: "Ours" });
    expect(client.calls).toHaveLength(1);
  });

  test("not while the hub has it, or cannot be asked about that kind", async () => {
    const { classes, client, state } = classesOn();
    client.answer = ({ options }) => having(...(options["fieldSelector"] === "metadata.name=cart" ? [CART.uid] : []));
    expect(await classes.ofGone([SHOP, CART], 0, signal)).toEqual({ verdict: "Present" });
    state.served = false;
    expect(await classes.ofGone([owner("other")], 0, signal)).toEqual({ verdict: "Present" });
    const refused = new ApiError(403, "Forbidden", "no");
    state.served = true;
    client.answer = () => refused;
    await expect(classes.ofGone([CART], 0, signal)).rejects.toBe(refused);
  });

  test("beside other managers only after these had their time", async () => {
    const { classes, client } = withOthers();
    expect(await classes.ofGone([SHOP], 1_000, signal)).toEqual({ verdict: 30_000 });
    expect(await classes.ofGone([SHOP], 21_000, signal)).toEqual({ verdict: 10_000 });
    expect(client.calls).toEqual([]);
    expect(await classes.ofGone([SHOP], 31_000, signal)).toEqual({ verdict: "Ours", version: "1" });
  });

  test("at once when it owned the object itself", async () => {
    const { classes } = withOthers();
    classes.leftBehind(SHOP.uid);
    expect(await classes.ofGone([SHOP], 0, signal)).toMatchObject({ verdict: "Ours" });
    expect(await classes.ofGone([CART], 0, signal)).toMatchObject({ verdict: 30_000 });
  });

  test("never when it is not of the default class, unless it owned the object", async () => {
    const { classes } = classesOn(["canary"]);
    expect(await classes.ofGone([SHOP], 0, signal)).toMatchObject({ verdict: "Ours" });
    const beside = classesOn(["canary"]);
    beside.see(object("theirs"));
    expect(await beside.classes.ofGone([SHOP], 0, signal)).toEqual({ verdict: Number.POSITIVE_INFINITY });
    beside.classes.leftBehind(SHOP.uid);
    expect(await beside.classes.ofGone([SHOP], 0, signal)).toMatchObject({ verdict: "Ours" });
  });
});

test.each([
  { name: "empty", items: [], want: false },
  { name: "with an object of ours", items: [{ finalizers: [OBJECT_FINALIZER] }], want: false },
  { name: "with an object that names another class", items: [{}, CANARY], want: true },
  { name: "with an object of another class", items: [{ finalizers: [CANARY_FINALIZER] }], want: true },
])("a namespace of the hub is asked about itself: $name", async ({ items, want }) => {
  const { classes, client } = classesOn();
  client.answer = () => ({ items: items.map((metadata) => ({ metadata })) });
  expect(await classes.isOthersNamespace("team", signal)).toBe(want);
  expect(client.calls).toMatchObject([
    { verb: "list", what: "demoapplications", options: { namespace: "team", metadataOnly: true } },
  ]);
});

test("a namespace of the hub may have another class's objects where a kind may not be read; the hub is not even asked", async () => {
  const { classes, client, state } = classesOn();
  state.denied = [SECRETS];
  expect(await classes.isOthersNamespace("team", signal)).toBe(true);
  expect(client.calls).toEqual([]);
});

const HUB_SECRET = { apiVersion: "v1", kind: "Secret", namespace: "default" };

/** An application of another class. It refers to the Secret `own`, and its image names the Secret `declared`. */
const theirs = (): KubeObject =>
  application("theirs", "default", {
    metadata: { name: "theirs", uid: "t", labels: { [CONTROLLER_CLASS_LABEL]: "v2" } },
    spec: { image: "declared", envFrom: [{ secretRef: { name: "own" } }] },
  });

const policy = (dependencies: object = { mode: "Auto" }, generation = 1): KubeObject => {
  const object = clusterPlacementObject({ resourceSelectors: [SELECTS_APPLICATIONS], dependencies });
  return { ...object, metadata: { ...object.metadata, generation } };
};

describe("what an object of another class needs", () => {
  async function others(...policies: KubeObject[]) {
    const { hub, server, cache, start, settle } = setUpHub();
    server.create(DEMOAPPLICATIONS, theirs());
    for (const one of policies) server.create(CLUSTERPLACEMENTS, one);
    await start();
    const classes = new ControllerClasses({ hub: cache, client: hub, classes: new Set(["default"]) });
    onTestFinished(() => classes[Symbol.dispose]());
    const needing = () =>
      ["own", "declared"].filter((name) =>
        [...classes.needing({ ...HUB_SECRET, name })].some((one) => one.name === "theirs"),
      );
    return { server, settle, needing };
  }

  test("is also what its policy declares, from the moment on at which the policy does", async () => {
    const { server, settle, needing } = await others(policy());
    const fields = [{ kind: "Secret", path: "spec.image" }];
    server.apply(CLUSTERPLACEMENTS, policy({ mode: "Auto", fields }, 2));
    await settle();
    expect(needing()).toEqual(["own", "declared"]);
    server.apply(CLUSTERPLACEMENTS, policy({ mode: "None" }, 3));
    await settle();
    expect(needing()).toEqual([]);
  });
});
