import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import { bundle, clusterPlacement } from "../builders/index.ts";
import {
  type ControlPlane,
  eventually,
  FakeKubelet,
  kubectl,
  meridian,
  meridianOk,
  startControlPlane,
} from "../envtest/index.ts";
import { CHART, find, NAMESPACE, podsOf, render, type Rendered, valueSets } from "./chart.ts";
import { FOREIGN_CRDS } from "./foreignCrds.ts";

const sets = await valueSets();
let hub: ControlPlane;
let folder: AsyncDisposable & { path: string };

beforeAll(async () => {
  folder = await temporaryFolder("meridian-chart-");
  const audit = [
    `--audit-policy-file=${join(CHART, "files/audit-policy.yaml")}`,
    `--audit-log-path=${auditLog()}`,
    "--audit-log-mode=blocking",
  ];
  hub = await startControlPlane({ name: "hub", apiserverArgs: audit });
  await kubectl(hub, ["create", "namespace", NAMESPACE]);
  await kubectl(hub, ["apply", "--server-side", "-f", "-"], { stdin: yaml(FOREIGN_CRDS) });
  for (const crd of FOREIGN_CRDS) {
    await kubectl(hub, ["wait", "--for=condition=Established", "--timeout=30s", `crd/${crd.metadata.name}`]);
  }
  const enforce = "pod-security.kubernetes.io/enforce=restricted";
  await kubectl(hub, ["label", "namespace", NAMESPACE, enforce]);
});

afterAll(async () => {
  await hub?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

function auditLog(): string {
  return join(folder.path, "audit.log");
}

function yaml(objects: readonly object[]): string {
  return objects.map((object) => stringify(object)).join("---\n");
}

function dryRun(objects: readonly object[]): Promise<string> {
  const args = ["apply", "--dry-run=server", "--validate=strict", "--request-timeout=60s", "-f", "-"];
  return kubectl(hub, args, { stdin: yaml(objects) });
}

describe.each([...sets])("values %s", (_, file) => {
  let objects: Rendered[];
  beforeAll(async () => {
    objects = await render(["--values", file]);
  });

  test("a real API server takes every object, to the last field", async () => {
    const answered = await dryRun(objects);
    expect(answered.trim().split("\n")).toHaveLength(objects.length);
  });

  test("the restricted pod-security profile takes every pod", async () => {
    // What admission wants to find beside a pod.
    const around = objects.filter(({ kind }) => kind === "PriorityClass" || kind === "ServiceAccount");
    const accounts = [...podsOf(objects).values()].flatMap(({ spec }) => spec.serviceAccountName ?? []);
    const missing = accounts.map((name) => ({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name, namespace: NAMESPACE },
    }));
    await kubectl(hub, ["apply", "-f", "-"], { stdin: yaml([...around, ...missing]) });
    for (const { metadata, spec } of podsOf(objects).values()) {
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { ...metadata, name: "tried", namespace: NAMESPACE },
        spec,
      };
      expect(await dryRun([pod])).toContain("pod/tried created");
    }
  });
});

test("what these tests take for granted holds: a misspelled field and an unrestricted pod are refused", async () => {
  const objects = await render();
  const deployment = find(objects, "Deployment");
  const misspelled = { ...deployment, spec: { ...deployment.spec, replica: 2 } };
  await expect(dryRun([misspelled])).rejects.toThrow(/unknown field "spec.replica"/);
  const [template] = podsOf([deployment]).values();
  if (template === undefined) throw new Error("no pod");
  const spec = { ...template.spec, securityContext: {} };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "tried", namespace: NAMESPACE }, spec };
  await eventually(() => expect(dryRun([pod])).rejects.toThrow(/violates PodSecurity "restricted/), {
    timeout: 10_000,
  });
});

