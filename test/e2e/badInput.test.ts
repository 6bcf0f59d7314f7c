import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { OverridePolicy } from "../../src/apis/index.ts";
import { demoApplication, overridePolicy, placement } from "../builders/index.ts";
import { ApiFailure, eventually } from "../envtest/index.ts";
import { BAD_RULES } from "./badRules.ts";
import { conditionOf, explainFailure, Federation } from "./federation.ts";
import { collectionPath, foreignDeployment, objectPath, secret } from "./objects.ts";

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
/** Not joined: the tests of connections join it in their own ways. */
const SPARE = "spare-1";

let federation: Federation;

beforeAll(async () => {
  federation = await Federation.start({
    members: [
      { name: SHANGHAI, region: "cn-shanghai" },
      { name: SINGAPORE, region: "ap-southeast-1" },
      { name: SPARE, region: "eu-central-1" },
    ],
    unjoined: [SPARE],
  });
});
afterAll(() => federation?.[Symbol.asyncDispose]());
afterEach(({ task }) => explainFailure(federation, task.result?.state === "fail"));

const both = { [SHANGHAI]: 1, [SINGAPORE]: 1 };

/** Causes are looked for again at their own pace, with backoff; this is the patience of a person, not of a machine. */
const RECOVERY = 100_000;

/** Another object on the same clusters gets a change through: nothing else stopped. */
async function expectOthersGoOn(): Promise<void> {
  const namespace = await federation.namespace();
  const bystander = demoApplication("bystander").namespace(namespace);
  await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI, SINGAPORE));
  await federation.apply(bystander);
  await federation.untilAvailable(namespace, "bystander", both, 20_000);
  await federation.apply(bystander.image("nginx:1.28"));
  await federation.untilAvailable(namespace, "bystander", both, 20_000);
  expect(await federation.image(SHANGHAI, namespace, "bystander")).toBe("nginx:1.28");
  await federation.remove(bystander);
}

async function makeNamespaceOn(member: string, name: string): Promise<void> {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await federation.memberApi(member).create(collectionPath("Namespace"), namespace);
}

describe("an override that cannot be applied", () => {
  test.each(BAD_RULES)(
    "$what fails one cluster only, and the next version of the policy heals it",
    async ({ rule, reason }) => {
      const namespace = await federation.namespace();
      const shop = demoApplication("shop").namespace(namespace).port(80);
      const policy = overridePolicy("bad").namespace(namespace);
      await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI, SINGAPORE));
      await federation.apply(shop);
      await federation.untilAvailable(namespace, "shop", both);
      await federation.apply(policy.onClusters([SINGAPORE], rule));
      const failed = await federation.untilEntry(namespace, "shop", SINGAPORE, { state: "Failed", reason });
      expect(failed.message).toMatch(
        /^OverridePolicy bad(, rule 0: patch 0|: one of its patches) on (Deployment|Service)/,
      );
      await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Available" });
      const { status: said } = await federation.application(namespace, "shop");
      expect(said?.conditions?.find(({ type }) => type === "Progressing")).toMatchObject({
        status: "False",
        reason: "Stalled",
      });
      await eventually(async () => {
        const events = await federation.events(namespace, "shop");
        expect(events.filter((event) => event.reason === reason).length).toBeGreaterThan(0);
      });
      await eventually(async () => {
        const { status } = await federation.api.get<OverridePolicy>(objectPath("OverridePolicy", namespace, "bad"));
        expect(status?.lastError).toBeTruthy();
      });

      // A change of the object itself still reaches the other cluster; here everything stays as it last was right.
      await federation.apply(shop.image("nginx:1.28"));
      await eventually(async () => expect(await federation.image(SHANGHAI, namespace, "shop")).toBe("nginx:1.28"));
      expect(await federation.image(SINGAPORE, namespace, "shop")).toBe("nginx:1.27");
      await expectOthersGoOn();

      await federation.apply(policy.onClusters([SINGAPORE], { labels: { fine: "yes" } }));
      await federation.untilAvailable(namespace, "shop", both);
      expect(await federation.image(SINGAPORE, namespace, "shop")).toBe("nginx:1.28");
    },
  );

  test("that gives a Service an address which the member does not have is named for it", async () => {
    const namespace = await federation.namespace();
    const policy = overridePolicy("bad").namespace(namespace);
    const address = { kind: "Service", op: "add", path: "/spec/clusterIP", value: "9.9.9.9" } as const;
    await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI, SINGAPORE));
    await federation.apply(policy.onClusters([SINGAPORE], { patches: [address] }));
    await federation.apply(demoApplication("shop").namespace(namespace).port(80));
    const wrong = { state: "Failed", reason: "InvalidPatch" } as const;
    const { message } = await federation.untilEntry(namespace, "shop", SINGAPORE, wrong);
    expect(message).toMatch(/^OverridePolicy bad, rule 0: patch 0 on Service: /);
  });
});

