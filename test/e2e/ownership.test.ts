import { describe, expect, test } from "vitest";
import { HASH_ANNOTATION, type KubeObject, MANAGED_BY_LABEL } from "../../src/apis/index.ts";
import { demoApplication, memberCluster, placement } from "../builders/index.ts";
import { eventually, throughout } from "../envtest/index.ts";
import { conditionOf, useFederation } from "./federation.ts";
import {
  collectionPath,
  configMap,
  type DataObject,
  foreignDeployment,
  objectPath,
  pathOf,
  secret,
} from "./objects.ts";

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
const FRANKFURT = "frankfurt-1";
const MEMBERS = [SHANGHAI, SINGAPORE, FRANKFURT] as const;

const federation = useFederation({
  members: [
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SINGAPORE, region: "ap-southeast-1" },
    { name: FRANKFURT, region: "eu-central-1" },
  ],
});

const on = (replicas: number) => Object.fromEntries(MEMBERS.map((name) => [name, replicas]));

describe("namespaces of members", () => {
  test("one that is missing is made, and stays after the last object", async () => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace));
    await federation.apply(demoApplication("shop").namespace(namespace).port(80));
    await federation.untilAvailable(namespace, "shop", on(1));
    const path = objectPath("Namespace", undefined, namespace);
    const made = await federation.memberApi(SHANGHAI).get(path);
    expect(made.metadata.labels).toHaveProperty([MANAGED_BY_LABEL]);
    await federation.remove(demoApplication("shop").namespace(namespace));
    await throughout(1000, async () => {
      for (const member of MEMBERS)
        expect((await federation.memberApi(member).get(path)).metadata.deletionTimestamp).toBeUndefined();
    });
  });

  test("one goes when it has been empty for a while and its MemberCluster says so, and stays while somebody is in it", async () => {
    const remove = (emptyNamespaces: string | null) =>
      Promise.all(
        [SHANGHAI, FRANKFURT].map((member) =>
          federation.api.patch(objectPath("MemberCluster", undefined, member), "merge", { spec: { emptyNamespaces } }),
        ),
      );
    await remove("Remove");
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace));
    await federation.apply(demoApplication("shop").namespace(namespace));
    await federation.untilAvailable(namespace, "shop", on(1));
    const foreign = configMap(namespace, "mine", { a: "b" });
    await federation.memberApi(FRANKFURT).create(collectionPath("ConfigMap", namespace), foreign);
    await federation.remove(demoApplication("shop").namespace(namespace));
    const path = objectPath("Namespace", undefined, namespace);
    await eventually(async () => expect(await federation.memberApi(SHANGHAI).find(path)).toBeUndefined(), {
      timeout: 90_000,
    });
    expect((await federation.memberApi(FRANKFURT).get(path)).metadata.deletionTimestamp).toBeUndefined();
    expect(await federation.memberApi(FRANKFURT).find(pathOf(foreign))).toBeDefined();
    await remove(null);
  });

  test("one that was there before stays", async () => {
    const namespace = await federation.namespace();
    const path = objectPath("Namespace", undefined, namespace);
    await federation
      .memberApi(SINGAPORE)
      .create(collectionPath("Namespace"), { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await federation.apply(placement("all").namespace(namespace));
    await federation.apply(demoApplication("shop").namespace(namespace));
    await federation.untilAvailable(namespace, "shop", on(1));
    await federation.remove(demoApplication("shop").namespace(namespace));
    const kept = await federation.memberApi(SINGAPORE).get(path);
    expect(kept.metadata.deletionTimestamp).toBeUndefined();
    expect(kept.metadata.labels).not.toHaveProperty([MANAGED_BY_LABEL]);
  });
});

