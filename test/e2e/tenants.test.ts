import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeObject, MemberCluster } from "../../src/apis/index.ts";
import { clusterPlacement, demoApplication, placement } from "../builders/index.ts";
import { type Api, eventually, meridian, meridianOk, type Plane, startSandboxFleet } from "../envtest/index.ts";
import { attemptsOf, CLUSTER_ADMIN, configMap, labelsOf } from "./accountAttempts.ts";
import { accountOf, type Answer, ask } from "./asking.ts";
import { useFederation } from "./federation.ts";
import { collectionPath, objectPath, pathOf, secret } from "./objects.ts";
import { expectAgreement, LEVELS } from "./podSecurityAgreement.ts";
import { tenantOf } from "./tenant.ts";
import { OTHER_TEAM, OWN_TEAM, TENANT_COMMANDS, type TenantAtCommandLine, tenantWithRole } from "./tenantCommands.ts";
import { applicationOf, ATTEMPTS, nameOf, patching, policyOf, PROTECTED_PATHS } from "./tenantAttempts.ts";

const SHANGHAI = "shanghai-1";
const SYSTEM = "meridian-system";
const APPLICATIONS = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" };
const RBAC = "rbac.authorization.k8s.io";

const federation = useFederation({ members: [{ name: SHANGHAI, region: "cn-shanghai" }] });
let member: Plane;

beforeAll(async () => {
  member = federation.member(SHANGHAI).plane;
});

describe("our check of Pod Security agrees with that of an API server", () => {
  test.each(LEVELS)("$level of $version", (level) => expectAgreement(member.api, level));
});

describe("a tenant of the hub", () => {
  const TEAM = "team";
  let tenant: Api;

  beforeAll(async () => {
    tenant = await tenantOf(federation, TEAM);
  });
  afterAll(() => tenant?.close());

  test("does nothing on the hub beyond his namespace", async () => {
    const annotation = { metadata: { annotations: { "federation.paas.cmft.com/allowed-service-accounts": "*" } } };
    const label = { metadata: { labels: { "pod-security.kubernetes.io/enforce": "privileged" } } };
    const [application, policy] = ["DemoApplication", "OverridePolicy"];
    const body = { metadata: { name: "x" }, spec: {} };
    const attempts: [string, string, unknown, string?][] = [
      ["PATCH", objectPath("Namespace", undefined, TEAM), annotation, "application/merge-patch+json"],
      ["PATCH", objectPath("Namespace", undefined, TEAM), label, "application/merge-patch+json"],
      ["POST", collectionPath(application, "kube-system"), body],
      ["POST", collectionPath(policy, "default"), body],
      ["POST", collectionPath("ClusterOverridePolicy"), body],
      ["POST", collectionPath("ClusterPlacement"), body],
      ["POST", collectionPath("MemberCluster"), body],
      ["PATCH", objectPath("MemberCluster", undefined, SHANGHAI), { spec: {} }, "application/merge-patch+json"],
      ["GET", objectPath("Secret", SYSTEM, SHANGHAI), undefined],
    ];
    for (const [method, path, sent, contentType] of attempts)
      expect({ path, ...(await ask(tenant, method, path, sent, contentType)) }).toMatchObject({
        status: 403,
        message: expect.stringContaining('User "system:serviceaccount:team:tenant" cannot'),
      });
  });

  test.each(PROTECTED_PATHS)("does not get a policy stored that patches %s", async (path) => {
    const policy = patching(path, TEAM);
    const answer = await ask(tenant, "POST", collectionPath(policy.kind, TEAM), policy);
    expect(answer).toMatchObject({ status: 422, message: expect.stringContaining("an override may not change") });
  });

  test("becomes no more on a member than in his namespace, whatever his objects and policies say", async () => {
    const token = { ...secret(TEAM, "stolen", {}), type: "kubernetes.io/service-account-token" };
    token.metadata.annotations = { "kubernetes.io/service-account.name": "tenant" };
    await tenant.apply(objectPath("Secret", TEAM, "stolen"), token);
    await tenant.apply(objectPath("Placement", TEAM, "all"), placement("all").namespace(TEAM).object());
    const policies = ATTEMPTS.flatMap((attempt, index) => policyOf(attempt, index, TEAM) ?? []);
    for (const policy of policies) await tenant.apply(pathOf(policy), policy);
    // The watches of policies and of applications are two.
    for (const policy of policies)
      await eventually(async () => expect((await federation.api.get(pathOf(policy)))["status"]).toBeDefined());
    const accepted = ATTEMPTS.map((attempt, index) => ({ attempt, name: nameOf(index) }));
    expect(accepted.length).toBeGreaterThan(20);
    for (const [index, { attempt }] of accepted.entries()) {
      const application = applicationOf(attempt, index, TEAM);
      await tenant.apply(pathOf(application), application);
    }
    for (const { attempt, name } of accepted) {
      const entry = await federation.untilEntry(TEAM, name, SHANGHAI, { state: "Failed" });
      expect({ what: attempt.what, reason: entry.reason, message: entry.message }).toEqual({
        what: attempt.what,
        reason: attempt.reason,
        message: expect.stringContaining(attempt.says),
      });
      const who = attempt.rule === undefined ? /./ : new RegExp(`^OverridePolicy ${name}, rule 0: `);
      expect(entry.message).toMatch(who);
    }
    expect(await member.api.list(collectionPath("Deployment", TEAM))).toEqual([]);
    expect(await member.api.find(objectPath("Secret", TEAM, "stolen"))).toBeUndefined();
  });

  test("gets what an administrator allows his namespace, and the member's namespace has the hub's labels", async () => {
    const index = ATTEMPTS.findIndex(({ what }) => what === "an account of the member");
    await federation.api.patch(objectPath("Namespace", undefined, TEAM), "merge", {
      metadata: {
        labels: { "pod-security.kubernetes.io/enforce": "baseline" },
        annotations: { "federation.paas.cmft.com/allowed-service-accounts": "admin" },
      },
    });
    await eventually(() => member.api.get(objectPath("Deployment", TEAM, nameOf(index))), {
      message: "its Deployment",
    });
    const { metadata } = await member.api.get(objectPath("Namespace", undefined, TEAM));
    expect(metadata.labels).toMatchObject({ "pod-security.kubernetes.io/enforce": "baseline" });
  });

  test("of a namespace that is Kubernetes' own gets nothing there, an administrator neither", async () => {
    const application = applicationOf({}, 99, "kube-public");
    await federation.apply(placement("all").namespace("kube-public"));
    await federation.apply(application);
    await federation.untilEntry("kube-public", nameOf(99), SHANGHAI, { state: "Failed", reason: "ProtectedNamespace" });
    await federation.remove(application);
  });
});