describe("an override that would change whose an object is", () => {
  test.each(["/metadata/name", "/metadata/namespace", "/metadata/ownerReferences", "/kind", "/metadata"])(
    "by a patch of %s is refused by the hub, with the field",
    async (path) => {
      const policy = overridePolicy("bad").onClusters([SINGAPORE], {
        patches: [{ op: "replace", path, value: "other" }],
      });
      const refusal: unknown = await federation.apply(policy).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(ApiFailure);
      expect(refusal).toMatchObject({ status: 422, message: expect.stringContaining("spec.rules[0].patches[0].path") });
    },
  );
});

describe("a policy", () => {
  test("that names an unknown cluster says so, and uses the cluster once it is joined", async () => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI, SPARE));
    await federation.apply(demoApplication("shop").namespace(namespace));
    await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Available" });
    await eventually(async () => {
      const [application, policy] = [
        await federation.application(namespace, "shop"),
        await federation.api.get(objectPath("Placement", namespace, "all")),
      ];
      expect(JSON.stringify([application.status, policy["status"]])).toContain(SPARE);
    });
    await expectOthersGoOn();
    try {
      await federation.joinByHand(SPARE, federation.member(SPARE).plane.kubeconfig);
      await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 1, [SPARE]: 1 });
      await federation.remove(demoApplication("shop").namespace(namespace));
    } finally {
      await federation.removeMember(SPARE);
    }
  });

  test("that fits no cluster is not taken for success", async () => {
    const namespace = await federation.namespace();
    await federation.apply(placement("none").namespace(namespace).inRegions("af-south-1"));
    await federation.apply(demoApplication("shop").namespace(namespace));
    await eventually(async () => {
      const application = await federation.application(namespace, "shop");
      expect(conditionOf(application, "Scheduled")).toMatchObject({ status: "False" });
      expect(conditionOf(application, "Available")?.status).not.toBe("True");
      expect(conditionOf(application, "Applied")?.status).not.toBe("True");
    });
    await federation.apply(placement("none").namespace(namespace).inRegions("cn-shanghai"));
    await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 1 });
  });
});

describe("a dependency", () => {
  test("that is missing is named in the status, and travels when it appears", async () => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI, SINGAPORE));
    await federation.apply(demoApplication("shop").namespace(namespace).envFromSecret("absent"));
    await eventually(async () => {
      const { status } = await federation.application(namespace, "shop");
      expect(status?.clusters?.map(({ name }) => name)).toEqual([SHANGHAI, SINGAPORE]);
      for (const entry of status?.clusters ?? [])
        expect(`${entry.reason} ${entry.message}`).toMatch(/DependencyMissing.*absent/);
    });
    await expectOthersGoOn();
    await federation.apply(secret(namespace, "absent", { key: "value" }));
    await federation.untilAvailable(namespace, "shop", both);
    for (const member of [SHANGHAI, SINGAPORE]) {
      const path = objectPath("Secret", namespace, "absent");
      await eventually(async () => expect(await federation.memberApi(member).find(path)).toBeDefined());
    }
    await eventually(async () => {
      for (const entry of (await federation.application(namespace, "shop")).status?.clusters ?? [])
        expect(entry.reason).toBeUndefined();
    });
  });
});

