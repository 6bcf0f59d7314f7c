import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { causesOf } from "./statusCauses.ts";
import { formatStatus } from "./statusTable.ts";
import { buildReport } from "./statusView.ts";
import { app, cluster, condition, entry, fine } from "../testing/statusObjects.ts";

const now = Date.parse("2026-11-21T08:30:00Z");
const lost = condition("Ready", "False", "ClusterUnreachable", "connection refused");
const ready = condition("Ready", "True", "Connected");
const since = (minute: number) => ({ since: `2026-11-21T08:${minute}:00Z` });
const names = Array.from({ length: 12 }, (_, index) => `r${String(index).padStart(2, "0")}`);

/** Twelve regions, of which ten cannot pull the image, one is over its quota, and one is lost. */
function billing(): KubeObject {
  const entries = names.map((name, index) =>
    index < 10
      ? entry(name, "Degraded", 2, { reason: "ImagePullBackOff", message: "no such image", ...since(20 + index) })
      : index === 10
        ? entry(name, "Degraded", 2, { reason: "QuotaExceeded", message: "pods", ...since(10) })
        : entry(name, "Unknown", 2, { reason: "ClusterUnreachable", message: "connection refused", ...since(12) }),
  );
  return app("billing", [...fine.slice(0, 2), condition("Available", "False", "ClusterUnreachable"), lost], entries);
}
const report = buildReport(
  [billing()],
  [...names.slice(0, 11).map((name) => cluster(name, ready)), cluster("r11", lost)],
);

describe("an object that several causes keep from being well", () => {
  test("counts each of them, the worst for users first", () => {
    expect(report.objects[0]).toMatchObject({
      reason: "ImagePullBackOff",
      reasons: [
        { reason: "ImagePullBackOff", clusters: 10 },
        { reason: "QuotaExceeded", clusters: 1 },
        { reason: "ClusterUnreachable", clusters: 1 },
      ],
      since: "2026-11-21T08:25:00Z",
    });
    const text = formatStatus(report, { wide: false, color: false, now });
    expect(text).toMatch(/^default\/billing +0\/24 +0\/12 +r00:ImagePullBackOff +5m +gen 1 +10s$/m);
  });

  test("comes after its causes, each with its clusters, objects, time and next step", () => {
    const lines = formatStatus(report, { wide: false, color: false, now }).split("\n").slice(0, 10);
    expect(lines.filter((line) => !line.startsWith("  next: "))).toEqual([
      "TROUBLE",
      "ImagePullBackOff: default/billing in 10 clusters since 08:20 UTC (10m)",
      "  default/billing in r00, r01, r02 and 7 more: no such image",
      "QuotaExceeded: default/billing in r10 since 08:10 UTC (20m)",
      "  pods",
      "ClusterUnreachable: default/billing in r11 since 08:12 UTC (18m)",
      "  connection refused",
    ]);
    for (const { nextStep } of causesOf(report)) expect(nextStep.length).toBeGreaterThan(20);
    expect(causesOf(report)[2]?.nextStep).toContain("meridian unjoin r11");
  });
});

test("a cause that is no matter of clusters names the object only", () => {
  const unplaced = app("lonely", [condition("Scheduled", "False", "NoPlacement", "none selects it"), ...fine.slice(1)]);
  expect(causesOf(buildReport([unplaced], []))).toEqual([
    {
      reason: "NoPlacement",
      standing: "Trouble",
      shape: "none selects it",
      message: "none selects it",
      clusters: [],
      objects: [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "lonely" }],
      since: "2026-11-21T08:25:00Z",
      nextStep: "apply a Placement that selects the object",
    },
  ]);
});

test("what is under way is no cause, and is said of an object where nothing else is", () => {
  const rolling = condition("Ready", "False", "RollingOut", "rolling out on a");
  const moving = entry("a", "Progressing", 2, { reason: "RollingOut" });
  const other = entry("b", "Degraded", 2, { reason: "CrashLoopBackOff" });
  const alone = buildReport([app("zed", [...fine, rolling], [moving, entry("b", "Available", 2)])], []);
  expect(causesOf(alone)).toEqual([]);
  expect(alone.objects[0]?.reasons).toEqual([{ reason: "RollingOut", clusters: 1 }]);
  const both = buildReport([app("zed", [...fine, rolling], [moving, other])], []);
  expect(both.objects[0]?.reasons).toEqual([{ reason: "CrashLoopBackOff", clusters: 1 }]);
});

