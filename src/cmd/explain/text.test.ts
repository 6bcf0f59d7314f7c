import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { Explanation } from "../../desiredstate/index.ts";
import { explanationText } from "./text.ts";

async function explanation(): Promise<Explanation> {
  const text = await readFile(new URL("testdata/explanation.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { explanations: [Explanation] }).explanations[0];
}

describe("an explanation reads", () => {
  test.each([
    { name: "short", options: { wide: false } },
    { name: "wide", options: { wide: true } },
    { name: "oneCluster", options: { wide: false, cluster: "frankfurt-1" } },
  ])("as in $name.golden.txt", async ({ name, options }) => {
    const text = explanationText(await explanation(), { ...options, color: false });
    await expect(text).toMatchFileSnapshot(`testdata/${name}.golden.txt`);
  });

  test("with the last word where several overrides set one field, and without values that may not be shown", async () => {
    const one = await explanation();
    const policy = { kind: "OverridePolicy", namespace: "default", name: "late" };
    const fields = [
      { path: "replicas", value: 3, overriddenBy: policy },
      { kind: "Secret", path: "data.password", masked: true as const },
      { kind: "Service", path: "spec.type" },
    ];
    const overrides = [
      { policy: { kind: "ClusterOverridePolicy", name: "early" }, rule: 0, fields },
      { policy, rule: 2, fields: [], problem: "patch 0 on Service: there is no /spec/typo" },
      { policy, rule: 3, fields: [] },
    ];
    const clusters = one.clusters.map((cluster) => ({ ...cluster, steps: [], remedies: [], overrides }));
    const text = explanationText({ ...one, clusters }, { wide: false, color: false, cluster: "shanghai-1" });
    expect(text.slice(text.lastIndexOf("shanghai-1\n"))).toBe(`shanghai-1
  ClusterOverridePolicy early, rule 0:
    replicas: 3, and OverridePolicy default/late has the last word
    Secret data.password: (not shown)
    Service spec.type: removed
  OverridePolicy default/late, rule 2: cannot be applied: patch 0 on Service: there is no /spec/typo
  OverridePolicy default/late, rule 3: changes nothing
`);
  });

  test("with the deletion first, where the object is being deleted", async () => {
    const deletion = { since: "2026-11-22T10:00:00Z", message: "waits for a since then: held" };
    const text = explanationText({ ...(await explanation()), deletion }, { wide: false, color: false });
    expect(text).toMatch(
      /^[^\n]+\nDeleted {6}since 2026-11-22T10:00:00Z, waits for a since then: held\nScheduled {4}yes/,
    );
  });

  test("with how the object fares there apart from why the cluster was chosen", async () => {
    const one = await explanation();
    const health = { reason: "ImagePullBackOff", message: "no such image", since: "2026-11-22T10:00:00Z" };
    const clusters = one.clusters.slice(0, 1).map((cluster) => ({ ...cluster, state: "Degraded" as const, health }));
    const text = explanationText({ ...one, clusters }, { wide: false, color: false });
    expect(text).toMatch(/ REASON +MESSAGE +NOW +HEALTH\n/);
    const { reason } = one.clusters[0] ?? {};
    expect(text).toMatch(
      new RegExp(` ${reason} .* Degraded +ImagePullBackOff: no such image \\(since 2026-11-22T10:00:00Z\\)\n`),
    );
  });

  test("of an object that is being deleted, only with the clusters where it still is", async () => {
    const one = await explanation();
    const deletion = { since: "2026-11-22T10:00:00Z", message: "waits" };
    const clusters = one.clusters.map((cluster, index) => {
      const { state: _state, ...rest } = cluster;
      return index === 0 ? { ...rest, state: "Removing" as const } : rest;
    });
    const text = explanationText({ ...one, deletion, clusters }, { wide: false, color: false });
    expect(text).toContain(clusters[0]?.name);
    for (const { name } of clusters.slice(1)) expect(text).not.toMatch(new RegExp(`^${name} `, "m"));
  });
});

test("an explanation says what runs where that is not what is wanted, and of each cluster", async () => {
  const one = await explanation();
  const runs = { image: "nginx:1", wanted: { image: "nginx:2" } };
  const clusters = one.clusters.map((cluster, index) => (index === 0 ? { ...cluster, runs } : cluster));
  const sentence = "nginx:2 wanted, nginx:1 runs on 1 of 3: rolled back";
  const text = explanationText({ ...one, runs: sentence, clusters }, { wide: false, color: false });
  expect(text).toContain(`Runs         ${sentence}\n`);
  expect(text).toMatch(new RegExp(`RUNS(.|\\n)*${one.clusters[0]?.name ?? ""} .*nginx:1, wanted: nginx:2`));
  expect(explanationText(one, { wide: true, color: false })).not.toContain("RUNS");
});
