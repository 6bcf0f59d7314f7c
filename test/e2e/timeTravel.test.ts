import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  ACCEPT_DELETIONS_ANNOTATION,
  ALLOW_DELETION_ANNOTATION,
  type Condition,
  type DemoApplication,
} from "../../src/apis/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { ControlPlane, eventually, throughout } from "../envtest/index.ts";
import { explainFailure, Federation } from "./federation.ts";
import { collectionPath, type Deployment } from "./objects.ts";
import { Recorder } from "./recorder.ts";

const SHANGHAI = "shanghai-1";
/** Applications before the backup, and since. */
const EARLY = ["early-0", "early-1"];
const LATE = Array.from({ length: 38 }, (_, index) => `late-${index}`);

let federation: Federation;

beforeAll(async () => {
  federation = await Federation.start({
    hub: { ownEtcd: true },
    members: [{ name: SHANGHAI, region: "cn-shanghai" }],
    managerArgs: ["--lease-duration", "6s", "--renew-deadline", "4s", "--retry-period", "500ms"],
  });
});
afterAll(() => federation?.[Symbol.asyncDispose]());
afterEach(({ task }) => explainFailure(federation, task.result?.state === "fail"));

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

test("CRDs that are deleted take nothing off the members until a person agrees on each of them", async () => {
  const namespace = await federation.namespace();
  const names = LATE.slice(0, 12);
  const applications = "demoapplications.paas.cmft.com";
  const members = "memberclusters.federation.paas.cmft.com";
  await federation.apply(placement("all").namespace(namespace));
  await create(namespace, names);
  for (const name of names) await federation.untilAvailable(namespace, name, { [SHANGHAI]: 1 });
  const untouched = (): Promise<void> =>
    throughout(8000, async () => expect(await deployed(namespace)).toEqual(names.toSorted()));
  const agree = (crd: string) => federation.kubectl(["annotate", "crd", crd, `${ALLOW_DELETION_ANNOTATION}=true`]);
  await using recorder = new Recorder(federation.memberApi(SHANGHAI), ["Deployment", "Service"]);

  await federation.kubectl(["delete", "crd", applications, "--wait=false"]);
  await eventually(async () => {
    const found = await federation.api.list<DemoApplication>(collectionPath("DemoApplication", namespace));
    expect(found).toHaveLength(names.length);
    for (const { status } of found)
      expect(status?.clusters).toMatchObject([{ name: SHANGHAI, state: "Held", reason: "KindBeingDeleted" }]);
  });
  await federation.manager.stop();
  await federation.startManager();
  await untouched();

  // A MemberCluster that is drained goes with its own kind.
  const drain = JSON.stringify({ spec: { deletionPolicy: "Drain" } });
  await federation.kubectl(["patch", "membercluster", SHANGHAI, "--type=merge", "-p", drain]);
  await federation.kubectl(["delete", "crd", members, "--wait=false"]);
  await agree(applications);
  await untouched();
  expect(recorder.deletions).toEqual([]);
  await agree(members);
  await untilDeployed(namespace, []);
  for (const crd of [applications, members]) {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd}`;
    await eventually(async () => expect(await federation.api.find(path)).toBeUndefined(), { timeout: 60_000 });
  }
});
