import { describe, expect, test } from "vitest";
import {
  type Condition,
  CONTROLLER_CLASS_LABEL,
  type KubeObject,
  MANAGED_BY_LABEL,
  type MemberCluster,
  REMOVE_FOUND_ANNOTATION,
} from "../../../src/apis/index.ts";
import {
  ApiError,
  CONFIGMAPS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  MEMBERCLUSTERS,
  NAMESPACES,
  PLACEMENTS,
  type ResourceType,
  SERVICES,
} from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { configMap } from "./objects.ts";

const SHANGHAI = "shanghai";

/** Objects on the member of which anything shows that Meridian was there. */
function marked(federation: TestFederation): string[] {
  const { server } = federation.member(SHANGHAI);
  const all = [DEPLOYMENTS, SERVICES, CONFIGMAPS, NAMESPACES].flatMap((type) => server.list(type));
  return all.filter(isMarked).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}

function isMarked({ metadata: { labels, annotations, ownerReferences, managedFields = [] } }: KubeObject): boolean {
  if (JSON.stringify([labels, annotations, ownerReferences]).includes("federation.paas.cmft.com")) return true;
  return managedFields.some(({ manager }) => manager === "meridian");
}

async function leave(federation: TestFederation): Promise<void> {
  await federation.hub.delete(MEMBERCLUSTERS, undefined, SHANGHAI);
  await federation.until(() => !federation.hub.has(MEMBERCLUSTERS, undefined, SHANGHAI));
}

/** With a ConfigMap that goes along, in a namespace that the member does not have. */
async function withTeam(...more: string[]): Promise<TestFederation> {
  const federation = await TestFederation.start(SHANGHAI, ...more);
  await federation.namespace("team");
  const { metadata, ...data } = configMap("settings", { a: "b" });
  const settings: KubeObject = { ...data, metadata: { ...metadata, namespace: "team" } } as KubeObject;
  await federation.hub.create(CONFIGMAPS, settings);
  await federation.apply(PLACEMENTS, placement("all").namespace("team"));
  await federation.apply(
    DEMOAPPLICATIONS,
    demoApplication("shop").namespace("team").port(80).envFromConfigMap("settings"),
  );
  await federation.until(() => has(federation, DEPLOYMENTS) && has(federation, CONFIGMAPS, "settings"));
  return federation;
}

function has(federation: TestFederation, type: ResourceType, name = "shop"): boolean {
  return federation.member(SHANGHAI).server.has(type, "team", name);
}

describe("a cluster that leaves and keeps what runs there", () => {
  test("lets go also of what no policy wants, and of what another release owns", async () => {
    await using federation = await withTeam();
    await federation.startManager("v2");
    await federation.apply(
      DEMOAPPLICATIONS,
      demoApplication("young").namespace("team").label(CONTROLLER_CLASS_LABEL, "v2"),
    );
    await federation.until(() => has(federation, DEPLOYMENTS, "young"));
    await federation.delete(PLACEMENTS, "all", "team");
    await federation.pass(5_000);
    await leave(federation);
    await federation.pass(5_000);
    expect(marked(federation)).toEqual([]);
    expect(has(federation, DEPLOYMENTS) && has(federation, DEPLOYMENTS, "young")).toBe(true);
  });

  test("is not waited for while it does not answer, or where it refuses for good", async () => {
    await using federation = await withTeam();
    const member = federation.member(SHANGHAI);
    member.refuse = (verb, type) =>
      verb === "patch" && type === SERVICES ? new ApiError(403, "Forbidden", "no") : undefined;
    await leave(federation);
    expect(marked(federation)).toEqual(["Service shop"]);
    await federation.join(SHANGHAI);
    await federation.pass(5_000);
    member.cutOff();
    await federation.pass(10_000);
    await leave(federation);
    member.comeBack();
    await federation.pass(10_000);
    expect(has(federation, DEPLOYMENTS) && has(federation, SERVICES)).toBe(true);
  });
});