test("a cluster that leaves and waits for a word is a cause", () => {
  const going = cluster("a", ready);
  const waits = condition("Removed", "False", "DeletionPolicyMissing", "say Drain or Orphan");
  const object = {
    ...going,
    metadata: { ...going.metadata, deletionTimestamp: "2026-11-21T08:00:00Z" },
    status: { conditions: [ready, waits] },
  };
  expect(causesOf(buildReport([], [object]))).toMatchObject([{ reason: "DeletionPolicyMissing", clusters: ["a"] }]);
});

test("nothing is wrong where all is well", () => {
  const well = buildReport([app("blog", fine, [entry("a", "Available", 1)])], [cluster("a", ready)]);
  expect(causesOf(well)).toEqual([]);
  expect(well.objects[0]).toMatchObject({ reasons: [], since: "" });
});

describe("causes with the same reason", () => {
  const failing = (name: string, reason: string, message: string, at: Partial<ReturnType<typeof since>> = since(20)) =>
    app(name, fine, [entry("a", "Degraded", 1, { reason, message, ...at })]);
  const shown = (...objects: KubeObject[]): [shape: string, objects: string[]][] =>
    causesOf(buildReport(objects, [])).map(({ shape, objects: of }) => [shape, of.map(({ name }) => name)]);

  test("are one where only names and numbers differ in the message", () => {
    const [one, two] = [`failed to pull "web:7": not found`, `failed to pull "blog:12": not found`];
    expect(shown(failing("web", "ImagePullBackOff", one), failing("blog", "ImagePullBackOff", two))).toEqual([
      ["failed to pull …: not found", ["blog", "web"]],
    ]);
  });

  test("are two where the messages say different things", () => {
    const other = failing("blog", "ImagePullBackOff", "no right to pull");
    expect(shown(failing("web", "ImagePullBackOff", "not found"), other)).toHaveLength(2);
  });

  test("are one for a cluster out of contact, whatever is said of its objects", () => {
    const [one, two] = ["connection refused", "no answer within 10 s"].map((message, index) =>
      failing(`app-${index}`, "ClusterUnreachable", message),
    );
    expect(shown(...[one, two].flatMap((object) => object ?? []))).toEqual([["", ["app-0", "app-1"]]]);
  });
});

describe("the change that a cause follows", () => {
  const changedAt = (time: string, subresource?: string): KubeObject["metadata"]["managedFields"] => [
    { manager: "kubectl", time, fieldsV1: { "f:spec": {} }, ...(subresource === undefined ? {} : { subresource }) },
    { manager: "meridian", time: "2026-11-21T08:29:00Z", fieldsV1: { "f:metadata": {} } },
    { manager: "meridian", time: "2026-11-21T08:29:00Z", fieldsV1: { "f:status": {} }, subresource: "status" },
  ];
  const headline = (managedFields: KubeObject["metadata"]["managedFields"]): string => {
    const entries = [entry("a", "Degraded", 1, { reason: "ImagePullBackOff", message: "gone", ...since(20) })];
    const object = app("shop", fine, entries, { ...(managedFields === undefined ? {} : { managedFields }) }, 7);
    (object["status"] as Record<string, unknown>)["observedGeneration"] = 7;
    return formatStatus(buildReport([object], []), { wide: false, color: false, now }).split("\n")[1] ?? "";
  };
  const bare = "ImagePullBackOff: default/shop in a since 08:20 UTC (10m)";

  test.each([
    { name: "shortly before it", fields: changedAt("2026-11-21T08:18:00Z"), after: true },
    { name: "by the scale subresource", fields: changedAt("2026-11-21T08:18:00Z", "scale"), after: true },
    { name: "in the second after it: times are rounded", fields: changedAt("2026-11-21T08:20:01Z"), after: true },
    { name: "after it", fields: changedAt("2026-11-21T08:21:00Z"), after: false },
    { name: "long before it", fields: changedAt("2026-11-21T08:00:00Z"), after: false },
    { name: "at a time that nobody knows", fields: undefined, after: false },
  ])("$name: $after", ({ fields, after }) => {
    expect(headline(fields)).toBe(after ? `${bare}, after generation 7 of default/shop` : bare);
  });
});

