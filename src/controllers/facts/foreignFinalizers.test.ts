import { describe, expect, test } from "vitest";
import { OBJECT_FINALIZER } from "../../apis/index.ts";
import { DEMOAPPLICATIONS } from "../../runtime/index.ts";
import { HELD_BY_OTHERS_MS } from "../status/debounce.ts";
import { APP } from "../testing/planning.ts";
import { wentByTtl } from "./foreignFinalizers.ts";
import { reporting } from "../testing/reporting.ts";

const DELETED = "2026-01-01T00:00:00Z";
const OTHERS = ["x/y", "z/y"];

/** An application that ran on both clusters. `remove` deletes it with these foreign finalizers. */
async function deleted(others: readonly string[]) {
  const all = await reporting();
  const remove = async (): Promise<void> => {
    const finalizers = [OBJECT_FINALIZER, ...others];
    await all.update({ metadata: { generation: 2, deletionTimestamp: DELETED, finalizers } });
    await all.reconcile();
  };
  const progressing = (): string | undefined =>
    all.status()?.conditions?.find(({ type }) => type === "Progressing")?.message;
  const waits = (): string[] => all.events.flatMap(({ reason, note }) => (reason === "DeletionWaits" ? [note] : []));
  await all.complete();
  return { ...all, remove, progressing, waits };
}

/** Deletes the application until only the foreign finalizers are left. */
async function releaseCopies({ remove, carryOut, reconcile, settle, onHub }: Awaited<ReturnType<typeof deleted>>) {
  await remove();
  for (const name of ["a", "b"]) carryOut(name);
  for (let turn = 0; turn < 3; turn += 1) {
    await reconcile();
    await settle();
  }
  expect(onHub().metadata.finalizers).toEqual(OTHERS);
}

describe("an object that only others hold on the hub", () => {
  test("is not ready any more, and names who holds it, in its status and in an Event", async () => {
    const all = await deleted(OTHERS);
    await releaseCopies(all);
    const { report, settle, conditions, progressing, waits, status } = all;
    await report();
    expect(conditions()).not.toContain("Ready False Deleting");
    await settle(HELD_BY_OTHERS_MS);
    await report();
    expect(conditions()).toContain("Ready False Deleting");
    const message = `since ${DELETED}: waits on the hub: it has finalizers x/y, z/y; mend its controller or remove them`;
    expect(progressing()).toBe(message);
    expect(status()?.clusters ?? []).toEqual([]);
    expect(waits()).toEqual([message]);
  });

  test("names the rest when one of them lets go, and is forgotten when it is gone", async () => {
    const all = await deleted(OTHERS);
    await releaseCopies(all);
    const { report, settle, update, reconcile, progressing, states, server } = all;
    await report();
    await settle(HELD_BY_OTHERS_MS);
    await report();
    await update({ metadata: { finalizers: ["z/y"] } });
    await reconcile();
    await settle(1_000);
    await report();
    expect(progressing()).toContain("it has finalizer z/y; mend its controller or remove it");
    expect(states.planOf(APP)).toBeDefined();
    server.delete(DEMOAPPLICATIONS, "default", "shop");
    await settle();
    await reconcile();
    expect(states.planOf(APP)).toBeUndefined();
  });
});

const END = "2026-01-01T00:00:00Z";
const job = (deletionTimestamp: string, ttlSecondsAfterFinished?: number, status = "True") => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "x", deletionTimestamp },
  spec: ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished },
  status: { conditions: [{ type: "Complete", status, lastTransitionTime: END }] },
});

test.each([
  ["has gone by its TTL when that was over", job("2026-01-01T00:00:05Z", 5), true],
  ["may have, within the second", job("2026-01-01T00:00:04Z", 4), true],
  ["is deleted by a person before that", job("2026-01-01T00:00:03Z", 5), false],
  ["is deleted by a person while it runs", job("2026-01-01T01:00:00Z", 5, "False"), false],
])("a Job that is deleted on the hub %s", (_, object, want) => expect(wentByTtl(object)).toBe(want));

test("an object of which something may be left on a cluster without contact says so at once", async () => {
  const { remove, carryOut, contact, report, conditions } = await deleted([]);
  contact("a", { ok: false, reason: "ClusterUnreachable" });
  await remove();
  carryOut("b");
  await report();
  expect(conditions()).toContain("Ready False Deleting");
});
