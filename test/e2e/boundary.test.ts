import { join } from "node:path";
import { expect, test } from "vitest";
import type { DemoApplication, KubeObject } from "../../src/apis/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { ControlPlane, eventually, type Plane } from "../envtest/index.ts";
import { useFederation } from "./federation.ts";
import { collectionPath, configMap, type Deployment, objectPath } from "./objects.ts";

/** What the servers of a federation do to its manager: they go back in time, and refuse to show what is theirs. */

const SHANGHAI = "shanghai-1";
/** The restored server is there again, and everything follows; without being noticed it would take a minute and a half. */
const SOON = { timeout: 25_000 };

const federation = useFederation({
  hub: { ownEtcd: true },
  members: [{ name: SHANGHAI, region: "cn-shanghai", ownEtcd: true, controllerManager: false }],
});

function real(plane: Plane): ControlPlane {
  if (!(plane instanceof ControlPlane)) throw new Error("this is no real control plane");
  return plane;
}

async function imageOf(namespace: string, name: string): Promise<string | undefined> {
  const deployment = await federation.memberApi(SHANGHAI).get<Deployment>(objectPath("Deployment", namespace, name));
  return deployment.spec?.template.spec?.containers[0]?.image;
}

function untilImage(namespace: string, name: string, image: string, options = {}): Promise<void> {
  return eventually(async () => expect(await imageOf(namespace, name)).toBe(image), { timeout: 60_000, ...options });
}

async function writeSome(namespace: string, count: number): Promise<void> {
  const path = collectionPath("ConfigMap", namespace);
  for (let index = 0; index < count; index += 1)
    await federation.memberApi(SHANGHAI).create(path, configMap(namespace, `busy-${index}`, {}));
}

const shop = (namespace: string, version: number) =>
  demoApplication("shop").namespace(namespace).image(`registry.example/shop:${version}`).port(80);

/** A member is set back to before its last writes, and writes again before the manager sees it. */
async function restoreMember({ lost, since }: { lost: number; since: number }): Promise<void> {
  const namespace = await federation.namespace();
  const { plane } = federation.member(SHANGHAI);
  const copy = join(federation.fleet.dir, `backup-of-${namespace}`);
  await federation.apply(placement("all").namespace(namespace));
  await federation.apply(shop(namespace, 1));
  await untilImage(namespace, "shop", "registry.example/shop:1");
  await real(plane).backUp(copy);
  await writeSome(namespace, lost);
  await federation.apply(shop(namespace, 30));
  await untilImage(namespace, "shop", "registry.example/shop:30");

  federation.manager.pause();
  await real(plane).restore(copy);
  await writeSome(namespace, since);
  expect(await imageOf(namespace, "shop")).toBe("registry.example/shop:1");
  federation.manager.resume();
  await untilImage(namespace, "shop", "registry.example/shop:30", SOON);
}

test("a member that is restored from a backup is seen as it is, and put right, at once", () =>
  restoreMember({ lost: 200, since: 0 }));

test("a restored member that has written more since than it lost is seen as it is, and put right, at once", () =>
  restoreMember({ lost: 0, since: 200 }));

test("a hub that is restored from a backup is followed from there at once", async () => {
  const namespace = await federation.namespace();
  const copy = join(federation.fleet.dir, "hub-backup");
  await federation.apply(placement("all").namespace(namespace));
  await federation.apply(shop(namespace, 1));
  await untilImage(namespace, "shop", "registry.example/shop:1");
  await real(federation.hub).backUp(copy);
  for (let version = 2; version <= 60; version += 1) await federation.apply(shop(namespace, version));
  await untilImage(namespace, "shop", "registry.example/shop:60");

  await real(federation.hub).restore(copy);
  if (!federation.manager.running) await federation.startManager();
  await untilImage(namespace, "shop", "registry.example/shop:1", SOON);
  await federation.apply(shop(namespace, 2));
  await untilImage(namespace, "shop", "registry.example/shop:2", SOON);
});

test("a member that does not show its Secrets does not hold up the deletion of what needs none", async () => {
  const namespace = await federation.namespace();
  const member = federation.memberApi(SHANGHAI);
  interface Role extends KubeObject {
    rules: { apiGroups?: string[]; resources?: string[]; verbs: string[] }[];
  }
  const roles = await member.list<Role>("/apis/rbac.authorization.k8s.io/v1/clusterroles");
  const role = roles.find(({ metadata }) => metadata.name.startsWith("meridian-"));
  if (role === undefined) throw new Error("the member has no ClusterRole of Meridian");
  const { name } = role.metadata;
  const without = role.rules.map((rule) => ({
    ...rule,
    ...(rule.resources === undefined ? {} : { resources: rule.resources.filter((resource) => resource !== "secrets") }),
  }));
  await federation.apply(placement("all").namespace(namespace));
  await federation.apply(shop(namespace, 1));
  await untilImage(namespace, "shop", "registry.example/shop:1");
  const path = `/apis/rbac.authorization.k8s.io/v1/clusterroles/${name}`;
  await member.patch(path, "merge", {
    rules: without.filter(({ resources }) => resources?.length !== 0),
  });
  // A manager that starts anew has to read everything.
  await federation.manager.stop();
  await federation.startManager();
  await federation.remove(shop(namespace, 1), 45_000);
  await eventually(
    async () =>
      expect(await federation.api.list<DemoApplication>(collectionPath("DemoApplication", namespace))).toEqual([]),
    { timeout: 45_000 },
  );
  expect(await member.list(collectionPath("Deployment", namespace))).toEqual([]);
});