describe("install --manager", () => {
  const IMAGE = "registry.example.com/platform/meridian:0.1.0";
  const place = ["-n", NAMESPACE];
  let kubelet: FakeKubelet;

  beforeAll(() => {
    kubelet = new FakeKubelet(hub);
    kubelet.failImages(/missing/);
  });
  afterAll(async () => kubelet?.[Symbol.asyncDispose]());

  const install = (image: string, ...more: string[]) =>
    meridian(hub, ["install", "--manager", "--image", image, "--webhooks", ...more]);
  const managers = (path: string) =>
    kubectl(hub, ["get", "deployment", "meridian-manager", ...place, "-o", `jsonpath={${path}}`]);

  test("is refused beside the managers of a Helm release, before anything is written", async () => {
    const labels = { "app.kubernetes.io/part-of": "meridian", "app.kubernetes.io/managed-by": "Helm" };
    const annotations = { "meta.helm.sh/release-name": "fed", "meta.helm.sh/release-namespace": NAMESPACE };
    const made = [
      "create",
      "deployment",
      "fed",
      "--image=x",
      "--replicas=0",
      ...place,
      "--dry-run=client",
      "-o",
      "json",
    ];
    const deployment = JSON.parse(await kubectl(hub, made)) as Rendered;
    const stdin = JSON.stringify({ ...deployment, metadata: { ...deployment.metadata, labels, annotations } });
    await kubectl(hub, ["create", "-f", "-"], { stdin });
    const { code, stdout, stderr } = await install(IMAGE);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("the Helm release fed in namespace meridian-system runs managers on this hub already");
    expect(stderr).toContain("helm uninstall fed -n meridian-system");
    await kubectl(hub, ["delete", "deployment", "fed", ...place]);
  });

  test("brings managers that the restricted profile takes, and waits until they are ready", async () => {
    const { stdout, stderr } = await meridianOk(hub, ["install", "--manager", "--image", IMAGE, "--webhooks"]);
    expect(stdout).toContain(`deployment/meridian-manager in namespace ${NAMESPACE} created\n`);
    expect(stderr).toContain("The managers run in namespace meridian-system. Next: `meridian join");
    expect(await managers(".status.readyReplicas")).toBe("2");
    const again = await meridianOk(hub, ["install", "--manager", "--image", IMAGE, "--webhooks"]);
    const lines = again.stdout.trim().split("\n");
    expect(lines.filter((line) => !line.endsWith(" unchanged"))).toEqual([]);
  });

  test("says what holds the managers up when the time is over, and goes on with another image", async () => {
    const { code, stderr } = await install("registry.example.com/missing:1", "--timeout", "5s");
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /the managers are not ready in time: pod meridian-manager-\S+: \S*Image\S* .*kubectl -n meridian-system describe pods -l /,
    );
    await meridianOk(hub, ["install", "--manager", "--image", IMAGE, "--webhooks"]);
    expect(await managers(".spec.template.spec.containers[0].image")).toBe(IMAGE);
  });

  test("the audit policy has the API server record who touched credentials, checks and policies, and never what is in a Secret", async () => {
    const secret = (name: string, namespace: string) => [
      ...["create", "secret", "generic", name, "-n", namespace, "--from-literal=kubeconfig=not-for-the-log"],
    ];
    await kubectl(hub, secret("kubeconfig-of-a-member", NAMESPACE));
    await kubectl(hub, ["get", "secret", "kubeconfig-of-a-member", ...place]);
    await kubectl(hub, ["create", "token", "meridian-manager", ...place]);
    await kubectl(hub, secret("somebodys", "default"));
    await kubectl(hub, ["create", "configmap", "somebodys", "--from-literal=a=b"]);
    const configuration = { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration" };
    const carried = { apiVersion: "v1", kind: "Secret", metadata: { name: "carried" } };
    const objects = [
      { ...configuration, metadata: { name: "tried" } },
      clusterPlacement("tried").object(),
      bundle("tried", [{ ...carried, stringData: { kubeconfig: "not-for-the-log" } }]),
    ];
    await kubectl(hub, ["create", "-f", "-"], { stdin: yaml(objects) });
    await kubectl(hub, ["get", "clusterplacement", "tried"]);
    await kubectl(hub, ["delete", "clusterplacement/tried", "validatingwebhookconfiguration/tried"]);
    await kubectl(hub, ["delete", "manifestbundle/tried"]);

    interface AuditEvent {
      level: string;
      verb: string;
      user: { username: string };
      objectRef?: { resource: string; subresource?: string; name?: string; namespace?: string };
      requestObject?: unknown;
    }
    const text = await readFile(auditLog(), "utf8");
    const events = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as AuditEvent);
    const seen = events
      .filter(({ user, objectRef }) => user.username === "admin" && objectRef !== undefined)
      .map(({ level, verb, objectRef: { resource, subresource, name } = { resource: "" } }) =>
        [level, verb, [resource, subresource].filter((part) => part !== undefined).join("/"), name].join(" "),
      );
    expect(seen).toEqual(
      expect.arrayContaining([
        "Metadata create secrets kubeconfig-of-a-member",
        "Metadata get secrets kubeconfig-of-a-member",
        "Metadata create serviceaccounts/token meridian-manager",
        "RequestResponse create validatingwebhookconfigurations tried",
        "RequestResponse delete validatingwebhookconfigurations tried",
        "RequestResponse create clusterplacements tried",
        "RequestResponse delete clusterplacements tried",
        "Metadata create manifestbundles tried",
        "RequestResponse patch clusterroles meridian-manager-meridian-system",
      ]),
    );
    expect(seen.filter((line) => /somebodys|get clusterplacements|configmaps/.test(line))).toEqual([]);
    const created = events.find(
      ({ verb, objectRef }) => verb === "create" && objectRef?.resource === "clusterplacements",
    );
    expect(created?.requestObject).toMatchObject({ kind: "ClusterPlacement", spec: expect.anything() as unknown });
    for (const form of ["not-for-the-log", Buffer.from("not-for-the-log").toString("base64")]) {
      expect(text).not.toContain(form);
    }
    await kubectl(hub, ["delete", "secret", "kubeconfig-of-a-member", ...place]);
  });

  test("uninstall takes the managers away with everything else", async () => {
    const { stdout } = await meridianOk(hub, ["uninstall", "--yes"]);
    expect(stdout).toContain("deployment meridian-system/meridian-manager removed\n");
    expect(stdout).toContain("Meridian was removed from this hub\n");
    const kinds = "deployments,services,networkpolicies,poddisruptionbudgets,priorityclasses,clusterroles,crds";
    const labelled = ["-l", "app.kubernetes.io/managed-by=meridian-install", "-o", "name"];
    expect(await kubectl(hub, ["get", kinds, "--all-namespaces", ...labelled])).toBe("");
  });
});
