import { expect } from "vitest";
import { type KubeObject, TRACEPARENT_ANNOTATION } from "../../src/apis/index.ts";
import { parsePrometheusText, valuesBy } from "../../src/observability/testing/prometheusText.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { eventually, run } from "../envtest/index.ts";
import type { OtlpRecorder, RecordedSpan } from "../envtest/otlpRecorder.ts";
import { promtoolHere } from "../envtest/promtool.ts";
import type { Federation } from "./federation.ts";

/** The trace of whoever sends the request. */
const CALLER = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };

/**
 * Makes an application that runs on these members, in the trace of a caller, and reads what the collector and the log have of it. The manager sends
 * every span, UpdateStatus too.
 */
export async function expectOneTrace(
  federation: Federation,
  collector: OtlpRecorder,
  members: readonly string[],
): Promise<void> {
  const namespace = await federation.namespace();
  await federation.apply(placement("all").namespace(namespace));
  const shop = demoApplication("shop").namespace(namespace).port(80).object();
  const annotations = { [TRACEPARENT_ANNOTATION]: `00-${CALLER.traceId}-${CALLER.spanId}-01` };
  const traced: KubeObject = { ...shop, metadata: { ...shop.metadata, annotations } };
  await federation.apply(traced);
  await federation.untilAvailable(namespace, "shop", Object.fromEntries(members.map((name) => [name, 1])));

  const spans = (): RecordedSpan[] => collector.spans.filter(({ traceId }) => traceId === CALLER.traceId);
  // Spans leave the process every two seconds.
  await eventually(async () => expect(spans().map(({ name }) => name)).toContain("UpdateStatus"));
  expect(collector.refused).toEqual([]);
  const [planned, ...more] = spans().filter(({ parentSpanId }) => parentSpanId === CALLER.spanId);
  if (planned === undefined) throw new Error("no span goes on with the caller's trace");
  expect(more).toEqual([]);
  expect(planned).toMatchObject({ name: "Reconcile", attributes: { "reconcile.request": `${namespace}/shop` } });
  const syncs = members.flatMap((name) => [`SyncDeployment ${name} created`, `SyncService ${name} created`]);
  expect([...new Set(collector.beneath(planned).map(textOf))].sort()).toEqual(
    ["ComputeTarget", "Reconcile", ...syncs].sort(),
  );
  for (const { name, attributes } of spans())
    if (name === "UpdateStatus") expect(attributes["http.status_code"]).toBe(200);

  // A quiet manager writes its log every second.
  await eventually(async () => {
    const lines = (await federation.manager.log())
      .split("\n")
      .filter((line) => line.includes(`DemoApplication/${namespace}/shop`))
      .map((line) => JSON.parse(line) as { msg: string; trace_id: string });
    for (const step of ["changed:", "planned:", "applied:", "status written:"]) {
      const said = lines.filter(({ msg }) => msg.startsWith(step)).map((line) => line.trace_id);
      expect(said, step).toContain(CALLER.traceId);
    }
  });
}

/** Reads `/metrics` as Prometheus does, and where promtool is here has it check them. So many Deployments at least are as they are to be. */
export async function expectReadableMetrics(federation: Federation, deployments: number): Promise<void> {
  const text = await federation.manager.metricsText();
  const promtool = await promtoolHere();
  if (promtool !== undefined) {
    const { code, stdout, stderr } = await run(promtool, ["check", "metrics"], { stdin: text });
    expect(code, stdout + stderr).toBe(0);
  }
  const families = parsePrometheusText(text);
  const sync = valuesBy(families, "operator_sync_status", "status", { resource: "Deployment" });
  expect(Object.keys(sync).sort()).toEqual(["out-of-sync", "up-to-date"]);
  expect(sync["up-to-date"]).toBeGreaterThanOrEqual(deployments);
  const outcomes = valuesBy(families, "operator_reconcile_total", "type", { name: "placement" });
  expect(outcomes["success"]).toBeGreaterThan(0);
  // No series names an object: there are hundreds of these.
  for (const { name, samples } of families.values()) expect(samples.length, name).toBeLessThan(500);
}

function textOf({ name, attributes }: RecordedSpan): string {
  return name.startsWith("Sync") ? [name, attributes["cluster"], attributes["sync.result"]].join(" ") : name;
}