describe("a tenant at the command line, with a role of Kubernetes in one namespace", () => {
  const [OWN, OTHER] = [OWN_TEAM, OTHER_TEAM];
  /** What only the other team may know. */
  const SECRETS = /payroll|other-secret/;
  let viewer: TenantAtCommandLine;
  let editor: TenantAtCommandLine;
  let file: string;

  beforeAll(async () => {
    for (const name of [OWN, OTHER])
      await federation.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } } as KubeObject);
    for (const namespace of [OWN, OTHER]) {
      const labels = { tenant: namespace };
      await federation.apply(
        clusterPlacement(`of-${namespace}`).selects({ ...APPLICATIONS, labelSelector: { matchLabels: labels } }),
      );
    }
    const shop = demoApplication("shop").namespace(OWN).label("tenant", OWN).replica(1);
    await federation.apply(shop.port(80));
    const payroll = demoApplication("payroll").namespace(OTHER).label("tenant", OTHER).replica(1);
    await federation.apply(payroll.image("registry.test/other-secret:1").port(80));
    await federation.untilAvailable(OWN, "shop", { [SHANGHAI]: 1 });
    await federation.untilAvailable(OTHER, "payroll", { [SHANGHAI]: 1 });
    [viewer, editor] = [await tenantWithRole(federation, OWN, "view"), await tenantWithRole(federation, OWN, "edit")];
    file = join(federation.fleet.dir, "fresh.json");
    const fresh = demoApplication("fresh").namespace(OWN).label("tenant", OWN).replica(1).object();
    await writeFile(file, JSON.stringify(fresh));
  });
  afterAll(async () => {
    await federation.remove(demoApplication("shop").namespace(OWN).object());
    await federation.remove(demoApplication("payroll").namespace(OTHER).object());
    for (const namespace of [OWN, OTHER])
      await federation.api.delete(objectPath("ClusterPlacement", undefined, `of-${namespace}`));
  });

  test.each([...TENANT_COMMANDS])("$line", async ({ line, code, says, by }) => {
    const answer = await (by === "editor" ? editor : viewer).run(...line.replace("FILE", file).split(" "));
    const text = answer.stdout + answer.stderr;
    expect({ code: answer.code, text }).toEqual({ code, text: expect.stringMatching(says) });
    expect(text).not.toMatch(SECRETS);
    expect(text, "no stack").not.toMatch(/^ +at /m);
  });

  test("sees with status --watch what is read, until it is stopped", async () => {
    const { code, stdout, stderr } = await viewer.until(/Available/, "status", "--watch");
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/shanghai-1: Available/),
      stderr: expect.stringContaining("do not show member clusters"),
    });
    expect(stdout).not.toMatch(SECRETS);
  });

  test("reads the same whether an object of another team is there or not", async () => {
    const ask = async (name: string): Promise<string> => {
      const lines = ["explain", "rollout history"].map((verb) => `${verb} ${name} -n ${OTHER}`);
      const answers = await Promise.all(lines.map((line) => viewer.run(...line.split(" "))));
      return answers.map(({ code, stdout, stderr }) => `${code} ${stdout}${stderr}`.replaceAll(name, "NAME")).join("");
    };
    expect(await ask("payroll")).toBe(await ask("nothing"));
  });
});

