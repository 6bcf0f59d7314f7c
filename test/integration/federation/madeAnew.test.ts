import { describe, expect, test } from "vitest";
import {
  ACCEPT_DELETIONS_ANNOTATION,
  ALLOW_DELETION_ANNOTATION,
  type Condition,
  type KubeObject,
  type MemberCluster,
} from "../../../src/apis/index.ts";
import {
  CLUSTERPLACEMENTS,
  CRDS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  MEMBERCLUSTERS,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  type ResourceType,
} from "../../../src/runtime/index.ts";
import { clusterPlacement, demoApplication, overridePolicy, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { BACKUP_KIND, BACKUPS } from "./objects.ts";

/**
 * A CRD that somebody deletes, whose finalizer somebody strips, and that is installed again: the server shows the objects that are left in etcd
 * with the deletionTimestamp that they got with the earlier CRD.
 */

const SHANGHAI = "shanghai";
const NAMES = ["shop-0", "shop-1", "shop-2"];
const agreed = { metadata: { annotations: { [ALLOW_DELETION_ANNOTATION]: "true" } } };
const backup = {
  apiVersion: "backups.test/v1",
  kind: "Backup",
  metadata: { name: "nightly", namespace: "default" },
};

const nameOf = ({ plural, group }: ResourceType): string => `${plural}.${group}`;

/** Deletes the CRD and takes its finalizers off once `isHeld`. Returns what installs it again. */
async function lose(
  federation: TestFederation,
  type: ResourceType,
  isHeld: () => boolean,
): Promise<() => Promise<unknown>> {
  const { hub } = federation;
  const name = nameOf(type);
  const { apiVersion, kind, spec } = hub.get(CRDS, undefined, name) as KubeObject & { spec: unknown };
  await hub.delete(CRDS, undefined, name);
  await federation.until(isHeld);
  if (hub.has(CRDS, undefined, name)) await hub.merge(CRDS, undefined, name, { metadata: { finalizers: null } });
  expect(hub.has(CRDS, undefined, name)).toBe(false);
  return () => hub.install({ apiVersion, kind, metadata: { name }, spec } as KubeObject);
}

/** As {@link lose}, and it is installed again after a while. */
async function makeAnew(federation: TestFederation, type: ResourceType, isHeld: () => boolean): Promise<void> {
  const again = await lose(federation, type, isHeld);
  await federation.pass(10_000);
  await again();
}

/** The server forgets an object with everything that held it. */
async function strip(federation: TestFederation, type: ResourceType, name: string): Promise<void> {
  await federation.hub.merge(type, "default", name, { metadata: { finalizers: null } });
}

const deployed = (federation: TestFederation, member = SHANGHAI): string[] =>
  federation
    .member(member)
    .server.list(DEPLOYMENTS)
    .map(({ metadata }) => metadata.name)
    .toSorted();

const membership = (federation: TestFederation): MemberCluster =>
  federation.hub.get(MEMBERCLUSTERS, undefined, SHANGHAI) as unknown as MemberCluster;

const conditionOf = (federation: TestFederation): Condition | undefined =>
  membership(federation).status?.conditions?.find(({ type }) => type === "DeletionsHeld");

async function running(): Promise<TestFederation> {
  const federation = await TestFederation.start(SHANGHAI);
  await federation.apply(PLACEMENTS, placement("all"));
  for (const name of NAMES) await federation.apply(DEMOAPPLICATIONS, demoApplication(name));
  for (const name of NAMES) await federation.untilAvailable(name);
  return federation;
}

const says = (federation: TestFederation, text: string) => (): boolean =>
  NAMES.every((name) => {
    const { reason, message = "" } = federation.entry(name, SHANGHAI) ?? {};
    return reason === "KindBeingDeleted" && message.includes(text);
  });

describe("objects that were deleted with an earlier CRD", () => {
  test("keep their copies, also after a restart, until a person agrees on each, or on the CRD", async () => {
    await using federation = await running();
    await makeAnew(federation, DEMOAPPLICATIONS, says(federation, "is being deleted"));
    await federation.until(says(federation, ALLOW_DELETION_ANNOTATION));
    await federation.until(says(federation, "earlier CRD"));
    await federation.pass(60_000);
    expect(deployed(federation)).toEqual(NAMES);
    await federation.restart();
    await federation.pass(60_000);
    expect(says(federation, "earlier CRD")()).toBe(true);
    expect(deployed(federation)).toEqual(NAMES);

    await federation.hub.merge(DEMOAPPLICATIONS, "default", "shop-1", agreed);
    await federation.until(() => federation.app("shop-1") === undefined);
    await federation.pass(20_000);
    expect(deployed(federation)).toEqual(["shop-0", "shop-2"]);
    await federation.hub.merge(CRDS, undefined, nameOf(DEMOAPPLICATIONS), agreed);
    await federation.until(() => NAMES.every((name) => federation.app(name) === undefined));
    expect(deployed(federation)).toEqual([]);
    const reads = () => federation.hubClients.at(-1)?.calls.filter((call) => call === "get customresourcedefinitions");
    const before = reads()?.length;
    await federation.pass(60_000);
    expect(reads()?.length).toBe(before);
    await federation.hub.merge(CRDS, undefined, nameOf(DEMOAPPLICATIONS), { metadata: { annotations: null } });
  });

  test("keep them from objects that are applied and deleted later, which go as ever", async () => {
    await using federation = await running();
    await makeAnew(federation, DEMOAPPLICATIONS, says(federation, "is being deleted"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("later"));
    await federation.untilAvailable("later");
    await federation.delete(DEMOAPPLICATIONS, "later");
    await federation.until(() => federation.app("later") === undefined);
    expect(deployed(federation)).toEqual(NAMES);
  });
});

describe("objects that are gone with an earlier CRD", () => {
  async function gone(): Promise<TestFederation> {
    const federation = await running();
    const again = await lose(federation, DEMOAPPLICATIONS, says(federation, "is being deleted"));
    await federation.pass(10_000);
    await again();
    for (const name of NAMES) await strip(federation, DEMOAPPLICATIONS, name);
    return federation;
  }

  test("leave their copies, few as they are, also after a restart, until a person agrees", async () => {
    await using federation = await gone();
    await federation.until(() => conditionOf(federation) !== undefined);
    await federation.pass(60_000);
    expect(deployed(federation)).toEqual(NAMES);
    await federation.restart();
    await federation.pass(60_000);
    expect(deployed(federation)).toEqual(NAMES);
    const condition = conditionOf(federation);
    expect(condition).toMatchObject({ status: "True", reason: "OwnersMissing" });
    const { lastTransitionTime: since = "" } = condition ?? {};
    await federation.hub.merge(MEMBERCLUSTERS, undefined, SHANGHAI, {
      metadata: { annotations: { [ACCEPT_DELETIONS_ANNOTATION]: since } },
    });
    await federation.until(() => deployed(federation).length === 0);
    await federation.until(() => conditionOf(federation) === undefined);
  });

  test("take them up again when they are applied again", async () => {
    await using federation = await gone();
    await federation.until(() => conditionOf(federation) !== undefined);
    const uids = () =>
      federation
        .member(SHANGHAI)
        .server.list(DEPLOYMENTS)
        .map(({ metadata }) => metadata.uid);
    const before = uids();
    for (const name of NAMES) await federation.apply(DEMOAPPLICATIONS, demoApplication(name));
    for (const name of NAMES) await federation.untilAvailable(name);
    await federation.until(() => conditionOf(federation) === undefined, 120_000);
    expect(uids()).toEqual(before);
    // Deleted by a person, with the finalizer in its place: nothing holds that.
    await federation.delete(DEMOAPPLICATIONS, "shop-1");
    await federation.until(() => federation.app("shop-1") === undefined);
    expect(deployed(federation)).toEqual(["shop-0", "shop-2"]);
  });
});

test("a MemberCluster that was deleted with an earlier CRD is not drained until a person agrees", async () => {
  await using federation = await running();
  await federation.hub.merge(MEMBERCLUSTERS, undefined, SHANGHAI, { spec: { deletionPolicy: "Drain" } });
  const isHeld = (): boolean => says(federation, "is being deleted")();
  await makeAnew(federation, MEMBERCLUSTERS, isHeld);
  await federation.until(says(federation, "earlier CRD"));
  await federation.pass(60_000);
  expect(deployed(federation)).toEqual(NAMES);
  await federation.restart();
  await federation.pass(60_000);
  expect(deployed(federation)).toEqual(NAMES);
  expect(membership(federation).metadata.deletionTimestamp).toBeDefined();
  await federation.hub.merge(MEMBERCLUSTERS, undefined, SHANGHAI, agreed);
  await federation.until(() => !federation.hub.has(MEMBERCLUSTERS, undefined, SHANGHAI));
  expect(deployed(federation)).toEqual([]);
});

test.each([
  { name: "placements", type: PLACEMENTS },
  { name: "override policies", type: OVERRIDEPOLICIES },
])("the CRD of $name that goes and comes again takes nothing off the members", async ({ type }) => {
  await using federation = await running();
  await federation.apply(OVERRIDEPOLICIES, overridePolicy("labelled").rule({ labels: { tier: "web" } }));
  await federation.pass(5_000);
  const { hub } = federation;
  // Nothing holds policies: they are gone with it.
  await makeAnew(federation, type, () => !hub.has(CRDS, undefined, nameOf(type)));
  await federation.pass(60_000);
  expect(deployed(federation)).toEqual(NAMES);
  await federation.restart();
  await federation.pass(60_000);
  expect(deployed(federation)).toEqual(NAMES);
});

test("a CRD that is placed, and of which nothing is left on the hub, leaves the definition and the objects on members", async () => {
  await using federation = await TestFederation.start(SHANGHAI);
  const { hub } = federation;
  const { server } = federation.member(SHANGHAI);
  const selectors = [
    { apiVersion: "backups.test/v1", kind: "Backup" },
    { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name: BACKUP_KIND.metadata.name },
  ];
  await federation.apply(CLUSTERPLACEMENTS, clusterPlacement("backups").selects(...selectors));
  await federation.apply(CRDS, BACKUP_KIND);
  await federation.apply(BACKUPS, backup);
  const areThere = (): boolean =>
    server.has(CRDS, undefined, BACKUP_KIND.metadata.name) && server.has(BACKUPS, "default", "nightly");
  await federation.until(areThere);
  const { uid } = server.get(BACKUPS, "default", "nightly").metadata;
  const again = await lose(federation, BACKUPS, () => federation.log.some((line) => line.includes("KindBeingDeleted")));
  await federation.pass(60_000);
  expect(areThere()).toBe(true);
  await again();
  await federation.pass(60_000);
  expect(areThere()).toBe(true);
  await strip(federation, BACKUPS, "nightly");
  await federation.pass(60_000);
  await federation.restart();
  await federation.pass(60_000);
  expect(areThere()).toBe(true);
  expect(server.get(BACKUPS, "default", "nightly").metadata.uid).toBe(uid);
  // Other tests share the hub, and no manager is left that would take Meridian's finalizer off.
  const { name } = BACKUP_KIND.metadata;
  await hub.delete(CRDS, undefined, name);
  if (hub.has(CRDS, undefined, name)) await hub.merge(CRDS, undefined, name, { metadata: { finalizers: null } });
  await federation.until(() => !hub.has(CRDS, undefined, name));
});
