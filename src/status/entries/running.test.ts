import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import type { FederatedStatus, RolloutStatus } from "../../apis/index.ts";
import type { ClusterTarget, DesiredObject } from "../../desiredstate/types.ts";
import { aggregate } from "../aggregate.ts";
import { runningText, runningThereText, runningTogether, type RunningOn } from "./running.ts";
import {
  after,
  entry,
  inputOf,
  refused,
  row,
  SECOND,
  T0,
  target,
  unhealthy,
  untried,
  view,
} from "../testing/builders.ts";
import type { ClusterView, StatusInput } from "../types.ts";

const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "shop" };

/** A Deployment with that image, whose hash is the image's name. */
const deployment = (image: string): DesiredObject => ({
  ref,
  role: "rendered",
  hash: image,
  object: {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "shop" },
    spec: { template: { spec: { containers: [{ image }] } } },
  },
});

const wants = (name: string, image: string, more: Partial<ClusterTarget> = {}): ClusterTarget => ({
  ...{ name, replicas: 2, frozen: false, objects: [deployment(image)] },
  ...more,
});

/** A cluster that has `has` by an order for `asked`. */
const having = (name: string, has: string, asked = has, more: Partial<ClusterView> = {}): ClusterView =>
  view(name, {
    rows: [row({ desiredHash: asked, observedHash: has, images: [has], inSync: has === asked })],
    ...more,
  });

const inputFor = (targets: ClusterTarget[], views: ClusterView[], more: Partial<StatusInput> = {}): StatusInput =>
  inputOf(views, { target: target([], { clusters: targets }), ...more });

/** The status on the hub: the report, and the rollout that the planner has written. */
const statusOf = (...args: Parameters<typeof inputFor>): FederatedStatus => {
  const [, , { rollout } = {}] = args;
  return { ...aggregate(inputFor(...args), T0), ...(rollout === undefined ? {} : { rollout }) };
};

const rolledBack: RolloutStatus = { state: "RolledBack", revision: 2, lastGoodRevision: 1 };
/** A cluster that a rollout leaves on nginx:1. */
const left = (name: string): ClusterTarget => wants(name, "nginx:1", { wanted: [deployment("nginx:2")] });

describe("what clusters run", () => {
  test("is the image alone where all of them run what is wanted, and nothing is said of a cluster", () => {
    const status = statusOf(
      [wants("a", "nginx:1"), wants("b", "nginx:1")],
      [having("a", "nginx:1"), having("b", "nginx:1")],
    );
    expect(status.runs).toEqual({ summary: "nginx:1" });
    expect(entry(status)).not.toHaveProperty("runs");
    expect(runningText(status)).toBeUndefined();
  });

  test("is a number of images where overrides want different ones", () => {
    const status = statusOf(
      [wants("a", "nginx:1"), wants("b", "m/nginx:1")],
      [having("a", "nginx:1"), having("b", "m/nginx:1")],
    );
    expect(status.runs).toEqual({ summary: "2 images" });
  });

  test("after a rollback is the last good version, by cluster too", () => {
    const status = statusOf([left("a"), left("b")], [having("a", "nginx:1"), having("b", "nginx:1")], {
      rollout: rolledBack,
    });
    expect(status.runs).toEqual({
      summary: "nginx:1",
      clusters: 2,
      differing: 2,
      versions: [
        { image: "nginx:2", revision: 2, wanted: true, clusters: 0 },
        { image: "nginx:1", revision: 1, clusters: 2 },
      ],
    });
    expect(entry(status)?.runs).toEqual({
      image: "nginx:1",
      revision: 1,
      wanted: { image: "nginx:2", revision: 2 },
    });
    expect(runningText(status)).toBe("nginx:2 wanted, nginx:1 runs: rolled back");
  });

  test("half-way through a paused rollout is told by how many", () => {
    const paused: RolloutStatus = { state: "Paused", reason: "Gate", revision: 2, lastGoodRevision: 1 };
    const status = statusOf(
      [wants("a", "nginx:2"), left("b"), left("c")],
      [having("a", "nginx:2"), having("b", "nginx:1"), having("c", "nginx:1")],
      { rollout: paused },
    );
    expect(status.runs?.summary).toBe("nginx:1 on 2 of 3");
    expect(entry(status, "a")).not.toHaveProperty("runs");
    expect(runningText(status)).toBe("nginx:2 wanted, nginx:1 runs on 2 of 3: rollout paused");
  });

  test("is told by the revision where the images are equal", () => {
    const again = { ...deployment("nginx:1"), hash: "other" };
    const status = statusOf([wants("a", "nginx:1", { wanted: [again] })], [having("a", "nginx:1")], {
      rollout: rolledBack,
    });
    expect(runningText(status)).toBe("nginx:1 (revision 2) wanted, nginx:1 (revision 1) runs: rolled back");
  });

  test("where nothing is wanted any more, and the cluster's turn has not come, is still told", () => {
    const status = statusOf([wants("a", "nginx:1", { wanted: [] })], [having("a", "nginx:1")], {
      rollout: { ...rolledBack, state: "Progressing" },
    });
    expect(runningText(status)).toBe("nginx:1 runs: rolling out");
  });

  test("of an object without an image is no news while a write is on its way, and is once it has stopped", () => {
    const target0 = [{ ...wants("a", ""), objects: [] }];
    const copies = (more: object) => [
      view("a", { rows: [row({ desiredHash: "h2", observedHash: "h1", inSync: false, ...more })] }),
    ];
    expect(statusOf(target0, copies({}))).not.toHaveProperty("runs");
    const failed = { failure: { reason: "QuotaExceeded", message: "no room", final: true } };
    const status = statusOf(target0, copies(failed));
    expect(runningText(status)).toBe("another version runs: QuotaExceeded");
  });

  test("is as wanted where a part of the object is missing, and the rest is as it is to be", () => {
    const rows = [
      row({ images: ["nginx:1"], desiredHash: "nginx:1", observedHash: "nginx:1" }),
      row({
        ref: { ...ref, kind: "Service" },
        desiredHash: "s",
        inSync: false,
        failure: { reason: "Forbidden", message: "", final: true },
      }),
    ];
    delete rows[1]?.observedHash;
    const status = statusOf([wants("a", "nginx:1")], [view("a", { rows })]);
    expect(status.runs).toEqual({ summary: "nginx:1" });
  });

  test("is another image where somebody changes the copy and Meridian cannot put it back, and not where the field is retained", () => {
    const copy = (inSync: boolean) => [
      view("a", { rows: [row({ desiredHash: "nginx:1", observedHash: "nginx:1", images: ["evil:1"], inSync })] }),
    ];
    expect(statusOf([wants("a", "nginx:1")], copy(false)).runs?.summary).toBe("evil:1");
    expect(statusOf([wants("a", "nginx:1")], copy(true)).runs).toEqual({ summary: "evil:1" });
    expect(entry(statusOf([wants("a", "nginx:1")], copy(true)))).not.toHaveProperty("runs");
  });
});

