import { expect, test } from "vitest";
import type { KubeObject, OverridePolicy } from "../../src/apis/index.ts";
import { demoApplication, overridePolicy, placement } from "../builders/index.ts";
import { eventually } from "../envtest/index.ts";
import { denyDeployments } from "./denyingPolicy.ts";
import { conditionOf, useFederation } from "./federation.ts";
import { objectPath } from "./objects.ts";

/** What an administrator of the hub, or of a member, had allowed a namespace, and takes back. */

const SHANGHAI = "shanghai-1";
const ENFORCE = "pod-security.kubernetes.io/enforce";

const federation = useFederation({ members: [{ name: SHANGHAI, region: "cn-shanghai" }] });

/** A namespace of the hub with these labels and annotations, and no others that were applied before. */
function namespaceWith(name: string, metadata: Pick<KubeObject["metadata"], "labels" | "annotations"> = {}) {
  return federation.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name, ...metadata } } as KubeObject);
}

async function applied(namespace: string): Promise<void> {
  await federation.apply(placement("all").namespace(namespace));
  await federation.apply(demoApplication("shop").namespace(namespace).replica(1).port(80));
}

/** The account of the pods, as both of the fields say that the server has for it. */
async function accountOn(namespace: string): Promise<unknown[]> {
  const { spec } = (await federation
    .memberApi(SHANGHAI)
    .get(objectPath("Deployment", namespace, "shop"))) as unknown as {
    spec: { template: { spec: { serviceAccountName?: string; serviceAccount?: string } } };
  };
  const { serviceAccountName, serviceAccount } = spec.template.spec;
  return [serviceAccountName, serviceAccount];
}

test.each(["serviceAccountName", "serviceAccount"])(
  "a service account that a policy gave by %s goes from the pods with the policy",
  async (field) => {
    const namespace = `account-${field.length}`;
    await namespaceWith(namespace, { annotations: { "federation.paas.cmft.com/allowed-service-accounts": "admin" } });
    const path = `/spec/template/spec/${field}`;
    const policy = overridePolicy("admin")
      .namespace(namespace)
      .rule({ patches: [{ op: "add", path, value: "admin", kind: "Deployment" }] });
    await federation.apply(policy);
    await applied(namespace);
    await eventually(async () => expect(await accountOn(namespace)).toEqual(["admin", "admin"]));

    await federation.remove(policy);
    await namespaceWith(namespace);
    await eventually(async () => expect(await accountOn(namespace)).toEqual([undefined, undefined]));
    await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 1 });
  },
);

test("a stricter Pod Security level reaches the member though what runs there does not satisfy it", async () => {
  const namespace = "stricter";
  await namespaceWith(namespace, { labels: { [ENFORCE]: "privileged" } });
  await applied(namespace);
  await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 1 });
  const there = () => federation.memberApi(SHANGHAI).get<KubeObject>(objectPath("Namespace", undefined, namespace));
  expect((await there()).metadata.labels).toMatchObject({ [ENFORCE]: "privileged" });

  await namespaceWith(namespace, { labels: { [ENFORCE]: "restricted" } });
  await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Failed", reason: "PodSecurity" });
  await eventually(async () => expect((await there()).metadata.labels).toMatchObject({ [ENFORCE]: "restricted" }));
});

test("a policy of the member that denies the object is named, and neither an override nor what the object says", async () => {
  const namespace = "denied";
  await namespaceWith(namespace);
  const policy = overridePolicy("innocent").namespace(namespace);
  const patch = { kind: "Deployment", op: "add", path: "/spec/minReadySeconds" } as const;
  await federation.apply(policy.rule({ patches: [{ ...patch, value: 0 }] }));
  await applied(namespace);
  await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 1 });

  const message = "change freeze until Monday, see https://wiki/freeze";
  const denies = { name: "freeze", namespace, message };
  await using _denied = await denyDeployments(federation.memberApi(SHANGHAI), denies);
  const says = { reason: "AdmissionDenied", message: `admission policy freeze: ${message}` };
  await federation.apply(demoApplication("shop").namespace(namespace).replica(1).port(80).image("nginx:1.28"));
  await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Failed", ...says });
  const told = conditionOf(await federation.application(namespace, "shop"), "Ready");
  expect(told).toMatchObject({ ...says, message: expect.stringContaining(`${SHANGHAI}: ${says.message}`) });
  const { status } = await federation.api.get<OverridePolicy>(objectPath("OverridePolicy", namespace, "innocent"));
  expect(status?.lastError).toBeUndefined();

  await federation.api.delete(objectPath("DemoApplication", namespace, "shop"));
  await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Removing", ...says });
  const goes = conditionOf(await federation.application(namespace, "shop"), "Ready");
  expect(goes).toMatchObject({
    reason: "Deleting",
    message: `waits for ${SHANGHAI}: AdmissionDenied: ${says.message}`,
  });
});
