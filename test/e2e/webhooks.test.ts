import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  DEFAULT_SYSTEM_NAMESPACE,
  type KubeObject,
  ROLLOUT_APPROVALS_ANNOTATION,
  ROLLOUT_COMMAND_ANNOTATION,
  TRACEPARENT_ANNOTATION,
} from "../../src/apis/index.ts";
import { eventually } from "../envtest/index.ts";
import { KUBECTL_MISTAKES } from "../mistakes/admission.ts";
import { collectionPath, objectPath, secret } from "./objects.ts";
import { approvalsOf, approve, holdersIn, target } from "./webhookApprovals.ts";
import {
  authorities,
  CERTIFICATES,
  certificateState,
  CONFIGURATION,
  CRD,
  issueInto,
  publishedBundles,
} from "./webhookCertificates.ts";
import { finalizersOf, FULL_SPEC, WebhookHub } from "./webhookHub.ts";
import { ApplicationLoad } from "./webhookLoad.ts";
import { applicationOf, applications, policyOf, REFUSALS } from "./webhookRefusals.ts";

const hooks = new WebhookHub();

beforeAll(() => hooks.start());
afterAll(() => hooks[Symbol.asyncDispose]());
afterEach(async ({ task }) => {
  if (task.result?.state === "fail") process.stderr.write(`--- manager\n${await hooks.manager.logTail(60)}\n`);
});

describe("conversion on a real API server", () => {
  test("an object is edited in v1beta1 with kubectl, and keeps what only v1 knows", async () => {
    const namespace = await hooks.newNamespace();
    await hooks.apply(applicationOf("shop", FULL_SPEC, namespace));
    // The manager's first status does not come between what kubectl reads for the replacement and what it writes.
    await eventually(async () => expect((await hooks.read("shop", namespace))["status"]).toBeDefined());
    const old = await hooks.read("shop", namespace, "v1beta1");
    expect(Object.keys(old["spec"] as object).toSorted()).toEqual(["image", "ports", "replica"]);
    // Without the version that was read: the manager writes a status meanwhile.
    const { resourceVersion: _, ...metadata } = old.metadata;
    const edited = { ...old, metadata, spec: { ...(old["spec"] as object), replica: 7 } };
    await hooks.kubectl(["replace", "-f", "-"], { stdin: JSON.stringify(edited) });
    expect((await hooks.read("shop", namespace))["spec"]).toEqual({ ...FULL_SPEC, replica: 7 });
  });

  test("kubectl apply, on either side and in either version, takes no field from the other", async () => {
    const namespace = await hooks.newNamespace();
    await hooks.apply(applicationOf("shop", FULL_SPEC, namespace), "--server-side", "--field-manager=team");
    const image = { image: "nginx:1.28", replica: 3 };
    await hooks.apply(
      applicationOf("shop", image, namespace, "v1beta1"),
      "--server-side",
      "--field-manager=ci",
      "--force-conflicts",
    );
    expect((await hooks.read("shop", namespace))["spec"]).toEqual({ ...FULL_SPEC, image: "nginx:1.28" });
    await hooks.kubectl(["scale", "demoapplication.v1beta1.paas.cmft.com/shop", "-n", namespace, "--replicas=5"]);
    await hooks.kubectl([
      "patch",
      "demoapplication.v1beta1.paas.cmft.com/shop",
      "-n",
      namespace,
      "--type=merge",
      "-p",
      '{"spec":{"image":"nginx:1.29"}}',
    ]);
    expect((await hooks.read("shop", namespace))["spec"]).toEqual({ ...FULL_SPEC, image: "nginx:1.29", replica: 5 });
  });

  test("what was written in v1beta1 is read in v1 and back as it was", async () => {
    const namespace = await hooks.newNamespace();
    const spec = { image: "nginx:1.27", replica: 2, ports: [{ port: 80, protocol: "TCP" }] };
    await hooks.apply(applicationOf("plain", spec, namespace, "v1beta1"));
    expect((await hooks.read("plain", namespace))["spec"]).toEqual(spec);
    expect((await hooks.read("plain", namespace, "v1beta1"))["spec"]).toEqual(spec);
  });

  test("an annotation that is not a v1 spec is refused with a reason", async () => {
    const object = applicationOf("broken", { image: "nginx" }, "default", "v1beta1");
    object.metadata.annotations = { "paas.cmft.com/v1-fields": "{" };
    expect(await hooks.refusal(object)).toMatch(/v1-fields.*is not JSON; remove it/);
  });

  test("objects stored in v1beta1 are brought to v1 whole, and the CRD says so", async () => {
    const namespace = await hooks.newNamespace();
    await hooks.store("v1beta1");
    for (const name of ["a", "b", "c"]) await hooks.apply(applicationOf(name, FULL_SPEC, namespace));
    expect(await hooks.storedVersions()).toContain("v1beta1");
    const before = await Promise.all(["a", "b", "c"].map((name) => hooks.read(name, namespace)));
    await hooks.store("v1");
    await eventually(async () => expect(await hooks.storedVersions()).toEqual(["v1"]), { timeout: 60_000 });
    const after = await Promise.all(["a", "b", "c"].map((name) => hooks.read(name, namespace)));
    expect(after.map(({ spec }) => spec)).toEqual(before.map(({ spec }) => spec));
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  });
});