describe("a cluster without contact", () => {
  const settled = (image: string) => statusOf([wants("a", image)], [having("a", image)]);

  test("runs what was seen last", () => {
    const status = statusOf([wants("a", "nginx:2")], [having("a", "nginx:1", "nginx:2", { contact: refused })]);
    expect(runningText(status)).toBe("nginx:2 wanted, nginx:1 runs: ClusterUnreachable");
  });

  test("that a new manager has not seen runs what the last status said", () => {
    const rows = [row({ desiredHash: "nginx:2", inSync: false })];
    delete rows[0]?.observedHash;
    const input = inputFor([wants("a", "nginx:2")], [view("a", { contact: refused, rows })]);
    const status = aggregate(after(input, settled("nginx:1")), T0);
    expect(entry(status)?.runs).toEqual({ image: "nginx:1", wanted: { image: "nginx:2" } });
    // And once more, by that status.
    const next = inputFor(
      [wants("a", "nginx:3")],
      [
        view("a", {
          contact: refused,
          rows: [{ ...row({ desiredHash: "nginx:3", inSync: false }), observedHash: undefined } as never],
        }),
      ],
    );
    expect(runningText(aggregate(after(next, status), T0))).toBe("nginx:3 wanted, nginx:1 runs: ClusterUnreachable");
  });

  test.each([refused, untried])("changes nothing of what was said while nothing new is wanted (%o)", (contact) => {
    const before = statusOf([left("a")], [having("a", "nginx:1")], { rollout: rolledBack });
    const rows = [row({ desiredHash: "nginx:1", inSync: false })];
    delete rows[0]?.observedHash;
    const input = inputFor([left("a")], [view("a", { contact, rows })], { rollout: rolledBack });
    expect(aggregate(after(input, before), T0 + SECOND).runs).toEqual(before.runs);
  });
});

describe("a status of many clusters", () => {
  const names = Array.from({ length: 250 }, (_, index) => `c${index}`);

  test("stays small, however many images there are and however long they are", () => {
    const long = (name: string) => `registry.test/${name}/${"x".repeat(900)}:1`;
    const targets = names.map((name) => wants(name, long(name), { wanted: [deployment(`${long(name)}2`)] }));
    const status = statusOf(
      targets,
      names.map((name) =>
        having(name, long(name), long(name), {
          rows: [
            row({
              health: unhealthy("Failed", 0),
              desiredHash: long(name),
              observedHash: long(name),
              images: [long(name)],
            }),
          ],
        }),
      ),
      { rollout: rolledBack },
    );
    expect(status.runs?.versions).toHaveLength(10);
    expect(status.runs?.versions?.filter(({ wanted }) => wanted)).toHaveLength(5);
    expect(JSON.stringify(status.runs).length).toBeLessThan(5_000);
    expect(JSON.stringify(status).length).toBeLessThan(500_000);
  });
});

const versionsOf = fc.record({ image: fc.constantFrom("a:1", "b:1"), revision: fc.constantFrom(1, 2) });
const arbitraryRunning = fc.array(
  fc
    .record({ runs: versionsOf, wanted: versionsOf, differs: fc.boolean() })
    .map((one): RunningOn => (one.differs ? one : { ...one, wanted: one.runs })),
  { minLength: 1, maxLength: 30 },
);

test.prop([arbitraryRunning])("counts every cluster once, in whatever order they come", (all) => {
  const together = runningTogether(all, all.length);
  expect(runningTogether(all.toReversed(), all.length)).toEqual(together);
  const differing = all.filter(({ differs }) => differs).length;
  expect(together?.differing ?? 0).toBe(differing);
  const { versions = [] } = together ?? {};
  const sum = (isWanted: boolean) =>
    versions.filter(({ wanted = false }) => wanted === isWanted).reduce((n, { clusters }) => n + clusters, 0);
  if (differing > 0) expect([sum(false), sum(true)]).toEqual([differing, all.length - differing]);
  expect(together?.summary.length).toBeLessThan(1024);
});

test("both versions of a cluster are told apart", () => {
  expect(runningThereText({ image: "a:1", wanted: { image: "a:2" } })).toBe("a:1, wanted: a:2");
  expect(runningThereText({ image: "a:1", revision: 1, wanted: { image: "a:1", revision: 2 } })).toBe(
    "a:1 (revision 1), wanted: a:1 (revision 2)",
  );
  expect(runningThereText({ wanted: {} })).toBe("another version");
});
