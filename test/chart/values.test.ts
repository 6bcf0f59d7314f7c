import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CHART, chartFile, refusal } from "./chart.ts";
import { valuesTable } from "./values.ts";

describe("values are refused", () => {
  test.each<{ set: string; says: string }>([
    { set: "replica=3", says: "additional properties 'replica' not allowed" },
    { set: "image.name=meridian", says: "additional properties 'name' not allowed" },
    { set: "replicas=two", says: "/replicas': got string, want integer" },
    { set: "controllerClass=V2", says: "/controllerClass': 'V2' does not match pattern" },
    { set: "crds.keep=maybe", says: "/crds/keep': got string, want boolean" },
    { set: "rbac.secrets.mode=Some", says: "value must be one of 'Listed', 'All', 'None'" },
    {
      set: "image.repository=",
      says: "image.repository is empty: these sources come without an image. Build and push one",
    },
    { set: "image.digest=latest", says: "does not match pattern" },
    { set: "terminationGracePeriodSeconds=5", says: "minimum: got 5, want 10" },
    { set: "metrics.port=80", says: "minimum: got 80, want 1,024" },
    { set: "leaderElection.enabled=false", says: "allows one manager only" },
    { set: "leaderElection.renewDeadlineSeconds=15", says: "leaseDurationSeconds must be greater" },
    { set: `image.tag=v1,image.digest=sha256:${"a".repeat(64)}`, says: "remove the tag" },
    { set: "rbac.secrets.mode=All,rbac.secrets.namespaces={shop}", says: "and the mode is All" },
    { set: "serviceAccount.create=false", says: "needs serviceAccount.name" },
    { set: "rbac.create=false,localMember.enabled=true", says: "only adds rights" },
    { set: "webhooks.certificates.issuerRef.name=x", says: "counts only with webhooks.certificates.mode=CertManager" },
    { set: "webhooks.enabled=false,webhooks.certificates.mode=CertManager", says: "has nothing to certify" },
    { set: "webhooks.port=8383", says: "are the same" },
    { set: "queries.port=9443", says: "queries.port is 9443, as metrics.port or webhooks.port is" },
    { set: "queries.enabled=false,queries.members.enabled=true", says: "needs queries.enabled" },
    { set: "queries.apiService.enabled=true", says: "since cert-manager keeps its CA bundle" },
    { set: "serviceMonitor.enabled=true,metrics.service.enabled=false", says: "needs metrics.service.enabled=true" },
    { set: "autoscaling.enabled=true,autoscaling.minReplicas=7", says: "greater than autoscaling.maxReplicas" },
    {
      set: "podDisruptionBudget.minAvailable=1,podDisruptionBudget.maxUnavailable=1",
      says: "exclude each other: set one",
    },
    { set: "rollout.prometheus.secretName=p", says: "the Prometheus of rollout.prometheus.url, which is empty" },
    { set: "tracing.otlpEndpoint=http://c:99999", says: "http://c:99999 has the port 99999: ports go from 1 to 65535" },
    { set: "extraArgs={--otlp-endpoint=http://c:0}", says: "http://c:0 has the port 0" },
    { set: "rollout.prometheus.secretKeys={ca.crt}", says: "needs rollout.prometheus.url" },
    {
      set: "rollout.prometheus.url=http://p,rollout.prometheus.secretName=p,rollout.prometheus.secretKeys={token}",
      says: "never sent in the clear",
    },
    { set: "podDisruptionBudget.minAvailable=2", says: "would let no node be drained" },
    { set: "podDisruptionBudget.minAvailable=150%", says: "minAvailable=150% would let no node be drained" },
    { set: "extraArgs={--metrics-port=9999}", says: "extraArgs sets --metrics-port, which" },
    { set: "extraArgs={--lease-name,x}", says: "do not follow: set leaderElection.leaseName" },
    ...["1m", "31s", "30001ms", "1h"].map((interval) => ({
      set: `serviceMonitor.enabled=true,prometheusRule.enabled=true,serviceMonitor.interval=${interval}`,
      says: `serviceMonitor.interval=${interval} is too long for prometheusRule.enabled=true`,
    })),
  ])("$set", async ({ set, says }) => {
    expect(await refusal(["--set", set])).toContain(says);
  });

  test("all contradictions are told at once", async () => {
    const said = await refusal(["--set", "serviceAccount.create=false,webhooks.port=8383"]);
    expect(said).toContain("needs serviceAccount.name");
    expect(said).toContain("are the same");
  });
});

test("the table of the values is the generated one", async () => {
  const values = await readFile(join(CHART, "values.yaml"), "utf8");
  expect(await readFile(join(CHART, "REFERENCE.md"), "utf8")).toContain(valuesTable(values));
});

test("the schema knows every value and the values know every field of the schema", async () => {
  interface Schema {
    type?: string;
    properties?: Record<string, Schema>;
  }
  const schema = JSON.parse(await readFile(join(CHART, "values.schema.json"), "utf8")) as Schema;
  const compare = (value: unknown, of: Schema, path: string): void => {
    if (of.properties === undefined || Object.keys(value as object).length === 0) return;
    const known = Object.keys(of.properties).filter((key) => key !== "global" && key !== "claims");
    expect(known.sort(), path).toEqual(Object.keys(value as object).sort());
    for (const key of known) {
      compare((value as Record<string, unknown>)[key], of.properties[key] ?? {}, `${path}.${key}`);
    }
  };
  compare(await chartFile("values.yaml"), schema, "values");
});
