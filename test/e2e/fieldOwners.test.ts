import { beforeAll, describe, expect, test } from "vitest";
import { FEDERATION_API_VERSION, type KubeObject } from "../../src/apis/index.ts";
import { clusterPlacement, placement } from "../builders/index.ts";
import { eventually, kubectl, throughout } from "../envtest/index.ts";
import { type Federation, useFederation } from "./federation.ts";
import { collectionPath, type Event, objectPath } from "./objects.ts";

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
const MEMBERS = [SHANGHAI, SINGAPORE];

const moreControllers = ["horizontal-pod-autoscaler-controller"];

const federation = useFederation({
  members: MEMBERS.map((name) => ({ name, region: `region-of-${name}`, moreControllers })),
  unjoined: MEMBERS,
});

beforeAll(async () => {
  // Its administrators': this is about fields, not about rights.
  for (const name of MEMBERS) await federation.joinByHand(name, federation.member(name).plane.kubeconfig);
  for (const name of MEMBERS) await federation.untilMemberIs(name, "True");
});

const deployment = (namespace: string, spec: object = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx:1.27" }] } },
    ...spec,
  },
});

/** Without metrics it still sees to the least. */
const autoscaler = (namespace: string): KubeObject => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", namespace },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, minReplicas: 3, maxReplicas: 9 },
});

const pathIn = (namespace: string): string => objectPath("Deployment", namespace, "web");
/** As an autoscaler does it. */
const scale = (api: Federation["api"], namespace: string, replicas: number): Promise<unknown> =>
  api.patch(`${pathIn(namespace)}/scale?fieldManager=kube-controller-manager`, "merge", { spec: { replicas } });
const onMembers = (namespace: string): Promise<number[]> =>
  Promise.all(MEMBERS.map(async (name) => (await federation.deployment(name, namespace, "web")).spec.replicas));
const untilReplicas = (namespace: string, want: number[]): Promise<void> =>
  eventually(async () => expect(await onMembers(namespace)).toEqual(want), { timeout: 30_000 });

/** In a namespace of its own, with a policy that sends it to both members. */
async function placed(object: (namespace: string) => KubeObject, ...verb: string[]): Promise<string> {
  const namespace = await federation.namespace();
  await federation.apply(placement("web").namespace(namespace).selects({ apiVersion: "apps/v1", kind: "Deployment" }));
  await kubectl(federation.hub, [...verb, "-f", "-"], { stdin: JSON.stringify(object(namespace)) });
  await eventually(() => onMembers(namespace), { timeout: 30_000, message: "both members have it" });
  return namespace;
}

describe("replicas of a Deployment that an autoscaler scales", () => {
  test.each([
    { by: ["apply"], replicas: 2 },
    { by: ["apply", "--server-side"], replicas: 2 },
    // The scale subresource gives replicas that nobody owned to nobody.
    { by: ["apply", "--server-side"], replicas: undefined },
  ])("an autoscaler of the hub takes them, and every member has what the hub has: $by, $replicas", async (written) => {
    const { by, replicas } = written;
    const namespace = await placed((name) => deployment(name, replicas === undefined ? {} : { replicas }), ...by);
    await untilReplicas(
      namespace,
      Array.from(MEMBERS, () => replicas ?? 1),
    );
    await scale(federation.api, namespace, 4);
    const { metadata } = await federation.api.get<KubeObject>(pathIn(namespace));
    const owners = metadata.managedFields?.filter(({ fieldsV1 }) => fieldsV1?.["f:spec"]?.["f:replicas"] !== undefined);
    const autoscalers = [{ manager: "kube-controller-manager", subresource: "scale" }];
    expect(owners).toMatchObject(replicas === undefined ? [] : autoscalers);
    await untilReplicas(namespace, [4, 4]);
    await throughout(1_000, async () => expect(await onMembers(namespace)).toEqual([4, 4]), 500);
  });

  test.each(["apply", "create"])(
    "that nobody wrote are left to an autoscaler of a member: kubectl %s",
    async (verb) => {
      const namespace = await placed((name) => deployment(name), verb);
      const member = federation.memberApi(SHANGHAI);
      if (verb === "create") await scale(member, namespace, 3);
      else
        await member.create(
          `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`,
          autoscaler(namespace),
        );
      await untilReplicas(namespace, [3, 1]);
      // Another change of the object, and a manager that starts anew, leave them.
      await federation.api.patch(pathIn(namespace), "merge", { spec: { minReadySeconds: 1 } });
      await eventually(async () =>
        expect(await member.get<KubeObject>(pathIn(namespace))).toMatchObject({ spec: { minReadySeconds: 1 } }),
      );
      await throughout(4_000, async () => expect(await onMembers(namespace)).toEqual([3, 1]), 500);
      expect((await eventsOf(namespace)).map(({ reason }) => reason)).not.toContain("DriftHealed");
    },
  );

  test("that were written are put back, and the Event names the remedy", async () => {
    const namespace = await placed((name) => deployment(name, { replicas: 1 }), "apply");
    await scale(federation.memberApi(SHANGHAI), namespace, 5);
    await eventually(async () => {
      const healed = (await eventsOf(namespace)).find(({ reason }) => reason === "DriftHealed");
      expect(healed?.note).toContain('retain: [{kind: Deployment, path: "spec.replicas"}]');
    });
    await untilReplicas(namespace, [1, 1]);
  });
});

