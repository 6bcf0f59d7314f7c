import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  ACCEPT_DELETIONS_ANNOTATION,
  ALLOW_DELETION_ANNOTATION,
  type Condition,
  type FederatedStatus,
  type KubeObject,
} from "../../src/apis/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { ControlPlane, eventually, meridianOk, throughout } from "../envtest/index.ts";
import { useFederation } from "./federation.ts";
import { MYSQL_CRD, mysqlCluster } from "./mysqlOperator.ts";
import { collectionPath, type Deployment, objectPath } from "./objects.ts";
import { Recorder } from "./recorder.ts";

const SHANGHAI = "shanghai-1";
/** Applications before the backup, and since. */
const EARLY = ["early-0", "early-1"];
const LATE = Array.from({ length: 38 }, (_, index) => `late-${index}`);

const federation = useFederation({
  hub: { ownEtcd: true },
  members: [{ name: SHANGHAI, region: "cn-shanghai" }],
  managerArgs: ["--lease-duration", "6s", "--renew-deadline", "4s", "--retry-period", "500ms"],
  joinArgs: ["--kinds", MYSQL_CRD.metadata.name],
});

function hub(): ControlPlane {
  if (!(federation.hub instanceof ControlPlane)) throw new Error("the hub is no real control plane");
  return federation.hub;
}

async function deployed(namespace: string): Promise<string[]> {
  const deployments = await federation.memberApi(SHANGHAI).list<Deployment>(collectionPath("Deployment", namespace));
  return deployments.map(({ metadata }) => metadata.name).toSorted();
}

async function create(namespace: string, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => federation.apply(demoApplication(name).namespace(namespace).port(80))));
}

function untilDeployed(namespace: string, names: readonly string[]): Promise<void> {
  return eventually(async () => expect(await deployed(namespace)).toEqual(names.toSorted()), { timeout: 60_000 });
}

function heldOnShanghai(): Promise<Condition | undefined> {
  return federation.memberCondition(SHANGHAI, "DeletionsHeld");
}

/** A process may end when its hub is away; a supervisor would start it again. */
async function supervise(): Promise<void> {
  if (!federation.manager.running) await federation.startManager();
}

describe("a hub that is restored from a copy with 2 of 40 applications", () => {
  test.each([{ manager: "restarted" }, { manager: "running" }])(
    "removes nothing of what was made since until a person agrees (manager $manager)",
    async ({ manager }) => {
      const namespace = await federation.namespace();
      await federation.apply(placement("all").namespace(namespace));
      await create(namespace, EARLY);
      await untilDeployed(namespace, EARLY);
      const copy = join(federation.fleet.dir, `backup-${manager}`);
      await hub().backUp(copy);
      await supervise();
      await create(namespace, LATE);
      await untilDeployed(namespace, [...EARLY, ...LATE]);
      await using recorder = new Recorder(federation.memberApi(SHANGHAI), ["Deployment", "Service"]);

      if (manager === "restarted") await federation.manager.stop();
      await hub().restore(copy);
      if (manager === "restarted") await federation.startManager();
      else await supervise();
      const condition = await eventually(
        async () => {
          const found = await heldOnShanghai();
          expect(found).toMatchObject({ status: "True", reason: "HubWentBack" });
          expect(found?.message).toContain(`hub lacks ${LATE.length} objects`);
          return found as Condition;
        },
        { timeout: 150_000 },
      );
      await throughout(5000, async () => expect(await deployed(namespace)).toEqual([...EARLY, ...LATE].toSorted()));
      expect(recorder.deletions).toEqual([]);
      expect(condition.message).toContain(`${ACCEPT_DELETIONS_ANNOTATION}: ${condition.lastTransitionTime}`);
      expect(await federation.manager.metric("federation_deletions_held")).toContainEqual({
        labels: expect.objectContaining({ scope: "owners" }),
        value: 1,
      });
      const annotation = `${ACCEPT_DELETIONS_ANNOTATION}=${condition.lastTransitionTime}`;
      await federation.kubectl(["annotate", "membercluster", SHANGHAI, "--overwrite", annotation]);
      await untilDeployed(namespace, EARLY);
      await eventually(async () => expect(await heldOnShanghai()).toBeUndefined());
      for (const name of EARLY) await federation.remove(demoApplication(name).namespace(namespace));
    },
  );
});

test("deletions of all applications while no manager runs are carried out", async () => {
  const namespace = await federation.namespace();
  await federation.apply(placement("all").namespace(namespace));
  await create(namespace, LATE.slice(0, 12));
  await untilDeployed(namespace, LATE.slice(0, 12));
  await federation.manager.stop();
  await federation.kubectl(["delete", "demoapplications", "-n", namespace, "--all", "--wait=false"]);
  await federation.startManager();
  await untilDeployed(namespace, []);
  await eventually(async () =>
    expect(await federation.api.list(collectionPath("DemoApplication", namespace))).toEqual([]),
  );
  expect(await heldOnShanghai()).toBeUndefined();
});

const APPLICATIONS = "demoapplications.paas.cmft.com";
const MEMBERS = "memberclusters.federation.paas.cmft.com";
const agree = (...what: string[]) => federation.kubectl(["annotate", ...what, `${ALLOW_DELETION_ANNOTATION}=true`]);

/** The hub forgets the CRD, as if its objects were gone, and keeps these in etcd. Returns the CRD as it was. */
async function loseCrd(name: string): Promise<KubeObject> {
  const path = objectPath("CustomResourceDefinition", undefined, name);
  const { apiVersion, kind, spec } = await federation.api.get<KubeObject & { spec: object }>(path);
  await federation.api.patch(path, "merge", { metadata: { finalizers: null } });
  await eventually(async () => expect(await federation.api.find(path)).toBeUndefined());
  return { apiVersion, kind, metadata: { name }, spec } as KubeObject;
}

