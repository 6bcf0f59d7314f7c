import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { type ControlPlane, eventually, kubectl, startControlPlane } from "../envtest/index.ts";
import { find, NAMESPACE, podsOf, render, type Rendered, valueSets } from "./chart.ts";
import { FOREIGN_CRDS } from "./foreignCrds.ts";

const sets = await valueSets();
let hub: ControlPlane;

beforeAll(async () => {
  hub = await startControlPlane({ name: "hub" });
  await kubectl(hub, ["create", "namespace", NAMESPACE]);
  await kubectl(hub, ["apply", "--server-side", "-f", "-"], { stdin: yaml(FOREIGN_CRDS) });
  for (const crd of FOREIGN_CRDS) {
    await kubectl(hub, ["wait", "--for=condition=Established", "--timeout=30s", `crd/${crd.metadata.name}`]);
  }
  const enforce = "pod-security.kubernetes.io/enforce=restricted";
  await kubectl(hub, ["label", "namespace", NAMESPACE, enforce]);
});

afterAll(async () => hub[Symbol.asyncDispose]());

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
