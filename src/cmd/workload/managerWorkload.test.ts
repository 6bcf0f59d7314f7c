import { describe, expect, test } from "vitest";
import { isInstalled } from "./managerAccess.ts";
import { MANAGER_SELECTOR, workloadObjects } from "./managerWorkload.ts";

const access = { namespace: "fed", leaseName: "lease", webhookConfiguration: "hooks" };
const workload = { image: "r.example.com/meridian:1", imagePullSecrets: ["pull"], replicas: 2 };

function kinds(objects: readonly { kind: string }[]): string[] {
  return objects.map(({ kind }) => kind);
}

describe("the managers that install runs", () => {
  const objects = workloadObjects(access, workload);
  const deployment = objects.at(-1);
  const text = JSON.stringify(deployment);

  test("come after everything that their pods need, and all of it is install's own", () => {
    expect(deployment?.kind).toBe("Deployment");
    for (const object of objects) expect(isInstalled(object), object.kind).toBe(true);
  });

  test("are told of namespace, Lease and webhooks", () => {
    for (const flag of [
      "--namespace=fed",
      "--lease-name=lease",
      "--webhook-service=fed/meridian-manager-webhook",
      "--webhook-configuration=hooks",
    ]) {
      expect(text).toContain(flag);
    }
  });

  test("have a Service and a port for webhooks only where they serve some", () => {
    const { webhookConfiguration: _, ...without } = access;
    const plain = workloadObjects(without, workload);
    expect(kinds(objects).filter((kind) => kind === "Service")).toHaveLength(2);
    expect(kinds(plain).filter((kind) => kind === "Service")).toHaveLength(1);
    expect(JSON.stringify(plain)).not.toContain("webhook");
  });

  test("have no disruption budget when there is only one: no node could be drained", () => {
    expect(kinds(objects)).toContain("PodDisruptionBudget");
    expect(kinds(workloadObjects(access, { ...workload, replicas: 1 }))).not.toContain("PodDisruptionBudget");
  });

  test("are found by their selector", () => {
    const { spec } = deployment as unknown as { spec: { selector: { matchLabels: Record<string, string> } } };
    const labels = Object.entries(spec.selector.matchLabels).map(([key, value]) => `${key}=${value}`);
    expect(MANAGER_SELECTOR.split(",").toSorted()).toEqual(labels.toSorted());
  });
});