describe("the account of the hub on a member", () => {
  let account: Api;
  let name: string;
  let hubId: string;

  const labels = () => labelsOf(hubId);

  beforeAll(async () => {
    account = await accountOf(federation, SHANGHAI);
    hubId = (await federation.api.get(objectPath("Namespace", undefined, "kube-system"))).metadata.uid ?? "";
    name = `meridian-${hubId.slice(0, 8)}`;
    await member.api.create(collectionPath("Namespace"), { metadata: { name: "theirs" } });
    await member.api.create(collectionPath("ConfigMap", "theirs"), configMap("theirs", "foreign"));
    await member.api.create(collectionPath("ConfigMap", "theirs"), configMap("theirs", "ours", { labels: labels() }));
  });
  afterAll(() => account?.close());

  test("may do what it needs: its own objects and its own token", async () => {
    const path = collectionPath("ConfigMap", "theirs");
    expect(await ask(account, "POST", path, configMap("theirs", "made", { labels: labels() }))).toMatchObject({
      status: 201,
    });
    const patch = "application/merge-patch+json";
    expect(await ask(account, "PATCH", `${path}/made`, { data: { a: "b" } }, patch)).toMatchObject({ status: 200 });
    // Letting go of an object takes the label off.
    const released = { metadata: { labels: { "federation.paas.cmft.com/managed-by": null } } };
    expect(await ask(account, "PATCH", `${path}/made`, released, patch)).toMatchObject({ status: 200 });
    expect(await ask(account, "DELETE", `${path}/ours`)).toMatchObject({ status: 200 });
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const token = `${objectPath("ServiceAccount", SYSTEM, name)}/token`;
    expect(await ask(account, "POST", token, request)).toMatchObject({ status: 201 });
    const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: {} };
    const asked = { ...review, spec: { resourceAttributes: { verb: "get", resource: "pods" } } };
    const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    expect(await ask(account, "POST", reviews, asked)).toMatchObject({ status: 201 });
  });

  test("is refused everything else with a reason, even where somebody has made it an administrator", async () => {
    await member.api.create(collectionPath("ClusterRoleBinding"), {
      metadata: { name: "too-much" },
      roleRef: CLUSTER_ADMIN,
      subjects: [{ kind: "ServiceAccount", namespace: SYSTEM, name }],
    });
    await member.api.create(
      collectionPath("ConfigMap", "kube-system"),
      configMap("kube-system", "marked", { labels: labels() }),
    );
    await member.api.create(collectionPath("ConfigMap", "theirs"), configMap("theirs", "ours", { labels: labels() }));
    const foreign = await member.api.get<KubeObject>(objectPath("ConfigMap", "theirs", "foreign"));
    const { uid = "" } = foreign.metadata;
    const controller = { apiVersion: "v1", kind: "ConfigMap", name: "foreign", uid, controller: true };
    await member.api.create(
      collectionPath("ConfigMap", "theirs"),
      configMap("theirs", "controlled", { ownerReferences: [controller] }),
    );
    const anothers = configMap("theirs", "anothers", { labels: labelsOf("another-hub") });
    await member.api.apply(objectPath("ConfigMap", "theirs", "anothers"), anothers, "meridian");
    await eventually(async () => expect((await ask(account, "GET", "/api/v1/nodes")).status).toBe(200));

    for (const [what, method, path, body, says, contentType] of attemptsOf(hubId, name)) {
      const { status, message } = await ask(account, method, path, body, contentType);
      expect({ what, status, message }).toEqual({ what, status: 403, message: expect.stringContaining(says) });
      expect(message).toContain(`ValidatingAdmissionPolicy '${name}'`);
    }
    await member.api.delete(objectPath("ClusterRoleBinding", undefined, "too-much"));
    await member.api.delete(objectPath("ConfigMap", "kube-system", "marked"));
  });

  test("is refused the same by its rights alone", async () => {
    const said = async (method: string, path: string, body?: unknown): Promise<Answer> =>
      ask(account, method, path, body);
    await eventually(async () => expect((await said("GET", collectionPath("ClusterRole"))).status).toBe(403));
    const binding = { metadata: { name: "b" }, roleRef: CLUSTER_ADMIN, subjects: [] };
    for (const answer of [
      await said("POST", collectionPath("ClusterRoleBinding"), binding),
      await said("PUT", objectPath("ConfigMap", "theirs", "ours"), configMap("theirs", "ours", { labels: labels() })),
      await said("DELETE", collectionPath("ConfigMap", "theirs")),
      await said("POST", collectionPath("Pod", "theirs"), { metadata: { name: "p" }, spec: {} }),
    ])
      expect(answer).toMatchObject({ status: 403, message: expect.stringContaining("cannot") });
  });

  test("goes with what bounds it, when the cluster leaves", async () => {
    const guards = ["validatingadmissionpolicies", "validatingadmissionpolicybindings"].map(
      (plural) => `/apis/admissionregistration.k8s.io/v1/${plural}/${name}`,
    );
    for (const path of guards) expect(await member.api.find(path)).toBeDefined();
    await meridianOk(federation.hub, ["unjoin", SHANGHAI, "--drain"]);
    for (const path of guards)
      await eventually(async () => expect(await member.api.find(path)).toBeUndefined(), { message: path });
    const namespace = objectPath("Namespace", undefined, SYSTEM);
    await eventually(async () => expect(await member.api.find(namespace)).toBeUndefined(), { message: namespace });
    await federation.join(federation.member(SHANGHAI));
    for (const path of guards) expect(await member.api.find(path)).toBeDefined();
    await meridianOk(federation.hub, ["unjoin", SHANGHAI, "--member-kubeconfig", member.kubeconfigFile]);
    for (const path of guards) expect(await member.api.find(path)).toBeUndefined();
  });
});