describe("what a member refuses", () => {
  test("a namespace that is terminating holds up that member, until it is gone and made anew", async () => {
    const namespace = await federation.namespace();
    const api = federation.memberApi(SINGAPORE);
    await makeNamespaceOn(SINGAPORE, namespace);
    const path = objectPath("ConfigMap", namespace, "clings");
    await api.create(collectionPath("ConfigMap", namespace), {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "clings", namespace, finalizers: ["example.com/not-yet"] },
    });
    await api.delete(objectPath("Namespace", undefined, namespace));
    await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI, SINGAPORE));
    await federation.apply(demoApplication("shop").namespace(namespace).port(80));
    await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Available" });
    await federation.untilEntry(namespace, "shop", SINGAPORE, { reason: "NamespaceTerminating" });
    await expectOthersGoOn();
    await api.patch(path, "merge", { metadata: { finalizers: null } });
    await federation.untilAvailable(namespace, "shop", both, RECOVERY);
  });

  test("a ResourceQuota holds up that member, until there is room", async () => {
    const namespace = await federation.namespace();
    const api = federation.memberApi(SINGAPORE);
    await makeNamespaceOn(SINGAPORE, namespace);
    await api.create(collectionPath("ResourceQuota", namespace), {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "none", namespace },
      spec: { hard: { services: "0" } },
    });
    // It is not enforced before it has been counted.
    await eventually(async () =>
      expect(await api.get(objectPath("ResourceQuota", namespace, "none"))).toMatchObject({
        status: { hard: { services: "0" } },
      }),
    );
    await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI, SINGAPORE));
    await federation.apply(demoApplication("shop").namespace(namespace).port(80));
    await federation.untilEntry(namespace, "shop", SINGAPORE, { reason: "QuotaExceeded" });
    await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Available" });
    await expectOthersGoOn();
    await api.delete(objectPath("ResourceQuota", namespace, "none"));
    await federation.untilAvailable(namespace, "shop", both, RECOVERY);
  });

  test("a quota on pods shows as a Deployment that cannot grow", async () => {
    const namespace = await federation.namespace();
    const api = federation.memberApi(SINGAPORE);
    await makeNamespaceOn(SINGAPORE, namespace);
    await api.create(collectionPath("ResourceQuota", namespace), {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "one-pod", namespace },
      spec: { hard: { pods: "1" } },
    });
    await eventually(async () =>
      expect(await api.get(objectPath("ResourceQuota", namespace, "one-pod"))).toMatchObject({
        status: { hard: { pods: "1" } },
      }),
    );
    await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI, SINGAPORE));
    await federation.apply(demoApplication("shop").namespace(namespace).replica(3));
    const entry = await federation.untilEntry(namespace, "shop", SINGAPORE, {
      replicas: expect.objectContaining({ desired: 3, ready: 1 }),
      reason: expect.stringMatching(/./),
    });
    expect(`${entry.reason} ${entry.message}`).toMatch(/quota/i);
    await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Available" });
  });

  test("an immutable field holds up that member, until the object in the way is gone", async () => {
    const namespace = await federation.namespace();
    const api = federation.memberApi(SINGAPORE);
    await makeNamespaceOn(SINGAPORE, namespace);
    await api.create(collectionPath("Deployment", namespace), foreignDeployment(namespace, "shop", { app: "another" }));
    await federation.apply(
      placement("all").namespace(namespace).onClusters(SHANGHAI, SINGAPORE).conflictResolution("Adopt"),
    );
    await federation.apply(demoApplication("shop").namespace(namespace));
    await federation.untilEntry(namespace, "shop", SINGAPORE, {
      state: "Failed",
      reason: expect.stringMatching(/^(ImmutableField|Invalid)$/),
    });
    await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Available" });
    await expectOthersGoOn();
    await api.delete(objectPath("Deployment", namespace, "shop"));
    await federation.untilAvailable(namespace, "shop", both, RECOVERY);
  });
});

