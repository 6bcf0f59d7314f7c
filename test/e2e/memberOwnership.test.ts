import { describe, expect, test } from "vitest";
import { type KubeObject, MANAGED_BY_LABEL, OBJECT_ANNOTATION } from "../../src/apis/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { eventually, throughout } from "../envtest/index.ts";
import { useFederation } from "./federation.ts";
import { collectionPath, configMap, objectPath } from "./objects.ts";

const SHANGHAI = "shanghai-1";

const federation = useFederation({
  members: [
    {
      name: SHANGHAI,
      region: "cn-shanghai",
      apiserverArgs: [
        "--feature-gates=MutatingAdmissionPolicy=true",
        "--runtime-config=admissionregistration.k8s.io/v1beta1=true",
      ],
    },
  ],
});

const api = () => federation.memberApi(SHANGHAI);
const POLICIES = "/apis/admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies";
const BINDINGS = "/apis/admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicybindings";

/** A namespace of the hub with an application in it that is placed on the member, and available there. */
async function running(replicas = 2): Promise<string> {
  const namespace = await placed();
  await federation.apply(demoApplication("shop").namespace(namespace).replica(replicas).port(80));
  await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: replicas });
  return namespace;
}

async function placed(): Promise<string> {
  const namespace = await federation.namespace();
  await federation.apply(placement("all").namespace(namespace));
  return namespace;
}

/** Something that the person who copied it took with it, without what the server sets. */
function copyOf({ metadata, status: _, ...rest }: KubeObject, name: string, namespace: string): KubeObject {
  const { labels, annotations } = metadata;
  return {
    ...rest,
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
  };
}

/** A policy of the member that changes every Deployment of one namespace, and takes effect before this returns. */
async function policyOn(namespace: string, patch: string): Promise<AsyncDisposable> {
  const name = `changes-${namespace}`;
  const kind = { apiVersion: "admissionregistration.k8s.io/v1beta1" };
  await api().create(POLICIES, {
    ...kind,
    kind: "MutatingAdmissionPolicy",
    metadata: { name },
    spec: {
      failurePolicy: "Fail",
      reinvocationPolicy: "Never",
      matchConstraints: {
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
        resourceRules: [
          { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["deployments"] },
        ],
      },
      mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: patch } }],
    },
  });
  await api().create(BINDINGS, {
    ...kind,
    kind: "MutatingAdmissionPolicyBinding",
    metadata: { name },
    spec: { policyName: name },
  });
  return {
    async [Symbol.asyncDispose]() {
      await api().delete(`${BINDINGS}/${name}`);
      await api().delete(`${POLICIES}/${name}`);
    },
  };
}

/** A key of a map as a JSON pointer, in the quotes of a policy's expression. */
const pointer = (path: string, key: string): string => `"${path}/${key.replaceAll("/", "~1")}"`;

/** Applies to the member's Deployment are seen to be changed: a policy takes a moment to be in force. */
async function untilInForce(namespace: string, isChanged: (object: KubeObject) => boolean): Promise<void> {
  const probe = copyOf(await api().get(objectPath("Deployment", namespace, "shop")), "probe", namespace);
  await eventually(async () => {
    const answer = await api().create<KubeObject>(`${collectionPath("Deployment", namespace)}?dryRun=All`, probe);
    expect(isChanged(answer)).toBe(true);
  });
}

describe("what has our marks and is not ours", () => {
  test("a Deployment and a Secret that somebody copied with their marks stay, and count for nothing", async () => {
    const namespace = await running(2);
    const original = await api().get<KubeObject>(objectPath("Deployment", namespace, "shop"));
    await api().create(collectionPath("Deployment", namespace), copyOf(original, "clone", namespace));
    await api().create(collectionPath("Deployment", "default"), copyOf(original, "shop", "default"));
    await throughout(3_000, async () => {
      await api().get(objectPath("Deployment", namespace, "clone"));
      const { metadata } = await api().get<KubeObject>(objectPath("Deployment", "default", "shop"));
      expect(metadata.deletionTimestamp).toBeUndefined();
    });
    const entry = await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 2 });
    expect(entry.status?.replicas?.desired).toBe(2);
    await federation.remove(demoApplication("shop").namespace(namespace));
    await eventually(async () => expect(await api().find(objectPath("Deployment", namespace, "shop"))).toBeUndefined());
    await api().get(objectPath("Deployment", namespace, "clone"));
    await api().get(objectPath("Deployment", "default", "shop"));
    await api().delete(objectPath("Deployment", "default", "shop"));
    await api().delete(objectPath("Deployment", namespace, "clone"));
  });

  test("what a backup of the member brings back under its name is taken up, and is one object", async () => {
    const namespace = await running(1);
    const path = objectPath("Deployment", namespace, "shop");
    await federation.manager.stop();
    const before = await api().get<KubeObject>(path);
    await api().delete(path);
    await eventually(async () => expect(await api().find(path)).toBeUndefined());
    const restored = await api().create<KubeObject>(
      collectionPath("Deployment", namespace),
      copyOf(before, "shop", namespace),
    );
    await federation.startManager();
    await eventually(async () => {
      const { metadata } = await api().get<KubeObject>(path);
      expect(metadata.uid).toBe(restored.metadata.uid);
      expect(metadata.managedFields).toContainEqual(
        expect.objectContaining({ manager: "meridian", operation: "Apply" }),
      );
    });
    await federation.remove(demoApplication("shop").namespace(namespace));
    await eventually(async () => expect(await api().find(path)).toBeUndefined());
  });

  test("an object that has the name already is never merged with, though no field is in the way", async () => {
    const namespace = await placed();
    await api().create(collectionPath("Namespace"), {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
    const theirs = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace } };
    await api().create(collectionPath("ConfigMap", namespace), theirs);
    await federation.apply(configMap(namespace, "settings", { mode: "a" }));
    await federation.apply(demoApplication("shop").namespace(namespace).envFromConfigMap("settings"));
    await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Failed", reason: "AlreadyExists" });
    const kept = await api().get<KubeObject>(objectPath("ConfigMap", namespace, "settings"));
    expect(kept.metadata).not.toHaveProperty("labels");
    expect(kept).not.toHaveProperty("data");
  });

  test("what the cluster keeps for itself is not even adopted", async () => {
    const uid = (await api().get<KubeObject>(objectPath("Service", "default", "kubernetes"))).metadata.uid;
    await federation.apply(placement("adopting").namespace("default").conflictResolution("Adopt"));
    try {
      await federation.apply(demoApplication("kubernetes").namespace("default").port(443));
      await federation.untilEntry("default", "kubernetes", SHANGHAI, { state: "Failed", reason: "NotAdoptable" });
    } finally {
      await federation.remove(demoApplication("kubernetes").namespace("default"));
      await federation.remove(placement("adopting").namespace("default"));
    }
    const { metadata } = await api().get<KubeObject>(objectPath("Service", "default", "kubernetes"));
    expect([metadata.uid, metadata.labels?.[MANAGED_BY_LABEL]]).toEqual([uid, undefined]);
  });
});