function eventsOf(namespace: string): Promise<Event[]> {
  return federation.api.list<Event>(collectionPath("Event", namespace));
}

describe("a certificate bundle that an operator of the member fills in", () => {
  const PLACEHOLDER = "Cg==";
  const INJECTED = "aW5qZWN0ZWQ=";
  const path = (name: string): string =>
    `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${name}`;
  const webhook = (name: string) => ({
    name: `${name}.example.com`,
    clientConfig: { service: { name: "hook", namespace: "default", port: 443 }, caBundle: PLACEHOLDER },
    failurePolicy: "Ignore",
    objectSelector: { matchLabels: { "example.com/never": "true" } },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  });
  const configuration = (name: string): KubeObject => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name },
    webhooks: [webhook("a"), webhook("b")],
  });
  type Configuration = KubeObject & { webhooks: ReturnType<typeof webhook>[] };
  const bundles = async (name: string): Promise<string[]> =>
    (await federation.memberApi(SHANGHAI).get<Configuration>(path(name))).webhooks.map(
      ({ clientConfig }) => clientConfig.caBundle,
    );
  const inject = (name: string): Promise<unknown> =>
    federation.memberApi(SHANGHAI).patch(
      `${path(name)}?fieldManager=cainjector`,
      "json",
      [0, 1].map((at) => ({ op: "replace", path: `/webhooks/${at}/clientConfig/caBundle`, value: INJECTED })),
    );

  async function running(name: string, retain?: string): Promise<void> {
    const selector = { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration", name };
    const policy = clusterPlacement(name).selects(selector);
    await federation.apply(retain === undefined ? policy : policy.retain(selector.kind, retain));
    await kubectl(federation.hub, ["create", "-f", "-"], { stdin: JSON.stringify(configuration(name)) });
    await eventually(() => bundles(name), { timeout: 30_000 });
  }

  test("is put back once, and left to the operator when it fills it in again", async () => {
    await running("filled-in");
    await inject("filled-in");
    await eventually(async () => expect(await bundles("filled-in")).toEqual([PLACEHOLDER, PLACEHOLDER]), {
      timeout: 30_000,
    });
    await inject("filled-in");
    await throughout(4_000, async () => expect(await bundles("filled-in")).toEqual([INJECTED, INJECTED]), 500);
    await eventually(async () => expect((await eventsOf("default")).map(({ reason }) => reason)).toContain("GivenUp"));
  });

  test("is left to the operator from the start where the policy retains it", async () => {
    await running("retained", "webhooks[*].clientConfig.caBundle");
    await inject("retained");
    await throughout(3_000, async () => expect(await bundles("retained")).toEqual([INJECTED, INJECTED]), 500);
  });

  test("admission refuses a path that leads nowhere", async () => {
    const policy = clusterPlacement("refused").selects({ apiVersion: "v1", kind: "Namespace", name: "x" }).object();
    const refused = (at: string): Promise<unknown> =>
      federation.api.create(`/apis/${FEDERATION_API_VERSION}/clusterplacements?dryRun=All`, {
        ...policy,
        spec: { ...policy.spec, retain: [{ kind: "ValidatingWebhookConfiguration", path: at }] },
      });
    for (const at of ["webhooks[0].x", "webhooks[name].x", "webhooks[", "webhooks[*", "webhooks[name=].x"])
      await expect(refused(at)).rejects.toThrow(/must be a path|should match/);
    for (const at of ["webhooks[name=a.example.com].clientConfig.caBundle", 'metadata.annotations["example.com/a"]'])
      await refused(at);
  });
});