describe("admission on a real API server", () => {
  test("an object has its finalizer from its creation on", async () => {
    const namespace = await hooks.newNamespace();
    const created = await hooks.hub.api.create(
      collectionPath("DemoApplication", namespace),
      applicationOf("new", { image: "nginx" }, namespace),
    );
    expect(finalizersOf(created)).toEqual(["federation.paas.cmft.com/member-objects"]);
    const cluster = policyOf("MemberCluster", undefined, { connection: { pull: {} } }, "new");
    const member = await hooks.hub.api.create(collectionPath("MemberCluster"), cluster);
    expect(finalizersOf(member)).toEqual(["federation.paas.cmft.com/member-cluster"]);
  });

  test("the trace of a request goes on in the webhooks and, by the object's annotation, in the reconcile", async () => {
    const namespace = await hooks.newNamespace();
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const path = collectionPath("DemoApplication", namespace);
    const object = applicationOf("traced", { image: "nginx" }, namespace);
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
    const { status, body } = await hooks.hub.api.request<KubeObject>("POST", path, object, { traceparent });
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body.metadata.annotations?.[TRACEPARENT_ANNOTATION]).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    await eventually(async () => {
      const lines = (await hooks.manager.log())
        .split("\n")
        .filter((line) => line.includes(`DemoApplication/${namespace}/traced`));
      expect(lines.some((line) => line.includes("changed: generation 1") && line.includes(traceId))).toBe(true);
    });
    const untraced = await hooks.hub.api.create<KubeObject>(
      path,
      applicationOf("untraced", { image: "nginx" }, namespace),
    );
    expect(untraced.metadata.annotations ?? {}).not.toHaveProperty([TRACEPARENT_ANNOTATION]);
  });

  test.each([...REFUSALS])("refuses %s, and says what to change", async (_, object, message) => {
    expect(await hooks.refusal(object)).toMatch(message);
  });

  describe("after a mistake, what kubectl prints says what is wrong, where, and what to do next", () => {
    beforeAll(() =>
      hooks.hub.api.create(collectionPath("Namespace"), {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "shop" },
      }),
    );

    const mistakes = KUBECTL_MISTAKES.filter(({ besideFirst, verb }) => besideFirst !== true && verb === undefined);
    test.each(mistakes)("$mistake", async ({ object, what, where, next }) => {
      const said = await hooks.refusal(object);
      for (const words of [what, where, next]) expect(said).toMatch(words);
    });
  });

  test("the platform sets another bound for a namespace, and kubectl scale keeps to it", async () => {
    const namespace = await hooks.newNamespace({ "paas.cmft.com/replica-bounds": "0-5" });
    await hooks.apply(applicationOf("small", { image: "nginx", replica: 0 }, namespace));
    await hooks.kubectl(["scale", "demo/small", "-n", namespace, "--replicas=5"]);
    await expect(hooks.kubectl(["scale", "demo/small", "-n", namespace, "--replicas=6"])).rejects.toThrow(
      /set it to 5 or less/,
    );
  });

  test.each([
    "http://169.254.169.254",
    "https://[fe80::1]:6443",
    "https://metadata.google.internal",
    "https://0xA9FEA9FE/",
  ])("refuses a cluster whose kubeconfig leads to %s", async (server) => {
    const name = hooks.newName("metadata");
    const kubeconfig = JSON.stringify({
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "c" } }],
      clusters: [{ name: "c", cluster: { server } }],
    });
    await hooks.hub.api.apply(
      objectPath("Secret", DEFAULT_SYSTEM_NAMESPACE, name),
      secret(DEFAULT_SYSTEM_NAMESPACE, name, { kubeconfig }),
    );
    const cluster = policyOf("MemberCluster", undefined, { connection: { kubeconfigSecretRef: { name } } }, name);
    expect(await hooks.refusal(cluster)).toMatch(
      /the server of its kubeconfig: .* write the address of the cluster's API server/,
    );
  });

  test("what is protected by label is not deleted, nor its namespace, until the label goes", async () => {
    const namespace = await hooks.newNamespace();
    const object = applicationOf("kept", { image: "nginx" }, namespace);
    object.metadata.labels = { "paas.cmft.com/deletion-protection": "true" };
    await hooks.apply(object);
    const remove = () => hooks.kubectl(["delete", "demo", "kept", "-n", namespace, "--wait=false"]);
    await expect(remove()).rejects.toThrow(
      /protects DemoApplication kept from deletion.*kubectl label demoapplication kept/,
    );
    await expect(hooks.kubectl(["delete", "demo", "--all", "-n", namespace, "--wait=false"])).rejects.toThrow(
      /protects/,
    );
    await eventually(() =>
      expect(hooks.kubectl(["delete", "ns", namespace, "--wait=false", "--dry-run=server"])).rejects.toThrow(
        new RegExp(`${namespace}/kept in it is protected`),
      ),
    );
    await hooks.kubectl(["label", "demoapplication", "kept", "-n", namespace, "paas.cmft.com/deletion-protection-"]);
    await remove();
  });

  test("a node port that another application has on the same cluster is refused, and a member with objects leaves only by a word", async () => {
    const namespace = await hooks.newNamespace();
    await hooks.apply(policyOf("MemberCluster", undefined, { connection: { local: {} } }, "hub"));
    await hooks.apply(
      policyOf(
        "Placement",
        namespace,
        { resourceSelectors: applications, clusterAffinities: [{ name: "hub", clusterNames: ["hub"] }] },
        "here",
      ),
    );
    const ports = [{ port: 80, nodePort: 30_777 }];
    await hooks.apply(applicationOf("first", { image: "nginx", ports }, namespace));
    await eventually(async () => {
      const { status } = (await hooks.read("first", namespace)) as unknown as {
        status?: { clusters?: { name: string }[] };
      };
      expect(status?.clusters?.map(({ name }) => name)).toEqual(["hub"]);
    });
    await eventually(async () => {
      const said = await hooks.refusal(
        applicationOf("second", { image: "nginx", ports }, namespace),
        "--dry-run=server",
      );
      expect(said).toMatch(
        new RegExp(`30777/TCP is taken on cluster hub by DemoApplication ${namespace}/first; choose another`),
      );
    });
    await expect(hooks.kubectl(["delete", "membercluster", "hub", "--wait=false"])).rejects.toThrow(
      /placed on hub; say what is to become.*Drain.*Orphan/,
    );
    await hooks.kubectl([
      "patch",
      "membercluster",
      "hub",
      "--type=merge",
      "-p",
      '{"spec":{"deletionPolicy":"Orphan"}}',
    ]);
    await hooks.kubectl(["delete", "membercluster", "hub", "--timeout=30s"]);
  });

  test("an update is not refused for what was wrong before", async () => {
    const namespace = await hooks.newNamespace({ "paas.cmft.com/replica-bounds": "1-500" });
    await hooks.apply(applicationOf("large", { image: "nginx", replica: 300 }, namespace));
    await hooks.kubectl(["annotate", "ns", namespace, "paas.cmft.com/replica-bounds-"]);
    await eventually(() =>
      expect(hooks.kubectl(["scale", "demo/large", "-n", namespace, "--replicas=301"])).rejects.toThrow(/301/),
    );
    await hooks.kubectl(["label", "demo", "large", "-n", namespace, "tier=web"]);
  });
});

