import { describe, expect, test } from "vitest";
import {
  HASH_ANNOTATION,
  type KubeObject,
  MANAGED_BY_LABEL,
  OBJECT_FINALIZER,
  OWNER_ANNOTATION,
} from "../../../src/apis/index.ts";
import {
  ApiError,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  MEMBERCLUSTERS,
  PLACEMENTS,
  SECRETS,
  SERVICES,
} from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { secret } from "./objects.ts";

const isThere = (federation: TestFederation, cluster: string): boolean =>
  federation.member(cluster).server.has(DEPLOYMENTS, "default", "shop");

async function restart(federation: TestFederation, between: () => Promise<unknown> = async () => undefined) {
  await federation.stopManager();
  await between();
  await federation.startManager();
}

/** A person's hand on a member: the object is not seen by its label any more. */
async function takeLabelOff(federation: TestFederation, cluster: string): Promise<void> {
  const { server } = federation.member(cluster);
  for (const type of [DEPLOYMENTS, SERVICES])
    if (server.has(type, "default", "shop"))
      await server.merge(type, "default", "shop", { metadata: { labels: { [MANAGED_BY_LABEL]: null } } });
}

describe("where an object may be is not forgotten", () => {
  test("by the next leader, which cannot reach a cluster: the entry stays, and a deletion waits for that cluster", async () => {
    await using federation = await TestFederation.running("shanghai", "singapore");
    await federation.stopManager();
    federation.member("shanghai").cutOff();
    await federation.apply(PLACEMENTS, placement("all").onClusters("singapore"));
    await federation.startManager();
    await federation.pass(20_000);
    expect(federation.entry("shop", "shanghai")).toMatchObject({ state: "Unknown", replicas: { ready: 2 } });
    await restart(federation, () => federation.delete(DEMOAPPLICATIONS, "shop"));
    await federation.until(() => !isThere(federation, "singapore"));
    await federation.pass(20_000);
    expect(federation.app("shop")?.metadata.finalizers).toEqual([OBJECT_FINALIZER]);
    expect(federation.entry("shop", "shanghai")).toMatchObject({ state: "Unknown", reason: "ClusterUnreachable" });
    await restart(federation);
    await federation.pass(20_000);
    expect(federation.app("shop")).toBeDefined();
    federation.member("shanghai").comeBack();
    await federation.until(() => federation.app("shop") === undefined);
    expect(isThere(federation, "shanghai")).toBe(false);
  });

  test("and neither is Orphan, for a cluster that comes back after all of that", async () => {
    await using federation = await TestFederation.start("shanghai", "singapore");
    await federation.apply(PLACEMENTS, placement("all").deletionPolicy("Orphan"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").port(80));
    await federation.untilAvailable("shop");
    await federation.stopManager();
    federation.member("shanghai").cutOff();
    await federation.delete(PLACEMENTS, "all");
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.startManager();
    await federation.pass(20_000);
    await restart(federation);
    await federation.pass(20_000);
    federation.member("shanghai").comeBack();
    await federation.until(() => federation.app("shop") === undefined);
    await federation.pass(10_000);
    for (const cluster of ["shanghai", "singapore"]) {
      const { metadata } = federation.member(cluster).server.get(DEPLOYMENTS, "default", "shop");
      expect(metadata.labels ?? {}).not.toHaveProperty([MANAGED_BY_LABEL]);
    }
  });

  test("a cluster that was never reached is named while the deletion waits for it", async () => {
    await using federation = await TestFederation.prepare("shanghai", "singapore");
    federation.member("singapore").cutOff();
    await federation.startManager();
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    await federation.until(() => isThere(federation, "shanghai"));
    await restart(federation, () => federation.delete(DEMOAPPLICATIONS, "shop"));
    await federation.until(() => !isThere(federation, "shanghai"));
    await federation.pass(20_000);
    expect(federation.entry("shop", "singapore")).toMatchObject({ reason: "ClusterUnreachable" });
    const progressing = federation.status("shop")?.conditions?.find(({ type }) => type === "Progressing");
    expect(progressing).toMatchObject({
      reason: "Deleting",
      message: expect.stringMatching(
        /waits for singapore: ClusterUnreachable; goes on when it answers or is unjoined$/,
      ) as string,
    });
  });

  test("no row goes to a cluster that the hub's object does not name yet", async () => {
    await using federation = await TestFederation.start("shanghai", "singapore");
    await federation.apply(PLACEMENTS, placement("all").onClusters("shanghai"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    await federation.untilAvailable("shop");
    federation.refuse = (verb, type) =>
      verb === "applyStatus" && type === DEMOAPPLICATIONS ? new ApiError(500, "InternalError", "not now") : undefined;
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.pass(10_000);
    expect(isThere(federation, "singapore")).toBe(false);
    // What is named already is written all the same.
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(3));
    const { server } = federation.member("shanghai");
    await federation.until(
      () => (server.get(DEPLOYMENTS, "default", "shop")["spec"] as { replicas: number }).replicas === 3,
    );
    federation.refuse = () => undefined;
    await federation.until(() => isThere(federation, "singapore"));
    await federation.untilAvailable("shop");
  });

  test("a new application is named where it goes by the write that gives it the finalizer", async () => {
    await using federation = await TestFederation.start("shanghai");
    await federation.apply(PLACEMENTS, placement("all"));
    federation.refuse = (verb, type) =>
      verb === "applyStatus" && type === DEMOAPPLICATIONS ? new ApiError(500, "InternalError", "not now") : undefined;
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    await federation.until(() => isThere(federation, "shanghai"));
    await federation.delete(PLACEMENTS, "all");
    federation.member("shanghai").cutOff();
    await restart(federation, () => federation.delete(DEMOAPPLICATIONS, "shop"));
    await federation.pass(20_000);
    expect(federation.app("shop")).toBeDefined();
    federation.refuse = () => undefined;
    await restart(federation);
    await federation.until(() => federation.entry("shop", "shanghai")?.reason === "ClusterUnreachable");
    federation.member("shanghai").comeBack();
    await federation.until(() => federation.app("shop") === undefined);
    expect(isThere(federation, "shanghai")).toBe(false);
  });

  test("creating, changing, moving and deleting an application costs no write more than before", async () => {
    await using federation = await TestFederation.start("shanghai", "singapore");
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.pass(20_000);
    const writes = (): string[] => federation.hubWrites.filter((write) => write.includes("demoapplications"));
    let before = writes().length;
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").port(80));
    await federation.untilAvailable("shop");
    await federation.pass(5_000);
    expect(writes().slice(before)).toEqual([
      "patch demoapplications",
      "applyStatus demoapplications",
      "applyStatus demoapplications",
    ]);
    before = writes().length;
    await restart(federation);
    await federation.pass(20_000);
    expect(writes().slice(before)).toEqual([]);
    const reads = federation.member("shanghai").clients.at(-1)?.calls.length ?? 0;
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.until(() => federation.app("shop") === undefined);
    expect(federation.member("shanghai").clients.at(-1)?.calls.slice(reads).toSorted()).toEqual([
      "delete deployments",
      "delete services",
    ]);
  });
});

describe("what a person let go of", () => {
  test.each([
    { name: "properly", strip: false },
    { name: "while nobody let go of anything there", strip: true },
  ])("is kept when its Placement went and its MemberCluster was deleted and made again, $name", async ({ strip }) => {
    await using federation = await TestFederation.running("shanghai");
    await federation.delete(PLACEMENTS, "all");
    await federation.until(() => federation.entry("shop", "shanghai")?.state === "Held");
    const uid = (): string | undefined =>
      federation.member("shanghai").server.find(DEPLOYMENTS, "default", "shop")?.metadata.uid;
    const before = uid();
    if (strip) await federation.hub.merge(MEMBERCLUSTERS, undefined, "shanghai", { metadata: { finalizers: [] } });
    await federation.hub.delete(MEMBERCLUSTERS, undefined, "shanghai");
    await federation.until(() => !federation.hub.has(MEMBERCLUSTERS, undefined, "shanghai"));
    await federation.pass(10_000);
    await federation.join("shanghai");
    await federation.pass(30_000);
    expect(uid()).toBe(before);
    await restart(federation);
    await federation.pass(30_000);
    expect(uid()).toBe(before);
    // A person places the application again: the copies are taken up as they are.
    await federation.apply(PLACEMENTS, placement("all").conflictResolution("Adopt"));
    await federation.untilAvailable("shop");
    expect(uid()).toBe(before);
  });
});

describe("a copy that the watch by label does not show", () => {
  test("is found by name before the finalizer goes, and removed", async () => {
    await using federation = await TestFederation.running("shanghai");
    await restart(federation, async () => {
      await takeLabelOff(federation, "shanghai");
      await federation.delete(DEMOAPPLICATIONS, "shop");
    });
    await federation.until(() => federation.app("shop") === undefined);
    expect(isThere(federation, "shanghai")).toBe(false);
    expect(federation.member("shanghai").server.has(SERVICES, "default", "shop")).toBe(false);
  });

  test("is found when the application moved away meanwhile", async () => {
    await using federation = await TestFederation.running("shanghai", "singapore");
    await restart(federation, async () => {
      await takeLabelOff(federation, "shanghai");
      await federation.apply(PLACEMENTS, placement("all").onClusters("singapore"));
    });
    await federation.until(() => !isThere(federation, "shanghai"));
    await federation.until(() => federation.entry("shop", "shanghai") === undefined);
  });

  test("is not gone because it left the selection while the manager looked on", async () => {
    await using federation = await TestFederation.running("shanghai");
    const member = federation.member("shanghai");
    // Deletes do not get through, and meanwhile somebody takes the label off.
    member.refuse = (verb) => (verb === "delete" ? new ApiError(500, "InternalError", "not now") : undefined);
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.pass(2_000);
    await takeLabelOff(federation, "shanghai");
    await federation.pass(5_000);
    expect(federation.app("shop")).toBeDefined();
    member.refuse = () => undefined;
    await federation.until(() => federation.app("shop") === undefined);
    expect(isThere(federation, "shanghai")).toBe(false);
  });

  test("is released, not deleted, where its policy was Orphan", async () => {
    await using federation = await TestFederation.start("shanghai");
    await federation.apply(PLACEMENTS, placement("all").deletionPolicy("Orphan"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").port(80));
    await federation.untilAvailable("shop");
    await restart(federation, async () => {
      await takeLabelOff(federation, "shanghai");
      await federation.delete(DEMOAPPLICATIONS, "shop");
    });
    await federation.until(() => federation.app("shop") === undefined);
    const { metadata } = federation.member("shanghai").server.get(DEPLOYMENTS, "default", "shop");
    expect(metadata.annotations ?? {}).not.toHaveProperty([OWNER_ANNOTATION]);
  });
});

test("what is removed since its application is gone leaves an Event", async () => {
  await using federation = await TestFederation.start("shanghai");
  await federation.apply(PLACEMENTS, placement("all"));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
  await federation.untilAvailable("shop");
  await restart(federation, async () => {
    await federation.hub.merge(DEMOAPPLICATIONS, "default", "shop", { metadata: { finalizers: [] } });
    await federation.delete(DEMOAPPLICATIONS, "shop");
  });
  await federation.until(() => !isThere(federation, "shanghai"));
  await federation.until(() => federation.events.some(({ reason }) => reason === "OwnerGone"));
  expect(federation.events.filter(({ reason }) => reason === "OwnerGone")).toEqual([
    expect.objectContaining({
      type: "Normal",
      regarding: expect.objectContaining({ kind: "MemberCluster", name: "shanghai" }),
      note: "Deployment default/shop deleted: DemoApplication default/shop is gone from the hub",
    }),
  ]);
});

test("Orphan is kept to though somebody stripped the finalizer while no manager ran", async () => {
  await using federation = await TestFederation.start("shanghai");
  await federation.apply(PLACEMENTS, placement("all").deletionPolicy("Orphan"));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").port(80));
  await federation.untilAvailable("shop");
  await restart(federation, async () => {
    await federation.hub.merge(DEMOAPPLICATIONS, "default", "shop", { metadata: { finalizers: [] } });
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.delete(PLACEMENTS, "all");
  });
  const { server } = federation.member("shanghai");
  await federation.until(
    () => server.get(DEPLOYMENTS, "default", "shop").metadata.labels?.[MANAGED_BY_LABEL] === undefined,
  );
  expect(isThere(federation, "shanghai")).toBe(true);
  await federation.pass(10_000);
  expect(isThere(federation, "shanghai")).toBe(true);
});

describe("deleting with --cascade=orphan", () => {
  const deleteOrphaning = async (federation: TestFederation): Promise<void> => {
    // What the API server does with that option, and the garbage collector afterwards.
    const { finalizers = [] } = federation.app("shop")?.metadata ?? {};
    await federation.hub.merge(DEMOAPPLICATIONS, "default", "shop", {
      metadata: { finalizers: [...finalizers, "orphan"] },
    });
    await federation.delete(DEMOAPPLICATIONS, "shop");
  };
  const collect = async (federation: TestFederation): Promise<void> => {
    const { finalizers = [] } = federation.app("shop")?.metadata ?? {};
    await federation.hub.merge(DEMOAPPLICATIONS, "default", "shop", {
      metadata: { finalizers: finalizers.filter((one) => one !== "orphan") },
    });
  };

  test("leaves what runs, as anybody's", async () => {
    await using federation = await TestFederation.running("shanghai");
    await deleteOrphaning(federation);
    await collect(federation);
    await federation.until(() => federation.app("shop") === undefined);
    await federation.pass(5_000);
    const { metadata } = federation.member("shanghai").server.get(DEPLOYMENTS, "default", "shop");
    expect(metadata.labels ?? {}).not.toHaveProperty([MANAGED_BY_LABEL]);
  });

  test("also where the next leader has to finish it", async () => {
    await using federation = await TestFederation.running("shanghai");
    const member = federation.member("shanghai");
    member.cutOff();
    await federation.until(() => federation.entry("shop", "shanghai")?.state === "Unknown");
    await deleteOrphaning(federation);
    await federation.pass(1_000);
    await collect(federation);
    await restart(federation);
    member.comeBack();
    await federation.until(() => federation.app("shop") === undefined);
    await federation.pass(5_000);
    expect(isThere(federation, "shanghai")).toBe(true);
  });
});

describe("a member that claims what was never sent there", () => {
  const claim = (federation: TestFederation): KubeObject => {
    const app = federation.app("shop");
    const copy = structuredClone(federation.member("shanghai").server.get(DEPLOYMENTS, "default", "shop"));
    const { name, namespace, labels, annotations } = copy.metadata;
    expect(annotations?.[OWNER_ANNOTATION]).toContain(app?.metadata.uid);
    return {
      apiVersion: copy.apiVersion,
      kind: copy.kind,
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(labels === undefined ? {} : { labels }),
        annotations: { ...annotations, [HASH_ANNOTATION]: "anything" },
        // Undeletable, for as long as the member likes.
        finalizers: ["hostile.test/stays"],
      },
      spec: copy["spec"],
    };
  };

  test("is not counted, gets nothing, and holds nothing up", async () => {
    await using federation = await TestFederation.start("shanghai", "hostile");
    await federation.hub.create(SECRETS, secret("database", { password: "c2VjcmV0" }));
    await federation.apply(PLACEMENTS, placement("all").onClusters("shanghai"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2).envFromSecret("database"));
    await federation.untilAvailable("shop");
    const { server } = federation.member("hostile");
    await server.create(DEPLOYMENTS, claim(federation));
    await federation.pass(10_000);
    expect(federation.status("shop")?.replicas).toMatchObject({ desired: 2, ready: 2 });
    expect(federation.entry("shop", "hostile")).toBeUndefined();
    await federation.delete(PLACEMENTS, "all");
    await restart(federation);
    await federation.pass(20_000);
    expect(federation.entry("shop", "hostile")).toBeUndefined();
    expect(federation.entry("shop", "shanghai")?.state).toBe("Held");
    expect(server.has(SECRETS, "default", "database")).toBe(false);
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.until(() => federation.app("shop") === undefined, 20_000);
  });
});
