import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { Condition, ConditionStatus } from "../../apis/index.ts";
import { type ConditionContext, conditionSums } from "./conditionSums.ts";
import type { MemberStatus } from "../types.ts";

const NOW = "2026-11-22T10:00:00Z";
const CONTEXT: ConditionContext = { previous: [], generation: 7, now: Date.parse(NOW) };

interface Said {
  status?: string;
  reason?: string;
  message?: string;
  observedGeneration?: number;
}

/** What each cluster says of one type of condition; undefined: nothing. */
function sumOf(
  type: string,
  said: Readonly<Record<string, Said | undefined>>,
  context: Partial<ConditionContext> = {},
): Condition | undefined {
  const members = Object.entries(said).map(([cluster, one]): MemberStatus => {
    return { cluster, status: one === undefined ? {} : { conditions: [{ type, ...one }] }, isCurrent: true };
  });
  return conditionSums(members, { ...CONTEXT, ...context })[0];
}

describe("what all clusters together say", () => {
  const rows: [type: string, a: string | undefined, b: string | undefined, want: ConditionStatus][] = [
    ["Ready", "True", "True", "True"],
    ["Ready", "True", "False", "False"],
    ["Ready", "True", "Unknown", "Unknown"],
    ["Ready", "True", undefined, "Unknown"],
    ["Ready", "False", "False", "False"],
    ["Ready", "False", "Unknown", "False"],
    ["Ready", "False", undefined, "False"],
    ["Stalled", "True", "True", "True"],
    ["Stalled", "True", "False", "True"],
    ["Stalled", "True", "Unknown", "True"],
    ["Stalled", "True", undefined, "True"],
    ["Stalled", "False", "False", "False"],
    ["Stalled", "False", "Unknown", "Unknown"],
    ["Stalled", "False", undefined, "Unknown"],
    ["Painted", "True", "True", "True"],
    ["Painted", "True", "False", "Unknown"],
    ["Painted", "True", "Unknown", "Unknown"],
    ["Painted", "True", undefined, "Unknown"],
    ["Painted", "False", "False", "False"],
    ["Painted", "False", "Unknown", "Unknown"],
    ["Painted", "False", undefined, "Unknown"],
  ];
  const said = (status: string | undefined): Said | undefined => (status === undefined ? undefined : { status });

  test.each(rows)("of %s that is %s here and %s there is %s", (type, a, b, want) => {
    expect(sumOf(type, { a: said(a), b: said(b) })?.status).toBe(want);
    expect(sumOf(type, { a: said(b), b: said(a) })?.status).toBe(want);
  });
});

describe("the words of the sum", () => {
  test("are those of the first cluster by name that says it, whatever the order", () => {
    const [bad, good] = [
      (message: string): Said => ({ status: "False", reason: `From${message}`, message }),
      { status: "True", reason: "Fine", message: "fine" },
    ];
    const want = {
      type: "Ready",
      status: "False",
      reason: "Fromb",
      message: "False on 3 of 4 clusters; b: b",
      lastTransitionTime: NOW,
    };
    expect(sumOf("Ready", { d: bad("d"), a: good, b: bad("b"), c: bad("c") })).toStrictEqual(want);
    expect(sumOf("Ready", { c: bad("c"), b: bad("b"), a: good, d: bad("d") })).toStrictEqual(want);
    expect(sumOf("Ready", { b: bad("b"), c: bad("c"), d: bad("d"), a: good })).toStrictEqual(want);
  });

  test("are on how many clusters it is so, where nobody says more", () => {
    expect(sumOf("Ready", { a: { status: "True" } })).toStrictEqual({
      type: "Ready",
      status: "True",
      reason: "ReportedByClusters",
      message: "True on 1 of 1 cluster",
      lastTransitionTime: NOW,
    });
  });

  test("have a reason of 63 characters at most", () => {
    const reason = (length: number) => sumOf("Ready", { a: { status: "True", reason: "R".repeat(length) } })?.reason;
    expect([reason(63), reason(64)]).toEqual(["R".repeat(63), `${"R".repeat(62)}…`]);
  });
});

describe("the generation that the sum is of", () => {
  const before = (more: object): Condition => ({
    type: "Ready",
    status: "True",
    reason: "R",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
    ...more,
  });
  const dated = { a: { status: "True", observedGeneration: 3 }, b: { status: "True" } };
  const plain = { a: { status: "True" }, b: undefined };

  test.each<[string, Record<string, Said | undefined>, Partial<ConditionContext>, number | undefined]>([
    ["the present one, whatever it was", dated, { previous: [before({ observedGeneration: 5 })] }, 7],
    ["generation 0", dated, { generation: 0 }, 0],
    ["what it was", dated, { generation: undefined, previous: [before({ observedGeneration: 5 })] }, 5],
    ["none, as before", dated, { generation: undefined, previous: [before({})] }, undefined],
    ["none, as no cluster's is", plain, { previous: [before({ observedGeneration: 5 })] }, undefined],
  ])("is %s", (_name, said, context, want) => {
    const found = sumOf("Ready", said, context);
    expect(found?.observedGeneration).toBe(want);
    expect(Object.hasOwn(found ?? {}, "observedGeneration")).toBe(want !== undefined);
  });

  test.each<[string, object, string]>([
    ["stays what it was, of a status that stays", {}, "2026-01-01T00:00:00Z"],
    ["is now, of a status that changes", { status: "False" }, NOW],
  ])("and the time of its last change %s", (_name, more, want) => {
    expect(sumOf("Ready", dated, { previous: [before(more)] })?.lastTransitionTime).toBe(want);
  });
});

const anySaid = fc.array(fc.constantFrom("True", "False", "Unknown", undefined), { minLength: 1, maxLength: 6 });
test.prop([fc.constantFrom("Ready", "Suspended", "Painted"), anySaid])(
  "the sum counts the clusters that say what it says",
  (type, statuses) => {
    fc.pre(statuses.some((status) => status !== undefined));
    const given = statuses.map((status, at) => [`c${at}`, status === undefined ? undefined : { status }] as const);
    const found = sumOf(type, Object.fromEntries(given));
    const count = statuses.filter((status) => (status ?? "Unknown") === found?.status).length;
    const clusters = statuses.length === 1 ? "1 cluster" : `${statuses.length} clusters`;
    expect(found?.message).toBe(
      count === 0 ? `not the same on ${clusters}` : `${found?.status} on ${count} of ${clusters}`,
    );
  },
);