describe("dependencies", () => {
  test("a Secret and a ConfigMap travel with the object, roll its pods when they change, and leave with it", async () => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace));
    await federation.apply(secret(namespace, "db", { password: "first" }));
    await federation.apply(configMap(namespace, "settings", { mode: "a" }));
    await federation.apply(
      demoApplication("shop").namespace(namespace).envFromSecret("db").envFromConfigMap("settings"),
    );
    await federation.untilAvailable(namespace, "shop", on(1));
    const templates = new Map<string, string>();
    for (const member of MEMBERS) {
      const api = federation.memberApi(member);
      expect((await api.get<DataObject>(objectPath("Secret", namespace, "db"))).data).toEqual({
        password: Buffer.from("first").toString("base64"),
      });
      expect((await api.get<DataObject>(objectPath("ConfigMap", namespace, "settings"))).data).toEqual({ mode: "a" });
      templates.set(member, JSON.stringify((await federation.deployment(member, namespace, "shop")).spec.template));
    }

    await federation.apply(secret(namespace, "db", { password: "second" }));
    for (const member of MEMBERS) {
      await eventually(async () => {
        const carried = await federation.memberApi(member).get<DataObject>(objectPath("Secret", namespace, "db"));
        expect(carried.data).toEqual({ password: Buffer.from("second").toString("base64") });
        const { spec, status, metadata } = await federation.deployment(member, namespace, "shop");
        expect(JSON.stringify(spec.template)).not.toBe(templates.get(member));
        expect(status).toMatchObject({
          observedGeneration: metadata.generation,
          updatedReplicas: 1,
          availableReplicas: 1,
        });
      });
    }

    await federation.apply(demoApplication("shop").namespace(namespace).envFromConfigMap("settings"));
    await eventually(async () =>
      expect(await federation.memberApi(SHANGHAI).find(objectPath("Secret", namespace, "db"))).toBeUndefined(),
    );
    // The user's own objects on the hub stay.
    expect(await federation.api.find(objectPath("Secret", namespace, "db"))).toBeDefined();
  });

  test("one that two objects share goes with the last of them", async () => {
    const namespace = await federation.namespace();
    const path = objectPath("ConfigMap", namespace, "settings");
    await federation.apply(placement("one").namespace(namespace).onClusters(SHANGHAI));
    await federation.apply(configMap(namespace, "settings", { mode: "a" }));
    for (const name of ["shop", "blog"])
      await federation.apply(demoApplication(name).namespace(namespace).envFromConfigMap("settings"));
    await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 1 });
    await federation.untilAvailable(namespace, "blog", { [SHANGHAI]: 1 });
    await federation.remove(demoApplication("shop").namespace(namespace));
    await throughout(1000, async () => expect(await federation.memberApi(SHANGHAI).find(path)).toBeDefined());
    await federation.remove(demoApplication("blog").namespace(namespace));
    await eventually(async () => expect(await federation.memberApi(SHANGHAI).find(path)).toBeUndefined());
  });
});