describe("what was on a cluster before it was joined", () => {
  /** The cluster left while it was away, and the application is gone from the hub by the time it comes back. */
  async function joinedAgain(): Promise<TestFederation> {
    const federation = await withTeam();
    const member = federation.member(SHANGHAI);
    member.cutOff();
    await federation.pass(10_000);
    await leave(federation);
    await federation.delete(DEMOAPPLICATIONS, "shop", "team");
    await federation.until(() => !federation.hub.has(DEMOAPPLICATIONS, "team", "shop"));
    member.comeBack();
    await federation.join(SHANGHAI);
    await federation.pass(30_000);
    return federation;
  }

  test("stays, after a restart too, and goes when a person agrees", async () => {
    await using federation = await joinedAgain();
    await federation.restart();
    await federation.pass(30_000);
    expect(has(federation, DEPLOYMENTS) && has(federation, SERVICES) && has(federation, CONFIGMAPS, "settings")).toBe(
      true,
    );
    await federation.hub.merge(MEMBERCLUSTERS, undefined, SHANGHAI, {
      metadata: { annotations: { [REMOVE_FOUND_ANNOTATION]: "true" } },
    });
    await federation.until(() => !has(federation, DEPLOYMENTS) && !has(federation, CONFIGMAPS, "settings"));
  });

  test("stays when a later object of that name is not wanted there, which waits for nothing of it when it is deleted", async () => {
    await using federation = await joinedAgain();
    await federation.apply(PLACEMENTS, placement("all").namespace("team").onClusters("elsewhere"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").namespace("team").port(80));
    await federation.pass(10_000);
    await federation.restart();
    await federation.pass(10_000);
    expect(has(federation, DEPLOYMENTS)).toBe(true);
    await federation.delete(DEMOAPPLICATIONS, "shop", "team");
    await federation.until(() => !federation.hub.has(DEMOAPPLICATIONS, "team", "shop"));
    expect(has(federation, DEPLOYMENTS)).toBe(true);
  });

  test("is taken up by a later object that is wanted there, and goes with it", async () => {
    await using federation = await joinedAgain();
    const { server } = federation.member(SHANGHAI);
    const { uid } = server.get(DEPLOYMENTS, "team", "shop").metadata;
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").namespace("team").port(80).replica(3));
    await federation.until(
      () => (server.get(DEPLOYMENTS, "team", "shop")["spec"] as { replicas: number }).replicas === 3,
    );
    expect(server.get(DEPLOYMENTS, "team", "shop").metadata).toMatchObject({
      uid,
      labels: { [MANAGED_BY_LABEL]: federation.hubId },
    });
    await federation.restart();
    await federation.pass(10_000);
    await federation.delete(DEMOAPPLICATIONS, "shop", "team");
    await federation.until(() => !has(federation, DEPLOYMENTS) && !has(federation, SERVICES));
  });
});

function conditionOf(federation: TestFederation, type: string): Condition | undefined {
  const { status } = federation.hub.get(MEMBERCLUSTERS, undefined, SHANGHAI) as unknown as MemberCluster;
  return status?.conditions?.find((condition) => condition.type === type);
}

const removed = (federation: TestFederation): Condition | undefined => conditionOf(federation, "Removed");

describe("a MemberCluster that is drained", () => {
  const FINALIZER = ["example.com/hold"];

  async function draining(): Promise<{ federation: TestFederation; since: string; told: () => unknown[] }> {
    const federation = await withTeam();
    const { server } = federation.member(SHANGHAI);
    await server.merge(DEPLOYMENTS, "team", "shop", { metadata: { finalizers: FINALIZER } });
    await federation.hub.merge(MEMBERCLUSTERS, undefined, SHANGHAI, { spec: { deletionPolicy: "Drain" } });
    await federation.hub.delete(MEMBERCLUSTERS, undefined, SHANGHAI);
    await federation.until(() => removed(federation) !== undefined);
    const since = federation.hub.get(MEMBERCLUSTERS, undefined, SHANGHAI).metadata.deletionTimestamp ?? "";
    const told = (): unknown[] =>
      federation.events.filter(({ reason, regarding }) => {
        return reason === "DeletionWaits" && (regarding as { kind: string }).kind === "MemberCluster";
      });
    return { federation, since, told };
  }

  test("says from the beginning what is left, then what holds it and what frees it, and once by an Event", async () => {
    const { federation, since, told } = await draining();
    await using _ = federation;
    const begun = { reason: "ClusterLeaving", message: `Drain since ${since}: 3 objects left` };
    expect(removed(federation)).toMatchObject({ status: "False", ...begun, lastTransitionTime: since });
    const message = `Drain since ${since}: Deployment shop has finalizer example.com/hold; mend its controller or remove it`;
    await federation.until(() => removed(federation)?.message === message);
    expect([removed(federation)?.reason, told()]).toEqual(["ClusterLeaving", []]);
    await federation.until(() => removed(federation)?.reason === "DeletionWaits");
    await federation.pass(60_000);
    expect(removed(federation)).toMatchObject({ message, lastTransitionTime: since });
    const note = `the deletion waits: ${message}; \`meridian unjoin ${SHANGHAI} --orphan\` leaves it running instead`;
    expect(told()).toMatchObject([{ type: "Warning", note }]);
    await federation.member(SHANGHAI).server.merge(DEPLOYMENTS, "team", "shop", { metadata: { finalizers: null } });
    await federation.until(() => !federation.hub.has(MEMBERCLUSTERS, undefined, SHANGHAI));
  });
});

describe("a MemberCluster that is deleted by kubectl, with no word on what runs there", () => {
  const told = (federation: TestFederation): KubeObject[] =>
    federation.events.filter((event) => event["reason"] === "DeletionPolicyMissing");

  async function deleted(): Promise<TestFederation> {
    const federation = await withTeam();
    await federation.hub.merge(MEMBERCLUSTERS, undefined, SHANGHAI, { spec: { deletionPolicy: null } });
    await federation.pass(1_000);
    await federation.hub.delete(MEMBERCLUSTERS, undefined, SHANGHAI);
    await federation.until(() => removed(federation) !== undefined);
    return federation;
  }

  test("waits, and says what there is to choose", async () => {
    await using federation = await deleted();
    expect(removed(federation)).toMatchObject({ status: "False", reason: "DeletionPolicyMissing" });
    expect(removed(federation)?.message).toBe(
      "choose: spec.deletionPolicy Orphan (all runs on) or Drain (all goes); or meridian unjoin shanghai",
    );
    await federation.pass(60_000);
    expect(told(federation)).toHaveLength(1);
    expect(told(federation)[0]).toMatchObject({
      type: "Warning",
      regarding: { kind: "MemberCluster", name: SHANGHAI },
    });
    expect(told(federation)[0]?.["note"]).toMatch(/`meridian unjoin shanghai`.*--drain.*"deletionPolicy":"Orphan"/);
    // All goes on as before, but that nothing new comes there.
    expect(marked(federation)).toHaveLength(4);
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").namespace("team").port(80).replica(3));
    const { server } = federation.member(SHANGHAI);
    const replicas = (): number => (server.get(DEPLOYMENTS, "team", "shop")["spec"] as { replicas: number }).replicas;
    await federation.until(() => replicas() === 3);
    await federation.apply(DEMOAPPLICATIONS, demoApplication("young").namespace("team"));
    await federation.pass(5_000);
    expect(has(federation, DEPLOYMENTS, "young")).toBe(false);
  });

  test("waits also while the cluster does not answer, and goes at once where nothing of Meridian is", async () => {
    await using federation = await withTeam("empty");
    for (const name of [SHANGHAI, "empty"])
      await federation.hub.merge(MEMBERCLUSTERS, undefined, name, { spec: { deletionPolicy: null } });
    await federation.delete(PLACEMENTS, "all", "team");
    await federation.apply(PLACEMENTS, placement("one").namespace("team").onClusters(SHANGHAI));
    await federation.until(() => !federation.member("empty").server.has(DEPLOYMENTS, "team", "shop"));
    await federation.member("empty").server.delete(NAMESPACES, undefined, "team");
    await federation.pass(10_000);
    federation.member(SHANGHAI).cutOff();
    await federation.pass(60_000);
    await federation.restart();
    await federation.pass(30_000);
    for (const name of [SHANGHAI, "empty"]) await federation.hub.delete(MEMBERCLUSTERS, undefined, name);
    await federation.until(() => !federation.hub.has(MEMBERCLUSTERS, undefined, "empty"));
    await federation.until(() => removed(federation)?.reason === "DeletionPolicyMissing");
    await federation.pass(30_000);
    expect(federation.hub.has(MEMBERCLUSTERS, undefined, SHANGHAI)).toBe(true);
  });
});