describe("an admission of the member that makes something else of what is applied", () => {
  const withoutEffect = { reason: "AppliedWithoutEffect" };

  test("of replicas is a failure that names them, also after a restart, and passes with the policy", async () => {
    const namespace = await running(3);
    const policy = await policyOn(namespace, '[JSONPatch{op: "replace", path: "/spec/replicas", value: 1}]');
    await untilInForce(namespace, (object) => (object["spec"] as { replicas: number }).replicas === 1);
    await federation.apply(demoApplication("shop").namespace(namespace).replica(3).port(80).image("nginx:1.28"));
    await federation.untilEntry(namespace, "shop", SHANGHAI, {
      ...withoutEffect,
      message: expect.stringContaining("spec.replicas"),
    });
    await federation.manager.stop();
    await federation.startManager();
    await federation.untilEntry(namespace, "shop", SHANGHAI, withoutEffect);
    await policy[Symbol.asyncDispose]();
    await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 3 }, 60_000);
  });

  test("of the mark that the watch selects by is one too, and a deletion waits for nothing but the object itself", async () => {
    const namespace = await running(1);
    await using _ = await policyOn(
      namespace,
      `object.metadata.?labels[?"${MANAGED_BY_LABEL}"].hasValue() ? ` +
        `[JSONPatch{op: "remove", path: ${pointer("/metadata/labels", MANAGED_BY_LABEL)}}] : []`,
    );
    await untilInForce(namespace, ({ metadata }) => metadata.labels?.[MANAGED_BY_LABEL] === undefined);
    await federation.apply(demoApplication("shop").namespace(namespace).replica(1).port(80).image("nginx:1.28"));
    await federation.untilEntry(namespace, "shop", SHANGHAI, withoutEffect);
    await federation.remove(demoApplication("shop").namespace(namespace));
    await eventually(async () => expect(await api().find(objectPath("Deployment", namespace, "shop"))).toBeUndefined());
  });

  test("of the mark that names the object is one too", async () => {
    const namespace = await running(1);
    const policy = await policyOn(
      namespace,
      `object.metadata.?annotations[?"${OBJECT_ANNOTATION}"].hasValue() ? ` +
        `[JSONPatch{op: "remove", path: ${pointer("/metadata/annotations", OBJECT_ANNOTATION)}}] : []`,
    );
    await untilInForce(namespace, ({ metadata }) => metadata.annotations?.[OBJECT_ANNOTATION] === undefined);
    await federation.apply(demoApplication("shop").namespace(namespace).replica(1).port(80).image("nginx:1.28"));
    await federation.untilEntry(namespace, "shop", SHANGHAI, withoutEffect);
    await policy[Symbol.asyncDispose]();
    await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 1 }, 60_000);
  });
});

describe("a deletion", () => {
  const deployment = (namespace: string) => objectPath("Deployment", namespace, "shop");
  const label = (hub: string | null) => ({ metadata: { labels: { [MANAGED_BY_LABEL]: hub } } });

  test("goes on beside an object that has come to carry the label of another hub, and writes nothing to it", async () => {
    const namespace = await running();
    const given = await api().patch<KubeObject>(deployment(namespace), "merge", label("other-hub"));
    await federation.untilEntry(namespace, "shop", SHANGHAI, { reason: "AlreadyExists" });
    await federation.remove(demoApplication("shop").namespace(namespace));
    const { metadata } = await api().get(deployment(namespace));
    expect([metadata.uid, metadata.deletionTimestamp]).toEqual([given.metadata.uid, undefined]);
    expect(metadata.labels).toEqual(given.metadata.labels);
    expect(metadata.annotations?.[OBJECT_ANNOTATION]).toBe(given.metadata.annotations?.[OBJECT_ANNOTATION]);
    expect(await api().find(objectPath("Service", namespace, "shop"))).toBeUndefined();
  });

  test("takes along an object of which somebody has taken the label off", async () => {
    const namespace = await running();
    await federation.manager.stop();
    await api().patch(deployment(namespace), "merge", label(null));
    await federation.api.delete(objectPath("DemoApplication", namespace, "shop"));
    await federation.startManager();
    await federation.remove(demoApplication("shop").namespace(namespace));
    expect(await api().find(deployment(namespace))).toBeUndefined();
  });
});
