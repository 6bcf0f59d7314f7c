import { expect, test } from "vitest";
import { connecting } from "./testing/memberConnecting.ts";

/** A member that answers its probes, and sends without measure what it offers. */

const MINUTE = 60_000;
const WITHOUT_MEASURE = "v".repeat(1_000);
const versionsRead = (calls: readonly string[]) => calls.filter((call) => call === "raw /version").length;

test("a member that misbehaves from the start has no session, and nothing of it is believed, until it behaves", async () => {
  const { connection, member, begin, settle, sessions, status } = connecting();
  member.version = WITHOUT_MEASURE;
  await begin();
  await settle(5_000);
  expect([connection.session, sessions.length, status()?.kubernetesVersion]).toEqual([undefined, 0, undefined]);
  expect(connection.contact).toMatchObject({ ok: false, reason: "ClusterUnreachable" });
  expect(connection.contact.message).toMatch(/GET \/version/);
  expect(connection.claim.recordedUid).toBeUndefined();
  member.version = "v1.35.4";
  await settle(MINUTE);
  await settle(10_000);
  expect(connection.contact.ok).toBe(true);
  expect(status()).toMatchObject({ kubernetesVersion: "v1.35.4" });
});

test("a member that misbehaves later loses contact, keeps its session, and is asked less and less often", async () => {
  const { connection, member, begin, settle, events, status } = connecting();
  await begin();
  const [client] = member.clients.slice(-1);
  const { session } = connection;
  member.version = WITHOUT_MEASURE;
  await settle(5 * MINUTE);
  for (let passed = 0; passed < 4; passed += 1) await settle(5_000);
  expect(connection.contact).toMatchObject({ ok: false, reason: "ClusterUnreachable" });
  expect([connection.session === session, session?.signal.aborted]).toEqual([true, false]);
  expect(status()?.kubernetesVersion).toBe("v1.35.4");
  const before = versionsRead(client?.calls ?? []);
  // Contact of every kind changes nothing about it.
  for (let passed = 0; passed < 200; passed += 1) {
    session?.suspect();
    await settle(3_000);
  }
  expect(versionsRead(client?.calls ?? []) - before).toBeLessThanOrEqual(5);
  expect(events.length).toBeLessThan(4);
  member.version = "v1.36.0";
  await settle(6 * MINUTE);
  for (let passed = 0; passed < 4; passed += 1) await settle(5_000);
  expect(connection.contact.ok).toBe(true);
  expect(status()?.kubernetesVersion).toBe("v1.36.0");
});
