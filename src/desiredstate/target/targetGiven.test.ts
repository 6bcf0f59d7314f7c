import { describe, expect, test } from "vitest";
import { bundle, operator, serviceAccount } from "../../../test/builders/index.ts";
import type { KubeObject } from "../../apis/index.ts";
import { app, placement, running, shanghai, targetOf } from "../testing/builders.ts";
import type { Target } from "../types.ts";

/** What a snapshot may hold already, so that nobody finds it out twice. */

const configMap = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data: { a: "1" },
});
const keyOf = (name: string): string => `/ConfigMap/default/${name}`;
const reading = (name: string): KubeObject => app({ envFrom: [{ configMapRef: { name } }] });
const kindsOn = ({ clusters }: Target): string[] =>
  (clusters[0]?.objects ?? []).map(({ ref }) => `${ref.kind}/${ref.name}`);

describe("what is known already counts", () => {
  test("which policy was chosen, and which it goes before", () => {
    const choice = {
      placement: placement("given", { deletionPolicy: "Orphan" }),
      passedOver: [{ placement: placement("weaker"), because: "it says so" }],
    };
    const target = targetOf({ choice, placements: [placement("other", { priority: 9 })] });
    expect(target.placement?.name).toBe("given");
    expect(target.deletionPolicy).toBe("Orphan");
    expect(target.passedOver).toEqual([
      { policy: { kind: "Placement", namespace: "default", name: "weaker" }, because: "it says so" },
    ]);
    expect(
      targetOf({ choice: { placement: undefined, passedOver: [] }, placements: [placement("p")] }).clusters,
    ).toEqual([]);
  });

  test("what the object needs", () => {
    const given = { object: reading("a"), placements: [placement("p")], clusters: [shanghai] };
    const dependencies = new Map(["a", "b"].map((name) => [keyOf(name), configMap(name)]));
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "b" };
    const needs = { dependencies: [{ ref, optional: false, readByPods: true }] };
    expect(kindsOn(targetOf({ ...given, dependencies }))[0]).toBe("ConfigMap/a");
    expect(kindsOn(targetOf({ ...given, dependencies, needs }))[0]).toBe("ConfigMap/b");
    expect([...targetOf({ ...given, needs }).missing]).toEqual([keyOf("b")]);
    expect([...targetOf({ ...given, needs: { dependencies: [] } }).missing]).toEqual([]);
  });
});

describe("the APIs that a cluster has to serve", () => {
  const serving = { ...shanghai, apis: new Set(["v1"]) };
  const steps = (more: Parameters<typeof targetOf>[0]): string[] | undefined =>
    targetOf({ placements: [placement("p")], clusters: [serving], ...more }).decision.verdicts[0]?.steps.flatMap(
      ({ name, message }) => (name === "ApiEnablement" ? [message] : []),
    );

  test("are those of what is made of the object", () => {
    expect(steps({})).toEqual(["the cluster does not serve apps/v1; the object is applied as soon as it does"]);
  });
});

describe("the replicas of a cluster", () => {
  const replicasOf = ({ clusters }: Target): (number | undefined)[] => clusters.map(({ replicas }) => replicas);

  test("are none of a bundle, whatever workloads it holds", () => {
    const selector = { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ManifestBundle" };
    const object = bundle("op", [serviceAccount("op"), operator("op")], { uid: "b" });
    const target = targetOf({ object, placements: [placement("p", { resourceSelectors: [selector] })] });
    expect(kindsOn(target)).toEqual(["ServiceAccount/op", "Deployment/op"]);
    expect(target.clusters[0]).not.toHaveProperty("replicas");
  });

  test("that stays as it is are what was asked for last, or else what the object says", () => {
    const placements = [placement("p", { suspend: true })];
    expect(replicasOf(targetOf({ placements, previous: running(["shanghai-1"]) }))).toEqual([7]);
    expect(replicasOf(targetOf({ placements, previous: { unlistedClusters: ["shanghai-1"] } }))).toEqual([2]);
  });
});