describe("a connection", () => {
  /** The Secret is wrong, then right; the objects come by themselves. */
  test.each<{ what: string; kubeconfig: () => Promise<string | undefined>; reason: RegExp }>([
    { what: "a Secret that is missing", kubeconfig: async () => undefined, reason: /^SecretNotFound$/ },
    { what: "a kubeconfig that is none", kubeconfig: async () => "this: [is not", reason: /^InvalidKubeconfig$/ },
    {
      what: "another authority's certificate",
      kubeconfig: async () =>
        federation
          .member(SPARE)
          .plane.kubeconfigFor({ token: federation.member(SPARE).plane.adminToken, caData: federation.hub.caData }),
      reason: /^CertificateInvalid$/,
    },
    {
      what: "a token that nobody issued",
      kubeconfig: async () => federation.member(SPARE).plane.kubeconfigFor({ token: "nobody-issued-this" }),
      reason: /^CredentialsRejected$/,
    },
    {
      what: "a token that has expired",
      kubeconfig: async () => {
        const { plane } = federation.member(SPARE);
        return plane.kubeconfigFor({ token: await plane.serviceAccountToken("default", "default", -60) });
      },
      reason: /^Credentials(Expired|Rejected)$/,
    },
    {
      what: "an address where nobody listens",
      kubeconfig: async () =>
        federation.member(SPARE).plane.kubeconfigFor({ token: "any", server: "https://127.0.0.1:9" }),
      reason: /^ClusterUnreachable$/,
    },
    {
      what: "the address of a metadata service",
      kubeconfig: async () =>
        federation.member(SPARE).plane.kubeconfigFor({ token: "any", server: "https://169.254.169.254" }),
      reason: /^AddressRefused$/,
    },
  ])("with $what stays with its cluster, and works once the Secret is right", async ({ kubeconfig, reason }) => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace));
    await federation.apply(demoApplication("shop").namespace(namespace));
    await federation.untilAvailable(namespace, "shop", both);
    try {
      await federation.joinByHand(SPARE, await kubeconfig());
      await eventually(
        async () => {
          const condition = await federation.memberCondition(SPARE);
          expect(condition?.status).not.toBe("True");
          expect(condition?.reason).toMatch(reason);
        },
        { timeout: 30_000 },
      );
      const entry = await federation.untilEntry(namespace, "shop", SPARE, { reason: expect.stringMatching(reason) });
      expect(entry.state).not.toBe("Available");
      await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Available" });
      await federation.untilEntry(namespace, "shop", SINGAPORE, { state: "Available" });
      await expectOthersGoOn();

      await federation.setKubeconfig(SPARE, federation.member(SPARE).plane.kubeconfig);
      await federation.untilMemberIs(SPARE, "True");
      await federation.untilAvailable(namespace, "shop", { ...both, [SPARE]: 1 });
      await federation.remove(demoApplication("shop").namespace(namespace));
    } finally {
      await federation.removeMember(SPARE);
    }
  });

  test("whose credentials are withdrawn while it works shows it, and comes back with new ones", async () => {
    const namespace = await federation.namespace();
    const { plane } = federation.member(SPARE);
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "temporary", namespace: "default" } };
    try {
      await plane.api.create(collectionPath("ServiceAccount", "default"), account);
      await plane.api.create(collectionPath("ClusterRoleBinding"), {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "temporary" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ kind: "ServiceAccount", name: "temporary", namespace: "default" }],
      });
      await federation.joinByHand(
        SPARE,
        plane.kubeconfigFor({ token: await plane.serviceAccountToken("default", "temporary", 3600) }),
      );
      await federation.untilMemberIs(SPARE, "True");
      await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI, SPARE));
      await federation.apply(demoApplication("shop").namespace(namespace));
      await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 1, [SPARE]: 1 });

      await plane.api.delete(objectPath("ServiceAccount", "default", "temporary"));
      await federation.untilEntry(
        namespace,
        "shop",
        SPARE,
        { state: "Unknown", reason: "CredentialsRejected", replicas: expect.objectContaining({ ready: 1 }) },
        90_000,
      );
      await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Available" });

      await federation.setKubeconfig(SPARE, plane.kubeconfig);
      await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 1, [SPARE]: 1 });
      await federation.remove(demoApplication("shop").namespace(namespace));
    } finally {
      await federation.removeMember(SPARE);
    }
  });
});
