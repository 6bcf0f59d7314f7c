import { describe, expect, test } from "vitest";
import type { Contact } from "../../apis/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { DampedContact, type Damping } from "./dampedContact.ts";

const SECOND = 1_000;
const there: Contact = { ok: true };
const away: Contact = { ok: false, reason: "ClusterUnreachable", message: "connection refused", lastContact: 5 };
const notReady: Contact = { ok: false, reason: "NotReady", message: "etcd", lastContact: 5 };

function damped(damping: Partial<Damping> = {}) {
  const clock = new FakeClock();
  const said: string[] = [];
  const contact = new DampedContact({
    clock,
    damping: { firstMs: 10 * SECOND, longestMs: 120 * SECOND, textMs: 60 * SECOND, ...damping },
    said: () =>
      void said.push(`${clock.monotonic() / SECOND} ${contact.said?.ok === true ? "ok" : contact.said?.reason}`),
  });
  /** Away for so long, and then there for so long. */
  const flap = async (awaySeconds: number, thereSeconds: number): Promise<void> => {
    contact.take(away);
    await clock.advance(awaySeconds * SECOND);
    contact.take(there);
    await clock.advance(thereSeconds * SECOND);
  };
  return { clock, contact, said, flap };
}

describe("a loss of contact", () => {
  test("is said when it has lasted, and its end at once", async () => {
    const { contact, clock, said } = damped();
    contact.take(there);
    contact.take(away);
    await clock.advance(9 * SECOND);
    expect([contact.said, contact.lost]).toEqual([there, away]);
    await clock.advance(5 * SECOND);
    expect([contact.said, contact.lost]).toEqual([away, undefined]);
    contact.take(there);
    expect(said).toEqual(["0 ok", "10 ClusterUnreachable", "14 ok"]);
    expect(clock.pending).toBe(0);
  });

  test("that is over before is not said at all", async () => {
    const { contact, clock, said, flap } = damped();
    contact.take(there);
    for (let absence = 0; absence < 10; absence++) await flap(5, 2.5);
    expect([said, clock.pending]).toEqual([["0 ok"], 0]);
  });

  test("has to last longer each time while contact comes and goes, and no longer than there is an end to it", async () => {
    const { contact, said, flap } = damped();
    contact.take(there);
    const saidAfter: number[] = [];
    for (let absence = 0; absence < 7; absence++) {
      const before = said.length;
      await flap(125, 30);
      const at = Number.parseFloat(said[before] ?? "");
      saidAfter.push(at - absence * 155);
    }
    expect(saidAfter).toEqual([10, 20, 40, 80, 120, 120, 120]);
  });

  test("after five minutes of contact is the first again", async () => {
    const { contact, said, flap } = damped();
    contact.take(there);
    await flap(30, 30);
    await flap(30, 300);
    await flap(15, 1);
    expect(said).toEqual([
      "0 ok",
      "10 ClusterUnreachable",
      "30 ok",
      "80 ClusterUnreachable",
      "90 ok",
      "400 ClusterUnreachable",
      "405 ok",
    ]);
  });

  test("that is said at once the first time is not said at once while contact comes and goes", async () => {
    const { contact, said, flap } = damped({ firstMs: 0 });
    contact.take(there);
    for (let absence = 0; absence < 10; absence++) await flap(4, 3.5);
    expect(said).toEqual(["0 ok", "0 ClusterUnreachable", "4 ok"]);
  });

  test("costs one write in a minute, whatever the rhythm", async () => {
    for (const seconds of [3, 8, 12, 25, 45, 70, 110]) {
      const { contact, said, clock, flap } = damped();
      contact.take(there);
      while (clock.monotonic() < 3_600 * SECOND) await flap(seconds, seconds);
      expect(said.length).toBeLessThanOrEqual(65);
    }
  });
});

describe("why there is no contact", () => {
  test("is said at once where nothing was said before", () => {
    const { contact, said } = damped();
    contact.take({ ok: false });
    contact.take(away);
    expect(said).toEqual(["0 undefined", "0 ClusterUnreachable"]);
  });

  test("is said anew once a minute, with what it is then", async () => {
    const { contact, clock, said } = damped();
    contact.take(away);
    for (let turn = 0; turn < 25; turn++) {
      await clock.advance(8 * SECOND);
      contact.take(turn % 2 === 0 ? notReady : away);
    }
    expect(said.length).toBeLessThanOrEqual(5);
    await clock.advance(60 * SECOND);
    expect([contact.said, clock.pending]).toEqual([notReady, 0]);
  });

  test("is not said twice", async () => {
    const { contact, clock, said } = damped();
    contact.take(there);
    contact.take(away);
    await clock.advance(60 * SECOND);
    contact.take({ ...away });
    expect(said).toHaveLength(2);
  });
});

test("nothing is said after the end", async () => {
  const { contact, clock, said } = damped();
  contact.take(there);
  contact.take(away);
  contact[Symbol.dispose]();
  await clock.advance(60 * SECOND);
  expect([said, clock.pending]).toEqual([["0 ok"], 0]);
});