describe("an approval of a rollout on a real API server", () => {
  test("is given in one's own name only, for one run, through every API version and on every kind", async () => {
    const namespace = await hooks.newNamespace();
    for (const holder of await holdersIn(hooks, namespace)) {
      const forged = await approve(hooks, holder, { by: "alice", as: "mallory" });
      expect(forged, holder.kind).toMatch(/approved in the name of alice, and you are mallory/);
      expect(await approve(hooks, holder, { by: "alice", as: "alice" }), holder.kind).toBe("");
      // What alice approved stays while others write beside it, and is not carried over to what she has not seen.
      const carriedOver = await approve(hooks, holder, { by: "alice", as: "mallory", revision: 2 });
      expect(carriedOver, holder.kind).toMatch(/in the name of alice/);
      if (holder.version !== "v1") continue;
      expect(await approve(hooks, holder, { by: "alice", as: "mallory", also: { asia: "mallory" } })).toBe("");
      for (const other of [{ run: "2026-11-22T09:00:00Z" }, { stage: "asia" }])
        expect(await approve(hooks, holder, { by: "alice", as: "mallory", ...other })).toMatch(/in the name of alice/);
      expect(await approve(hooks, holder, { text: "{", as: "alice" })).toMatch(/not understood/);
    }
  });

  test("is not even stored while no manager is there to ask, and all else goes on", async () => {
    const namespace = await hooks.newNamespace();
    const holders = await holdersIn(hooks, namespace);
    const stored = holders.filter(({ version }) => version !== "v1beta1");
    for (const holder of stored) expect(await approve(hooks, holder, { by: "alice", as: "alice" })).toBe("");
    await hooks.manager.stop();
    for (const holder of holders) {
      const refused = await approve(hooks, holder, { by: "bob", as: "mallory", stage: "asia" });
      expect(refused, holder.kind).toMatch(/failed calling webhook "approvals|conversion webhook/);
    }
    for (const holder of stored) {
      // Neither the note nor the pause nor the removal waits for a manager.
      const paused = `${ROLLOUT_COMMAND_ANNOTATION}={"revision":1,"paused":true}`;
      await hooks.kubectl(["annotate", ...target(holder), "team=shop", paused, `${ROLLOUT_APPROVALS_ANNOTATION}-`]);
      const annotations = { [ROLLOUT_APPROVALS_ANNOTATION]: approvalsOf({ by: "alice" }) };
      for (const subresource of holder.subresources) {
        const patch = ["patch", ...target(holder), `--subresource=${subresource}`, "--type=merge", "-p"];
        await hooks.kubectl([...patch, JSON.stringify({ metadata: { annotations } })]);
      }
      const found = JSON.parse(await hooks.kubectl(["get", ...target(holder), "-o", "json"])) as KubeObject;
      expect(found.metadata.annotations, holder.kind).not.toHaveProperty([ROLLOUT_APPROVALS_ANNOTATION]);
      expect(found.metadata.annotations).toMatchObject({ team: "shop" });
    }
    const created = applicationOf("new", { image: "nginx" }, namespace);
    created.metadata.annotations = { [ROLLOUT_APPROVALS_ANNOTATION]: approvalsOf({ by: "alice" }) };
    expect(await hooks.refusal(created)).toMatch(/failed calling webhook "approvals/);
    await hooks.startManager();
  });
});

describe("trouble with the webhooks", () => {
  test("an outage loses nothing: v1 goes on, v1beta1 and policies wait, and the manager's first writes ask nobody", async () => {
    const namespace = await hooks.newNamespace();
    await hooks.apply(applicationOf("before", FULL_SPEC, namespace));
    await hooks.manager.kill();
    expect((await hooks.read("before", namespace))["spec"]).toEqual(FULL_SPEC);
    await hooks.apply(applicationOf("during", FULL_SPEC, namespace));
    expect(finalizersOf(await hooks.read("during", namespace))).toEqual([]);
    await expect(hooks.read("before", namespace, "v1beta1")).rejects.toThrow(/conversion webhook/);
    expect(await hooks.refusal(policyOf("Placement", namespace, { resourceSelectors: applications }))).toMatch(
      /failed calling webhook/,
    );
    await expect(hooks.kubectl(["delete", "demo", "before", "-n", namespace, "--wait=false"])).rejects.toThrow(
      /failed calling webhook/,
    );

    await hooks.startManager();
    const called = async (webhook: string) =>
      (await hooks.manager.metric("controller_runtime_webhook_requests_total"))
        .filter(({ labels }) => labels["webhook"] === webhook)
        .reduce((sum, { value }) => sum + value, 0);
    const before = await called("validate");
    await eventually(async () => expect(finalizersOf(await hooks.read("during", namespace))).toHaveLength(1));
    await hooks.apply(applicationOf("after", FULL_SPEC, namespace));
    // One call is the creation's own; the finalizer and statuses that the manager wrote since added none.
    await eventually(async () => expect((await hooks.read("after", namespace))["status"]).toBeDefined());
    expect(await called("validate")).toBe(before + 1);
    for (const name of ["before", "during", "after"])
      expect((await hooks.read(name, namespace))["spec"]).toEqual(FULL_SPEC);
  });

  test("a new authority takes over under load, and not one request fails", async () => {
    const namespace = await hooks.newNamespace();
    const before = await authorities(hooks.hub);
    await using load = new ApplicationLoad(hooks.hub, namespace, FULL_SPEC);
    await load.untilDone(20);
    await hooks.hub.api.patch(CERTIFICATES, "merge", {
      metadata: { annotations: { "paas.cmft.com/rotate-authority": "1" } },
    });
    await eventually(async () => expect(Object.keys(await certificateState(hooks.hub)).includes("next")).toBe(true), {
      timeout: 20_000,
    });
    await eventually(
      async () => {
        const state = await certificateState(hooks.hub);
        expect(state["next"]).toBeUndefined();
        expect(state["previous"]).toBeUndefined();
        const now = await authorities(hooks.hub);
        expect(now).toHaveLength(1);
        expect(now).not.toEqual(before);
        expect(await publishedBundles(hooks.hub)).toEqual([now[0], now[0]]);
      },
      { timeout: 60_000 },
    );
    await load.untilDone(load.done + 20);
    expect(await load.finish()).toEqual([]);
  });

  test("a CRD that leads to a Service is led to the address instead", async () => {
    await hooks.manager.stop();
    const service = { namespace: DEFAULT_SYSTEM_NAMESPACE, name: "meridian-webhook", path: "/convert", port: 443 };
    await hooks.hub.api.patch(CRD, "merge", {
      spec: { conversion: { webhook: { clientConfig: { url: null, service } } } },
    });
    await hooks.startManager();
    const { spec } = (await hooks.hub.api.get(CRD)) as unknown as { spec: { conversion: { webhook: object } } };
    expect(spec.conversion.webhook).toMatchObject({ clientConfig: { url: `https://127.0.0.1:${hooks.port}/convert` } });
    expect(spec.conversion.webhook).not.toHaveProperty("clientConfig.service");
  });

  test("a bundle that somebody broke is put back", async () => {
    const [bundle] = await publishedBundles(hooks.hub);
    const { webhooks } = (await hooks.hub.api.get(CONFIGURATION)) as unknown as { webhooks: unknown[] };
    const patch = webhooks.map((_, index) => ({ op: "remove", path: `/webhooks/${index}/clientConfig/caBundle` }));
    await hooks.hub.api.patch(CONFIGURATION, "json", patch);
    await eventually(async () => expect((await publishedBundles(hooks.hub))[1]).toBe(bundle));
  });

  test("certificates from files are exchanged under load, authority and all, and not one request fails", async () => {
    const folder = join(hooks.fleet.dir, "certificates");
    await mkdir(folder);
    await issueInto(folder, "first");
    await hooks.manager.stop();
    await hooks.startManager("--webhook-cert-dir", folder);
    const namespace = await hooks.newNamespace();
    await using load = new ApplicationLoad(hooks.hub, namespace, FULL_SPEC);
    await load.untilDone(20);
    const second = await issueInto(folder, "second");
    await eventually(async () => expect(await publishedBundles(hooks.hub)).toEqual([second, second]), {
      timeout: 60_000,
    });
    await load.untilDone(load.done + 20);
    expect(await load.finish()).toEqual([]);
  });
});