describe("choices of the Placement", () => {
  test("a foreign object is refused until the Placement says Adopt", async () => {
    const namespace = await federation.namespace();
    const api = federation.memberApi(FRANKFURT);
    await api.create(collectionPath("Namespace"), {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
    const foreign = await api.create<KubeObject>(
      collectionPath("Deployment", namespace),
      foreignDeployment(namespace, "shop"),
    );
    const policy = placement("all").namespace(namespace);
    await federation.apply(policy);
    await federation.apply(demoApplication("shop").namespace(namespace).replica(2));
    await federation.untilEntry(namespace, "shop", FRANKFURT, { state: "Failed", reason: "AlreadyExists" });
    await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Available" });
    expect(await federation.image(FRANKFURT, namespace, "shop")).toBe("httpd:2.4");

    await federation.apply(policy.conflictResolution("Adopt"));
    await federation.untilAvailable(namespace, "shop", on(2));
    const adopted = await federation.deployment(FRANKFURT, namespace, "shop");
    expect(adopted.metadata.uid).toBe(foreign.metadata.uid);
    expect(adopted.spec.template.spec.containers.map(({ image }) => image)).toContain("nginx:1.27");
  });

  test("a refused object is applied by itself when the foreign one goes", async () => {
    const namespace = await federation.namespace();
    const api = federation.memberApi(FRANKFURT);
    await api.create(collectionPath("Namespace"), {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
    await api.create(collectionPath("Deployment", namespace), foreignDeployment(namespace, "shop"));
    await federation.apply(placement("all").namespace(namespace));
    await federation.apply(demoApplication("shop").namespace(namespace));
    await federation.untilEntry(namespace, "shop", FRANKFURT, { reason: "AlreadyExists" });
    await api.delete(objectPath("Deployment", namespace, "shop"));
    await federation.untilAvailable(namespace, "shop", on(1), 90_000);
  });

  test("deletionPolicy Orphan leaves the members' objects running", async () => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace).deletionPolicy("Orphan"));
    await federation.apply(demoApplication("shop").namespace(namespace).port(80));
    await federation.untilAvailable(namespace, "shop", on(1));
    const { uid } = (await federation.deployment(SHANGHAI, namespace, "shop")).metadata;
    await federation.remove(demoApplication("shop").namespace(namespace));
    await throughout(1500, async () => {
      for (const member of MEMBERS) {
        const { metadata, status } = await federation.deployment(member, namespace, "shop");
        expect(metadata.deletionTimestamp).toBeUndefined();
        expect(status?.availableReplicas).toBe(1);
        await federation.service(member, namespace, "shop");
      }
    });
    expect((await federation.deployment(SHANGHAI, namespace, "shop")).metadata.uid).toBe(uid);
  });

  test("suspend holds every write until it is lifted", async () => {
    const namespace = await federation.namespace();
    const policy = placement("all").namespace(namespace);
    const shop = demoApplication("shop").namespace(namespace);
    await federation.apply(policy);
    await federation.apply(shop);
    await federation.untilAvailable(namespace, "shop", on(1));
    await federation.apply(policy.suspend());
    await eventually(async () => {
      const application = await federation.application(namespace, "shop");
      expect(conditionOf(application, "Scheduled")).toMatchObject({ reason: "Suspended" });
    });
    await federation.apply(shop.image("nginx:1.28"));
    await throughout(1500, async () => {
      for (const member of MEMBERS) expect(await federation.image(member, namespace, "shop")).toBe("nginx:1.27");
    });
    await federation.apply(policy.suspend(false));
    await federation.untilAvailable(namespace, "shop", on(1));
    for (const member of MEMBERS) expect(await federation.image(member, namespace, "shop")).toBe("nginx:1.28");
  });

  test("retain gives a field up to the member", async () => {
    const namespace = await federation.namespace();
    await federation.apply(
      placement("one").namespace(namespace).onClusters(SHANGHAI).retain("Deployment", "spec.replicas"),
    );
    const shop = demoApplication("shop").namespace(namespace).replica(2);
    await federation.apply(shop);
    await eventually(async () =>
      expect((await federation.deployment(SHANGHAI, namespace, "shop")).status?.availableReplicas).toBeGreaterThan(0),
    );
    const path = objectPath("Deployment", namespace, "shop");
    await federation.memberApi(SHANGHAI).patch(path, "merge", { spec: { replicas: 3 } });
    await federation.apply(shop.image("nginx:1.28"));
    await eventually(async () => expect(await federation.image(SHANGHAI, namespace, "shop")).toBe("nginx:1.28"));
    await throughout(1000, async () =>
      expect((await federation.deployment(SHANGHAI, namespace, "shop")).spec.replicas).toBe(3),
    );
  });
});

describe("a field that was Meridian's alone", () => {
  test("keeps its value when it is left to the member, and Meridian writes nothing more", async () => {
    const namespace = await federation.namespace();
    const policy = placement("one").namespace(namespace).onClusters(SHANGHAI);
    await federation.apply(policy);
    const shop = demoApplication("shop").namespace(namespace).replica(3);
    await federation.apply(shop);
    await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 3 });

    expect(await ownFields(namespace)).toContain("f:replicas");
    const before = await federation.deployment(SHANGHAI, namespace, "shop");
    await federation.apply(policy.retain("Deployment", "spec.replicas"));
    // The field is given up in a write of its own, before the one with the new hash, which counts as a generation of a Deployment.
    const given = await eventually(async () => {
      const now = await federation.deployment(SHANGHAI, namespace, "shop");
      expect(now.metadata.annotations?.[HASH_ANNOTATION]).not.toBe(before.metadata.annotations?.[HASH_ANNOTATION]);
      return now;
    });
    expect(await ownFields(namespace)).not.toContain("f:replicas");
    expect(given.spec.replicas).toBe(3);
    expect(await ownFields(namespace)).toContain("f:image");
    expect(given.metadata.managedFields?.filter(({ manager }) => manager === "meridian")).toHaveLength(1);

    // Nobody restarted a pod for it, a restart of the manager changes nothing, and another change does not either.
    await federation.manager.stop();
    await federation.startManager();
    await throughout(3000, async () =>
      expect((await federation.deployment(SHANGHAI, namespace, "shop")).metadata.generation).toBe(
        given.metadata.generation,
      ),
    );
    await federation.apply(shop.replica(5).image("nginx:1.28"));
    await eventually(async () => expect(await federation.image(SHANGHAI, namespace, "shop")).toBe("nginx:1.28"));
    expect((await federation.deployment(SHANGHAI, namespace, "shop")).spec.replicas).toBe(3);

    await federation.apply(policy);
    await eventually(async () =>
      expect((await federation.deployment(SHANGHAI, namespace, "shop")).spec.replicas).toBe(5),
    );
  });

  /** What Meridian's entry holds, as JSON. */
  async function ownFields(namespace: string): Promise<string> {
    const { metadata } = await federation.deployment(SHANGHAI, namespace, "shop");
    const entries = metadata.managedFields?.filter(({ manager }) => manager === "meridian");
    return JSON.stringify(entries?.map(({ fieldsV1 }) => fieldsV1));
  }
});

describe("the hub as a member", () => {
  test("runs the object itself, with owner references that cascade", async () => {
    const namespace = await federation.namespace();
    await federation.apply(memberCluster("hub").region("eu-central-1").local());
    try {
      await federation.untilMemberIs("hub", "True");
      await federation.apply(placement("here").namespace(namespace).onClusters("hub", SHANGHAI));
      await federation.apply(demoApplication("shop").namespace(namespace).replica(2).port(80));
      const application = await federation.untilAvailable(namespace, "shop", { hub: 2, [SHANGHAI]: 2 });
      for (const kind of ["Deployment", "Service"]) {
        const { metadata } = await federation.api.get(objectPath(kind, namespace, "shop"));
        expect(metadata.ownerReferences).toEqual([
          expect.objectContaining({
            kind: "DemoApplication",
            name: "shop",
            uid: application.metadata.uid,
            controller: true,
          }),
        ]);
      }
      await federation.remove(demoApplication("shop").namespace(namespace));
      for (const kind of ["Deployment", "Service"]) {
        await eventually(async () =>
          expect(await federation.api.find(objectPath(kind, namespace, "shop"))).toBeUndefined(),
        );
      }
      await eventually(async () => expect(await federation.api.list(collectionPath("Pod", namespace))).toEqual([]));
      expect(await federation.api.find(objectPath("Namespace", undefined, namespace))).toBeDefined();
    } finally {
      await federation.removeMember("hub");
    }
  });
});
