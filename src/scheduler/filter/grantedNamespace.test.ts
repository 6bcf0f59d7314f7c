import { describe, expect, test } from "vitest";
import { schedule } from "../schedule.ts";
import { chosen, cluster, NOW, placement, reasons, subject } from "../testing.ts";

const clusters = [
  cluster("everywhere"),
  cluster("for-bank", { namespaces: ["bank"] }),
  cluster("for-shop", { namespaces: ["bank", "shop"] }),
];

describe("clusters that were joined for some namespaces", () => {
  test("take the objects of these alone", () => {
    const decision = schedule(subject({ namespace: "shop" }), placement(), clusters, NOW);
    expect(chosen(decision)).toEqual(["everywhere", "for-shop"]);
    expect(reasons(decision)).toMatchObject({ "for-bank": "NamespaceNotGranted" });
    expect(decision.verdicts.find((verdict) => verdict.cluster === "for-bank")?.message).toBe(
      "namespace shop is not granted: `meridian join for-bank --renew --namespaces bank,shop --member-kubeconfig FILE`",
    );
  });

  test("take no cluster-scoped object", () => {
    expect(chosen(schedule(subject(), placement(), clusters, NOW))).toEqual(["everywhere"]);
  });

  test("lose what runs there when the namespace is granted no more", () => {
    const current = new Map([["for-bank", 2]]);
    expect(chosen(schedule(subject({ namespace: "shop", current }), placement(), clusters, NOW))).toEqual([
      "everywhere",
      "for-shop",
    ]);
  });

  test("say of a cluster that is left out by its name that it is left out, before anything else", () => {
    const group = { name: "all", exclude: ["for-bank"] };
    const rules = placement({ clusterAffinities: [group] });
    expect(reasons(schedule(subject({ namespace: "shop" }), rules, clusters, NOW))["for-bank"]).toBe("Excluded");
  });
});
