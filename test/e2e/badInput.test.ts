import { describe, expect, test } from "vitest";
import { demoApplication, overridePolicy, placement } from "../builders/index.ts";
import { eventually } from "../envtest/index.ts";
import { useFederation } from "./federation.ts";
import { collectionPath, foreignDeployment, objectPath } from "./objects.ts";

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
/** Not joined: the tests of connections join it in their own ways. */
const SPARE = "spare-1";

const federation = useFederation({
  members: [
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SINGAPORE, region: "ap-southeast-1" },
    { name: SPARE, region: "eu-central-1" },
  ],
  unjoined: [SPARE],
});

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