describe("a member that is joined for some namespaces", () => {
  const [GRANTED, OTHER] = ["granted", "other"];
  const bounded = (...flags: string[]) => [
    ...["join", SHANGHAI, "--member-kubeconfig", member.kubeconfigFile],
    ...(flags.includes("--renew") ? [] : ["--region", "cn-shanghai"]),
    ...flags,
  ];
  const app = (namespace: string) => demoApplication("shop").namespace(namespace).replica(1).port(80).object();
  let account: Api;
  let name: string;

  beforeAll(async () => {
    for (const namespace of [GRANTED, OTHER]) {
      const labels = { "pod-security.kubernetes.io/enforce": "baseline" };
      const metadata = { name: namespace, labels };
      await federation.apply({ apiVersion: "v1", kind: "Namespace", metadata } as KubeObject);
      await federation.apply(placement("all").namespace(namespace));
    }
    const system = objectPath("Namespace", undefined, SYSTEM);
    await eventually(
      async () => expect((await member.api.find<KubeObject>(system))?.metadata.deletionTimestamp).toBeUndefined(),
      { message: "the account of before is gone" },
    );
    const { stdout } = await meridianOk(
      federation.hub,
      bounded("--namespaces", GRANTED, "--protected-namespace", "vault"),
    );
    expect(stdout).toContain(`namespace/${GRANTED} created on ${SHANGHAI}`);
    account = await accountOf(federation, SHANGHAI);
    const hubId = (await federation.api.get(objectPath("Namespace", undefined, "kube-system"))).metadata.uid ?? "";
    name = `meridian-${hubId.slice(0, 8)}`;
  });
  afterAll(() => account?.close());

  test("is ready, and says which; the namespace that join made has the hub's labels", async () => {
    const cluster = await federation.api.get<MemberCluster>(objectPath("MemberCluster", undefined, SHANGHAI));
    expect(cluster.spec.namespaces).toEqual([GRANTED]);
    expect(cluster.status).not.toHaveProperty("capacity");
    const made = await member.api.get<KubeObject>(objectPath("Namespace", undefined, GRANTED));
    expect(made.metadata.labels).toMatchObject({ "pod-security.kubernetes.io/enforce": "baseline" });
  });

  test("runs what is in them, and puts right what somebody changes there", async () => {
    await federation.apply(app(GRANTED));
    await federation.untilAvailable(GRANTED, "shop", { [SHANGHAI]: 1 });
    await member.api.delete(objectPath("Service", GRANTED, "shop"));
    await eventually(async () => expect(await member.api.find(objectPath("Service", GRANTED, "shop"))).toBeDefined(), {
      message: "the Service is back",
    });
  });

  test("runs nothing else, and the object says which command grants it", async () => {
    await federation.apply(app(OTHER));
    await eventually(
      async () => {
        const { status } = await federation.application(OTHER, "shop");
        expect(status?.conditions?.find(({ type }) => type === "Scheduled")).toMatchObject({
          reason: "NoClusterFits",
          message: expect.stringContaining(
            `namespace ${OTHER} is not granted; \`meridian join ${SHANGHAI} --renew --namespaces ${GRANTED},${OTHER} --member-kubeconfig FILE\``,
          ),
        });
      },
      { message: "the reason" },
    );
    expect(await member.api.find(objectPath("Namespace", undefined, OTHER))).toBeUndefined();
  });

  test("gives its account nothing beyond them, cluster-wide verbs above all", async () => {
    const marked = { labels: { "federation.paas.cmft.com/managed-by": "x" } };
    const body = (kind: string) => ({ apiVersion: "v1", kind, metadata: { name: "x", ...marked } });
    const merge = "application/merge-patch+json";
    for (const kind of ["Deployment", "Service", "ConfigMap", "Secret"]) {
      for (const path of [collectionPath(kind), collectionPath(kind, "default"), collectionPath(kind, SYSTEM)]) {
        const isOwn = path === collectionPath(kind, SYSTEM);
        // Before it removes itself, the account sees whether anything else is in its own namespace.
        expect({ path, ...(await ask(account, "GET", path)) }).toMatchObject({ path, status: isOwn ? 200 : 403 });
        expect({ path, ...(await ask(account, "GET", `${path}?watch=1&timeoutSeconds=1`)) }).toMatchObject({
          status: 403,
        });
      }
      for (const namespace of ["default", SYSTEM, "kube-system"]) {
        expect(await ask(account, "POST", collectionPath(kind, namespace), body(kind))).toMatchObject({ status: 403 });
        expect(await ask(account, "PATCH", objectPath(kind, namespace, "x"), {}, merge)).toMatchObject({ status: 403 });
        expect(await ask(account, "DELETE", objectPath(kind, namespace, "x"))).toMatchObject({ status: 403 });
        expect(await ask(account, "GET", objectPath(kind, namespace, "x"))).toMatchObject({ status: 403 });
      }
    }
    const namespaces = collectionPath("Namespace");
    expect(await ask(account, "GET", namespaces)).toMatchObject({ status: 403 });
    expect(await ask(account, "GET", `${namespaces}?fieldSelector=metadata.name%3Dkube-system`)).toMatchObject({
      status: 200,
    });
    expect(await ask(account, "POST", namespaces, body("Namespace"))).toMatchObject({ status: 403 });
    expect(await ask(account, "DELETE", objectPath("Namespace", undefined, GRANTED))).toMatchObject({ status: 403 });
    expect(await ask(account, "GET", "/api/v1/nodes")).toMatchObject({ status: 403 });
    expect(await ask(account, "GET", "/api/v1/pods")).toMatchObject({ status: 403 });
    expect(await ask(account, "GET", `/api/v1/namespaces/${GRANTED}/pods`)).toMatchObject({ status: 200 });
    expect(await ask(account, "DELETE", collectionPath("ConfigMap", GRANTED))).toMatchObject({ status: 403 });
  });

  test("takes one more namespace by --renew, and gives it back with what stays named", async () => {
    await meridianOk(federation.hub, bounded("--renew", "--namespaces", `${GRANTED},${OTHER}`));
    await federation.untilAvailable(OTHER, "shop", { [SHANGHAI]: 1 });
    const { stderr } = await meridianOk(federation.hub, bounded("--renew", "--namespaces", GRANTED));
    expect(stderr).toContain(`2 objects in namespace ${OTHER} stay as they are, out of Meridian's reach`);
    await eventually(
      async () => {
        const { status } = await federation.application(OTHER, "shop");
        expect(status?.clusters).toMatchObject([{ name: SHANGHAI, state: "Held" }]);
      },
      { message: "held" },
    );
    expect(await member.api.find(`/apis/${RBAC}/v1/namespaces/${OTHER}/roles/${name}`)).toBeUndefined();
    await meridianOk(federation.hub, bounded("--renew", "--namespaces", `${GRANTED},${OTHER}`));
    await federation.untilAvailable(OTHER, "shop", { [SHANGHAI]: 1 });
  });

  test("gets rights on one more kind by --kinds, in its namespaces alone, and keeps them when it is renewed", async () => {
    const prefix = "/apis/networking.k8s.io/v1/namespaces";
    const backend = { service: { name: "shop", port: { number: 80 } } };
    const hubId = (await federation.api.get(objectPath("Namespace", undefined, "kube-system"))).metadata.uid ?? "";
    const ingress = {
      metadata: { name: "shop", labels: { "federation.paas.cmft.com/managed-by": hubId } },
      spec: { defaultBackend: backend },
    };
    const made = (namespace: string) => ask(account, "POST", `${prefix}/${namespace}/ingresses?dryRun=All`, ingress);
    expect(await made(GRANTED)).toMatchObject({ status: 403 });
    await meridianOk(federation.hub, bounded("--renew", "--kinds", "Ingress"));
    await meridianOk(federation.hub, bounded("--renew"));
    await eventually(async () => expect(await made(GRANTED)).toMatchObject({ status: 201 }), { message: "the right" });
    expect(await made("default")).toMatchObject({ status: 403 });
    const role = await member.api.get<KubeObject>(`/apis/${RBAC}/v1/clusterroles/${name}`);
    expect(role.metadata.annotations?.["federation.paas.cmft.com/kinds"]).toBe("ingresses.networking.k8s.io");
    const guard = await member.api.get(`/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/${name}`);
    expect(JSON.stringify(guard)).toContain("vault");

    const refused = await meridian(federation.hub, bounded("--renew", "--kinds", "ClusterRole"));
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`--kinds clusterroles.${RBAC} needs rights in the whole cluster`);
    const warned = await meridianOk(federation.hub, bounded("--renew", "--kinds", "Role"));
    expect(warned.stderr).toContain(`roles.${RBAC}: whoever may place these on the hub can become administrator`);
    const roles = {
      metadata: { ...ingress.metadata },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["*"] }],
    };
    const path = `/apis/${RBAC}/v1/namespaces/${GRANTED}/roles?dryRun=All`;
    await eventually(async () => expect(await ask(account, "POST", path, roles)).toMatchObject({ status: 201 }), {
      message: "the right to give rights",
    });
  });

  test("lets go of what is deleted, and leaves clean", async () => {
    await federation.remove(app(OTHER));
    expect(await member.api.find(objectPath("Deployment", OTHER, "shop"))).toBeUndefined();
    const { stdout } = await meridianOk(federation.hub, ["unjoin", SHANGHAI]);
    expect(stdout).toContain(`namespaces ${GRANTED}, ${OTHER} stay on ${SHANGHAI}`);
    const left = await member.api.get<KubeObject>(objectPath("Deployment", GRANTED, "shop"));
    expect(JSON.stringify([left.metadata.labels, left.metadata.annotations])).not.toContain("federation.paas.cmft.com");
    const gone = [
      `/apis/${RBAC}/v1/clusterroles/${name}`,
      ...[GRANTED, OTHER].map((namespace) => `/apis/${RBAC}/v1/namespaces/${namespace}/roles/${name}`),
      ...[GRANTED, OTHER].map((namespace) => `/apis/${RBAC}/v1/namespaces/${namespace}/rolebindings/${name}`),
      objectPath("Namespace", undefined, SYSTEM),
    ];
    for (const path of gone)
      await eventually(async () => expect(await member.api.find(path)).toBeUndefined(), { message: path });
  });
});

test("join says where a member cannot bound the account", async () => {
  await using fleet = await startSandboxFleet({ members: [{ name: "old-1", region: "x" }] });
  await meridianOk(fleet.hub, ["install"]);
  const { kubeconfigFile } = fleet.member("old-1").plane;
  const join = ["join", "old-1", "--member-kubeconfig", kubeconfigFile, "--region", "x"];
  const { stderr } = await meridianOk(fleet.hub, join);
  expect(stderr).toContain("old-1: the cluster serves no ValidatingAdmissionPolicy (Kubernetes 1.30 does)");
});
