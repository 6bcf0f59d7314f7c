import { expect, test } from "vitest";
import { buildReport } from "../../../src/cmd/view/statusView.ts";
import { endedIn } from "../../../src/cmd/view/statusEnded.ts";
import { formatStatus } from "../../../src/cmd/view/statusTable.ts";
import type { KubeObject } from "../../../src/apis/index.ts";
import { DEMOAPPLICATIONS, DEPLOYMENTS, MEMBERCLUSTERS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { breakAll, mendAll } from "./fiveFaults.ts";
import { TestFederation } from "./harness.ts";

const FAULTS = { quota: "r10", stuck: "r02", slow: "r11", silent: "r12" };

const REGIONS = Array.from({ length: 12 }, (_, index) => `r${String(index + 1).padStart(2, "0")}`);
const app = (name: string) => demoApplication(name).replica(2);

/** The one who changes `shop` in r01 each time that Meridian has put it right, until he is told to stop. */
async function editOnce(federation: TestFederation): Promise<void> {
  const { server } = federation.member("r01");
  const found = server.find(DEPLOYMENTS, "default", "shop");
  if (found === undefined || imageOf(found).image === "httpd:1") return;
  await server.edit(DEPLOYMENTS, "default", "shop", (one) => {
    imageOf(one).image = "httpd:1";
  });
}

function imageOf(deployment: KubeObject): { image: string } {
  type Spec = { template: { spec: { containers: { image: string }[] } } };
  const [container = { image: "" }] = (deployment["spec"] as Spec).template.spec.containers;
  return container;
}

/** What `meridian status` reads. */
function reportOf(federation: TestFederation): ReturnType<typeof buildReport> {
  const { hub } = federation;
  return buildReport(hub.list(DEMOAPPLICATIONS), hub.list(MEMBERCLUSTERS));
}

interface Cause {
  extent: string;
  since: string;
  detail: string;
  next: string;
}

/** The causes at the head of the text, by their reasons. */
function causesIn(text: string): Map<string, Cause> {
  const heads = text.matchAll(
    /^(?<reason>\w+): (?<extent>.+?) since \S+ UTC \((?<since>\w+)\).*\n {2}(?<detail>.*)\n {2}next: (?<next>.*)$/gm,
  );
  return new Map(
    [...heads].map(({ groups = {} }) => {
      const { reason = "", extent = "", since = "", detail = "", next = "" } = groups;
      return [reason, { extent, since, detail, next }];
    }),
  );
}

/** As the core group shows what was written to events.k8s.io. */
function asCore(event: KubeObject): KubeObject {
  const { regarding, note, reportingController, ...rest } = event as KubeObject & Record<string, unknown>;
  return {
    ...rest,
    apiVersion: "v1",
    involvedObject: regarding,
    message: note,
    reportingComponent: reportingController,
  };
}

/** What a person sees who knows nothing but `meridian status`. */
function seen(federation: TestFederation): { text: string; causes: Map<string, Cause> } {
  const now = federation.clock.now();
  const recovered = federation.events.filter(({ reason }) => reason === "Recovered").map(asCore);
  const ended = endedIn(recovered, now);
  const text = formatStatus(reportOf(federation), { wide: false, color: false, now, ended });
  return { text, causes: causesIn(text) };
}

test("a bad night: status alone names six faults on twelve regions within half a minute, and what they were", async () => {
  await using federation = await TestFederation.start(...REGIONS);
  await federation.apply(PLACEMENTS, placement("all"));
  for (const name of ["billing", "old", "shop"]) await federation.apply(DEMOAPPLICATIONS, app(name));
  for (const name of ["billing", "old", "shop"]) await federation.untilAvailable(name);
  await federation.pass(5_000);
  expect(seen(federation).causes.size).toBe(0);

  const begunAt = federation.clock.now();
  await breakAll(federation, FAULTS);
  while (federation.clock.now() < begunAt + 30_000) {
    await editOnce(federation);
    await federation.pass(500);
  }

  const { text, causes } = seen(federation);
  const shown = [...causes].map(([cause, { extent }]) => [cause, extent]);
  expect(shown, text).toEqual([
    ["ImagePullBackOff", "default/billing in 10 clusters"],
    ["QuotaExceeded", "default/billing in r10"],
    ["Contested", "default/shop in r01"],
    ["ClusterUnreachable", "3 objects in r12"],
    ["SlowAnswers", "cluster r11"],
    ["Terminating", "default/old in r02"],
  ]);
  expect(causes.get("ImagePullBackOff")?.detail).toMatch(/^default\/billing in r01, r02, r03 and 7 more: \w/);
  expect(causes.get("ClusterUnreachable")?.detail).toMatch(/^default\/billing, default\/old, default\/shop in r12: \w/);
  for (const [cause, { since, next }] of causes) {
    expect(since, cause).toMatch(/^([1-9]|[12]\d|3[0-5])s$/);
    expect(next, cause).toMatch(/\w+ .*(r\d\d|default|registry)/);
  }
  expect(text).toMatch(/^ImagePullBackOff: .*, after generation 2 of default\/billing$/m);
  expect(text).toMatch(/^default\/billing .* r\d\d:ImagePullBackOff .* gen 2 /m);

  await mendAll(federation, FAULTS);
  await federation.until(() => seen(federation).causes.size === 0, 180_000);
  await federation.pass(5_000);
  const after = seen(federation).text;
  const over = after.slice(after.indexOf("ENDED"));
  expect(after).not.toMatch(/^default\/old /m);
  expect(over).toMatch(/default\/billing .*r01, r02, .*r11 \(ImagePullBackOff for \d+s, .*billing:does-not-exist/);
  expect(over).toMatch(/default\/billing .*r10 \(QuotaExceeded for \d+s, exceeded quota/);
  expect(over).toMatch(/default\/shop .*r01 \(Contested for \d+s, kubectl/);
  expect(over).toMatch(/membercluster\/r12 .*regained after \d+s: ClusterUnreachable/);
  expect(over).toMatch(/membercluster\/r11 .*SlowAnswers for \d+s, answers take about 2.5s/);
  expect(over).toMatch(
    /default\/old .*gone from every cluster \d+s after it was deleted; .*finalizer example.com\/backup/,
  );
}, 120_000);
