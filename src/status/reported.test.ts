import { describe, expect, test } from "vitest";
import { aggregate } from "./aggregate.ts";
import { after, condition, entry, healthy, inputOf, refused, row, T0, unhealthy, untried, view } from "./testing.ts";
import type { RowView } from "./types.ts";

const service = { apiVersion: "v1", kind: "Service", namespace: "default", name: "shop" };
const nodePort = [{ type: "NodePort" as const, port: 30002 }];
const stuck = [{ type: "Progressing", status: "False" as const, reason: "ProgressDeadlineExceeded" }];

function rowsWith(deployment: Partial<RowView>, more: Partial<RowView> = {}): RowView[] {
  return [row(deployment), row({ ref: service, health: { state: "Available" }, addresses: nodePort, ...more })];
}

describe("what the cluster says of an object", () => {
  test("is shown: every address, and the conditions of what is worst", () => {
    const rows = rowsWith(
      { health: unhealthy("Degraded", 1, "ProgressDeadlineExceeded"), conditions: stuck },
      { conditions: [{ type: "Other", status: "True" }] },
    );
    expect(entry(aggregate(inputOf([view("a", { rows })]), T0))).toMatchObject({
      state: "Degraded",
      conditions: stuck,
      addresses: nodePort,
    });
  });

  test("is not there where there is nothing to say", () => {
    const status = aggregate(inputOf([view("a")]), T0);
    expect(entry(status)).not.toHaveProperty("conditions");
    expect(entry(status)).not.toHaveProperty("addresses");
  });

  test("is no reason to write again while it stays", () => {
    const rows = rowsWith({ conditions: stuck });
    const input = inputOf([view("a", { rows })]);
    const status = aggregate(input, T0);
    const again = after(input, status);
    expect(aggregate(again, T0 + 60_000)).toBe(again.previous);
    const moved = { ...again, clusters: [view("a", { rows: rowsWith({ conditions: stuck }, { addresses: [] }) })] };
    expect(entry(aggregate(moved, T0 + 60_000))).not.toHaveProperty("addresses");
  });

  test.each([
    ["is lost", refused],
    ["was not heard yet after a restart", untried],
  ])("stays as it was known when the cluster %s", (_name, contact) => {
    const input = inputOf([view("a", { rows: rowsWith({ conditions: stuck }) })]);
    const status = aggregate(input, T0);
    const lost = { ...after(input, status), clusters: [view("a", { rows: [], contact })] };
    expect(entry(aggregate(lost, T0))).toMatchObject({ conditions: stuck, addresses: nodePort });
  });

  test("goes with the object when the cluster is left", () => {
    const input = inputOf([view("a", { rows: rowsWith({ conditions: stuck }) })]);
    const target = inputOf([]).target;
    const left = { ...after(input, aggregate(input, T0)), target };
    const found = entry(aggregate(left, T0));
    expect(found?.state).toBe("Removing");
    expect(found).not.toHaveProperty("addresses");
  });

  test("is left out above a hundred clusters, and a settled object is not written again for it", () => {
    const rows = (state: "Available" | "Degraded") =>
      rowsWith({ health: state === "Available" ? healthy(2) : unhealthy(state, 1), conditions: stuck });
    const views = Array.from({ length: 1000 }, (_, index) =>
      view(`c${index}`, { rows: rows(index < 400 ? "Degraded" : "Available") }),
    );
    const input = inputOf(views);
    const status = aggregate(input, T0);
    expect(status.clusters?.some(({ conditions, addresses }) => (conditions ?? addresses) !== undefined)).toBe(false);
    expect(JSON.stringify(status).length).toBeLessThan(400_000);
    const again = after(input, status);
    expect(aggregate(again, T0 + 60_000)).toBe(again.previous);
  });

  test("keeps a hundred clusters far below what an object may hold", () => {
    const long = (type: string) => ({
      type: type.repeat(60),
      status: "False" as const,
      reason: "R".repeat(63),
      message: "m".repeat(120),
    });
    const conditions = Array.from({ length: 8 }, (_, index) => long(String.fromCharCode(65 + index)));
    const addresses = Array.from({ length: 8 }, () => ({ type: "LoadBalancer" as const, host: "h".repeat(253) }));
    const rows = [row({ health: unhealthy("Degraded", 1), conditions, addresses })];
    const views = Array.from({ length: 100 }, (_, index) => view(`c${index}`, { rows }));
    expect(JSON.stringify(aggregate(inputOf(views), T0)).length).toBeLessThan(700_000);
  });
});

describe("an object of which nobody says how healthy it is", () => {
  const unknown = row({ health: { state: "Unknown", reason: "NoReport", message: "its status does not say" } });

  test("is Unknown and never available, though all is applied and nothing is under way", () => {
    const status = aggregate(inputOf([view("a", { rows: [unknown] }), view("b")]), T0);
    expect(entry(status)).toMatchObject({ state: "Unknown", reason: "NoReport", message: "its status does not say" });
    expect(condition(status, "Applied")[0]).toBe("True");
    expect(condition(status, "Available")).toEqual([
      "False",
      "NoReport",
      "1 of 2 clusters available; a: its status does not say",
    ]);
    expect(condition(status, "Ready")[0]).toBe("False");
    expect(condition(status, "Progressing")).toEqual(["False", "Settled", ""]);
  });

  test("is fresh all the same, also after a restart: the cluster is heard of", () => {
    const input = inputOf([view("a", { rows: [unknown] })]);
    const status = aggregate(input, T0);
    expect(condition(status, "Fresh")[0]).toBe("True");
    const restarted = { ...after(input, status), clusters: [view("a", { rows: [], contact: untried })] };
    expect(condition(aggregate(restarted, T0 + 60_000), "Fresh")[0]).toBe("True");
  });

  test("matters less than one that has failed, and more than one that is on its way", () => {
    const with_ = (state: "Failed" | "Progressing") =>
      entry(aggregate(inputOf([view("a", { rows: [unknown, row({ ref: service, health: { state } })] })]), T0))?.state;
    expect(with_("Failed")).toBe("Failed");
    expect(with_("Progressing")).toBe("Unknown");
  });
});