describe("what waits", () => {
  const paused = (reason: string, conditions = fine) => {
    const object = app("shop", conditions, [entry("a", "Available", 1)]);
    Object.assign(object["status"] as object, {
      rollout: {
        state: "Paused",
        reason,
        message: "stage rest waits for approval",
        since: "2026-11-21T08:10:00Z",
        stages: [
          { name: "canary", state: "Succeeded" },
          { name: "rest", state: "Paused" },
        ],
      },
    });
    return object;
  };
  const textOf = (object: KubeObject, color = false) =>
    formatStatus(buildReport([object], [cluster("a", ready)]), { wide: false, color, now });

  test("for a person is named with the command that lets it go on", () => {
    const text = textOf(paused("Gate"));
    expect(text).toMatch(/^WAITS FOR A PERSON\nRolloutPaused: default\/shop since 08:10 UTC \(20m\)\n {2}stage rest /);
    expect(text).toMatch(/`meridian rollout approve shop -n default` approves its stage$/m);
    expect(text).toMatch(/^default\/shop .* gen 1, stage 2\/2, paused +now$/m);
  });

  test("is named beside what is wrong with the object", () => {
    const wrong = [...fine.slice(0, 2), condition("Available", "False", "QuotaExceeded", "pods"), ...fine.slice(3)];
    const causes = causesOf(buildReport([paused("User", wrong)], []));
    expect(causes.map(({ reason, standing }) => [reason, standing])).toEqual([
      ["QuotaExceeded", "Trouble"],
      ["RolloutPaused", "WaitsForPerson"],
    ]);
  });

  test("is never shown as an error: deletions that are held, slow clusters, stopped rollouts", () => {
    const red = "\u001b[31m";
    expect(textOf(paused("Gate"), true)).not.toContain(red);
    const held = condition("DeletionsHeld", "True", "HubWentBack", "hub lacks 38 objects");
    const slow = condition("Slow", "True", "SlowAnswers", "answers take about 2.5s");
    for (const { says, title } of [
      { says: held, title: "WAITS FOR A PERSON\nHubWentBack: cluster a since " },
      { says: slow, title: "WAITS\nSlowAnswers: cluster a since " },
    ]) {
      const member = { ...cluster("a", ready), status: { conditions: [ready, says], kubernetesVersion: "v1.35.4" } };
      const text = formatStatus(buildReport([], [member]), { wide: false, color: true, now });
      expect(text).not.toContain(red);
      expect(text.startsWith(title)).toBe(true);
    }
  });

  test("a flood of causes leaves room for the table", () => {
    const words = ["no", "bad", "lost", "late", "old", "odd", "raw", "shut", "slow", "sad", "void", "wet"];
    const entries = words.map((word) => entry(word, "Failed", 1, { reason: "Invalid", message: `${word} spec` }));
    const object = app(
      "shop",
      fine,
      entries.map((one) => ({ ...one, message: `it is ${one.name}ly said` })),
    );
    const text = textOf(object);
    expect(text.match(/^Invalid: /gm)).toHaveLength(10);
    expect(text).toContain("and 2 more: `meridian status -o wide` shows them\n");
  });
});

const anyReason = fc.constantFrom("ImagePullBackOff", "ClusterUnreachable", "SlowAnswers", "RolloutPaused", "Invalid");
const anyEntries = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom(...names),
    reason: anyReason,
    message: fc.constantFrom("no room", "lost 3 of 4", ""),
  }),
  { selector: ({ name }) => name, minLength: 1 },
);

property.prop([fc.array(anyEntries, { maxLength: 4 })])(
  "every copy in trouble is in one cause of its reason",
  (all) => {
    const objects = all.map((entries, index) =>
      app(
        `app-${index}`,
        fine,
        entries.map(({ name, ...more }) => entry(name, "Failed", 1, more)),
      ),
    );
    const causes = causesOf(buildReport(objects, []));
    for (const [index, entries] of all.entries())
      for (const { name, reason } of entries) {
        const own = causes.filter(
          (cause) =>
            cause.reason === reason &&
            cause.clusters.includes(name) &&
            cause.objects.some((object) => object.name === `app-${index}`),
        );
        expect(own.length).toBeGreaterThan(0);
      }
    expect(new Set(causes.map(({ reason, shape }) => `${reason} ${shape}`)).size).toBe(causes.length);
  },
);
