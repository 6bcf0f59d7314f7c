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
  const published: string[] = [];
  const contact = new DampedContact({
    clock,
    damping: { firstMs: 10 * SECOND, longestMs: 120 * SECOND, textMs: 60 * SECOND, ...damping },
    changed: () =>
      void published.push(
        `${clock.monotonic() / SECOND} ${contact.published?.ok === true ? "ok" : contact.published?.reason}`,
      ),
  });
  /** Loses contact for some seconds, and regains it for some seconds. */
  const flap = async (awaySeconds: number, thereSeconds: number): Promise<void> => {
    contact.take(away);
    await clock.advance(awaySeconds * SECOND);
    contact.take(there);
    await clock.advance(thereSeconds * SECOND);
  };
  return { clock, contact, published, flap };
}

describe("a loss of contact", () => {
  test("is published after a delay, and its end at once", async () => {
    const { contact, clock, published } = damped();
    contact.take(there);
    contact.take(away);
    await clock.advance(9 * SECOND);
    expect([contact.published, contact.lost]).toEqual([there, away]);
    await clock.advance(5 * SECOND);
    expect([contact.published, contact.lost]).toEqual([away, undefined]);
    contact.take(there);
    expect(published).toEqual(["0 ok", "10 ClusterUnreachable", "14 ok"]);
    expect(clock.pending).toBe(0);
  });

  test("that is shorter than the delay is not published", async () => {
    const { contact, clock, published, flap } = damped();
    contact.take(there);
    for (let absence = 0; absence < 10; absence++) await flap(5, 2.5);
    expect([published, clock.pending]).toEqual([["0 ok"], 0]);
  });

  test("has a longer delay each time while contact flaps, up to a bound", async () => {
    const { contact, published, flap } = damped();
    contact.take(there);
    const saidAfter: number[] = [];
    for (let absence = 0; absence < 7; absence++) {
      const before = published.length;
      await flap(125, 30);
      const at = Number.parseFloat(published[before] ?? "");
      saidAfter.push(at - absence * 155);
    }
    expect(saidAfter).toEqual([10, 20, 40, 80, 120, 120, 120]);
  });

  test("after five minutes of contact has the first delay again", async () => {
    const { contact, published, flap } = damped();
    contact.take(there);
    await flap(30, 30);
    await flap(30, 300);
    await flap(15, 1);
    expect(published).toEqual([
      "0 ok",
      "10 ClusterUnreachable",
      "30 ok",
      "80 ClusterUnreachable",
      "90 ok",
      "400 ClusterUnreachable",
      "405 ok",
    ]);
  });

  test("that is published at once the first time has a delay while contact flaps", async () => {
    const { contact, published, flap } = damped({ firstMs: 0 });
    contact.take(there);
    for (let absence = 0; absence < 10; absence++) await flap(4, 3.5);
    expect(published).toEqual(["0 ok", "0 ClusterUnreachable", "4 ok"]);
  });

  test("causes about one write a minute at most, whatever the rhythm", async () => {
    for (const seconds of [3, 8, 12, 25, 45, 70, 110]) {
      const { contact, published, clock, flap } = damped();
      contact.take(there);
      while (clock.monotonic() < 3_600 * SECOND) await flap(seconds, seconds);
      expect(published.length).toBeLessThanOrEqual(65);
    }
  });
});

describe("the reason of a loss", () => {
  test("is published at once after an untried contact", () => {
    const { contact, published } = damped();
    contact.take({ ok: false });
    contact.take(away);
    expect(published).toEqual(["0 undefined", "0 ClusterUnreachable"]);
  });

  test("is published again once a minute at most", async () => {
    const { contact, clock, published } = damped();
    contact.take(away);
    for (let turn = 0; turn < 25; turn++) {
      await clock.advance(8 * SECOND);
      contact.take(turn % 2 === 0 ? notReady : away);
    }
    expect(published.length).toBeLessThanOrEqual(5);
    await clock.advance(60 * SECOND);
    expect([contact.published, clock.pending]).toEqual([notReady, 0]);
  });
});

test("nothing is published after the end", async () => {
  const { contact, clock, published } = damped();
  contact.take(there);
  contact.take(away);
  contact[Symbol.dispose]();
  await clock.advance(60 * SECOND);
  expect([published, clock.pending]).toEqual([["0 ok"], 0]);
});