/** Every one of these says that its copy is held, and why. */
async function untilHeld(path: string, count: number, why: string): Promise<void> {
  await eventually(
    async () => {
      const found = await federation.api.list<KubeObject & { status?: FederatedStatus }>(path);
      expect(found).toHaveLength(count);
      for (const { status } of found)
        expect(status?.clusters).toMatchObject([
          { name: SHANGHAI, state: "Held", reason: "KindBeingDeleted", message: expect.stringContaining(why) },
        ]);
    },
    { timeout: 60_000 },
  );
}

test("CRDs that are deleted, stripped and installed again let nothing go that was deleted with the earlier ones", async () => {
  const namespace = await federation.namespace();
  const names = LATE.slice(0, 6);
  const [gone = "", ...kept] = names;
  const member = federation.memberApi(SHANGHAI);
  await member.create(collectionPath("CustomResourceDefinition"), MYSQL_CRD as KubeObject);
  await federation.apply(MYSQL_CRD as KubeObject);
  await federation.apply(placement("all").namespace(namespace));
  const kind = { apiVersion: "mysql.presslabs.org/v1alpha1", kind: "MysqlCluster" };
  await federation.apply(placement("databases").namespace(namespace).selects(kind));
  await create(namespace, names);
  await federation.apply(mysqlCluster(namespace, "db", 1));
  for (const name of names) await federation.untilAvailable(namespace, name, { [SHANGHAI]: 1 });
  const database = objectPath("MysqlCluster", namespace, "db");
  await eventually(async () => expect(await member.find(database)).toBeDefined(), { timeout: 60_000 });
  await using recorder = new Recorder(member, ["Deployment", "Service", "MysqlCluster"]);
  const applications = collectionPath("DemoApplication", namespace);
  const bindings = collectionPath("ResourceBinding", namespace);

  await federation.kubectl(["delete", "crd", APPLICATIONS, MYSQL_CRD.metadata.name, "--wait=false"]);
  await untilHeld(applications, names.length, "is being deleted");
  await untilHeld(bindings, 1, "is being deleted");
  await federation.api.patch(objectPath("DemoApplication", namespace, gone), "merge", {
    metadata: { finalizers: null },
  });
  await loseCrd(APPLICATIONS);
  await loseCrd(MYSQL_CRD.metadata.name);
  await meridianOk(federation.hub, ["install"]);
  await federation.apply(MYSQL_CRD as KubeObject);
  await untilHeld(applications, kept.length, "earlier CRD");
  await untilHeld(bindings, 1, "earlier CRD");
  const held = await eventually(async () => {
    const found = await heldOnShanghai();
    expect(found).toMatchObject({ status: "True", reason: "OwnersMissing" });
    return found as Condition;
  });
  expect(await deployed(namespace)).toEqual(names.toSorted());
  expect(recorder.deletions).toEqual([]);

  await agree("mysqlcluster", "db", "-n", namespace);
  await eventually(async () => expect(await member.find(database)).toBeUndefined(), { timeout: 60_000 });
  await agree("crd", APPLICATIONS);
  await untilDeployed(namespace, [gone]);
  const accepted = `${ACCEPT_DELETIONS_ANNOTATION}=${held.lastTransitionTime}`;
  await federation.kubectl(["annotate", "membercluster", SHANGHAI, "--overwrite", accepted]);
  await untilDeployed(namespace, []);
  await eventually(async () => expect(await heldOnShanghai()).toBeUndefined());
  await federation.kubectl(["annotate", "crd", APPLICATIONS, `${ALLOW_DELETION_ANNOTATION}-`]);
});

test("CRDs that are deleted take nothing off the members until a person agrees on each of them", async () => {
  const namespace = await federation.namespace();
  const names = LATE.slice(0, 12);
  await federation.apply(placement("all").namespace(namespace));
  await create(namespace, names);
  for (const name of names) await federation.untilAvailable(namespace, name, { [SHANGHAI]: 1 });
  const untouched = (): Promise<void> =>
    throughout(8000, async () => expect(await deployed(namespace)).toEqual(names.toSorted()));
  await using recorder = new Recorder(federation.memberApi(SHANGHAI), ["Deployment", "Service"]);

  const applications = collectionPath("DemoApplication", namespace);
  await federation.kubectl(["delete", "crd", APPLICATIONS, "--wait=false"]);
  await untilHeld(applications, names.length, "is being deleted");
  await federation.manager.stop();
  await federation.startManager();
  await untouched();

  // A MemberCluster that is drained goes with its own kind.
  const drain = JSON.stringify({ spec: { deletionPolicy: "Drain" } });
  await federation.kubectl(["patch", "membercluster", SHANGHAI, "--type=merge", "-p", drain]);
  await federation.kubectl(["delete", "crd", MEMBERS, "--wait=false"]);
  await agree("crd", APPLICATIONS);
  await untouched();
  // The CRD comes back while no manager runs: the next one knows by the times alone.
  await federation.manager.stop();
  await federation.api.create(collectionPath("CustomResourceDefinition"), await loseCrd(MEMBERS));
  await federation.startManager();
  await untilHeld(applications, names.length, "earlier CRD");
  expect(recorder.deletions).toEqual([]);
  await agree("membercluster", SHANGHAI);
  await untilDeployed(namespace, []);
  for (const path of [
    objectPath("CustomResourceDefinition", undefined, APPLICATIONS),
    objectPath("MemberCluster", undefined, SHANGHAI),
  ])
    await eventually(async () => expect(await federation.api.find(path)).toBeUndefined(), { timeout: 60_000 });
});
