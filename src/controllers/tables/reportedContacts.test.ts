import { describe, expect, onTestFinished, test } from "vitest";
import type { ClusterContact } from "./clusterContact.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { Observations } from "./observations.ts";
import { ReportedContacts } from "./reportedContacts.ts";
import { CLUSTER, inContact } from "../testing/builders.ts";

const away: ClusterContact = {
  ...inContact,
  ok: false,
  synced: false,
  reason: "ClusterUnreachable",
  message: "connection refused",
  lastContact: 5,
};

function reported() {
  const clock = new FakeClock();
  const observations = new Observations();
  const contacts = new ReportedContacts({ observations, clock });
  onTestFinished(() => contacts[Symbol.dispose]());
  const changes: string[] = [];
  contacts.changes.subscribe((cluster) => void changes.push(cluster));
  const hear = (contact: ClusterContact | undefined): void => observations.contact(CLUSTER, contact);
  return { clock, contacts, changes, hear };
}

describe("what statuses say of the contact with a cluster", () => {
  test("is no loss before it has lasted; how old the news are is known meanwhile", async () => {
    const { clock, contacts, changes, hear } = reported();
    hear(inContact);
    changes.length = 0;
    hear(away);
    await clock.advance(9_900);
    expect([contacts.of(CLUSTER).ok, contacts.lastContact(CLUSTER), changes]).toEqual([true, 5, []]);
    await clock.advance(200);
    expect([contacts.of(CLUSTER), contacts.lastContact(CLUSTER), changes]).toEqual([away, undefined, [CLUSTER]]);
    hear(inContact);
    expect([contacts.of(CLUSTER), changes]).toEqual([inContact, [CLUSTER, CLUSTER]]);
  });

  test("is beside it when a cluster that was lost came back; one that was never lost did not", async () => {
    const { clock, contacts, hear } = reported();
    hear({ ...away, pending: true });
    hear(inContact);
    expect(contacts.returnedAt(CLUSTER)).toBeUndefined();
    hear(away);
    await clock.advance(5_000);
    hear(inContact);
    const soon = clock.now();
    expect(contacts.returnedAt(CLUSTER)).toBe(soon);
    hear(away);
    await clock.advance(60_000);
    expect(contacts.returnedAt(CLUSTER)).toBe(soon);
    hear(inContact);
    expect(contacts.returnedAt(CLUSTER)).toBe(clock.now());
    hear(undefined);
    expect(contacts.returnedAt(CLUSTER)).toBeUndefined();
  });

  test("changes at once when more or less of the cluster is known, and not for the same once more", () => {
    const { changes, hear } = reported();
    hear(inContact);
    changes.length = 0;
    hear({ ...inContact });
    expect(changes).toEqual([]);
    hear({ ...inContact, synced: false, partlySynced: true, unreadable: new Map([["/Secret", "forbidden"]]) });
    expect(changes).toEqual([CLUSTER]);
    hear({ ...inContact, synced: false, partlySynced: true, unreadable: new Map([["/Secret", "forbidden"]]) });
    expect(changes).toEqual([CLUSTER]);
  });
});
