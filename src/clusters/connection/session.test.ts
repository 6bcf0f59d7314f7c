import { expect, test } from "vitest";
import { Discovery } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import type { ClusterAccess } from "./clusterAccess.ts";
import { LiveSession } from "./session.ts";
import { CLUSTER } from "../testing/builders.ts";
import { ScriptedClient } from "../testing/scriptedClient.ts";

function begun(namespaces?: string[]) {
  const { client } = new ScriptedClient();
  const discovery = new Discovery(client, new FakeClock());
  const state = { suspicions: 0 };
  const access = { client, discovery, local: true, namespaces } as unknown as ClusterAccess;
  const session = new LiveSession(CLUSTER, "uid", access, () => void (state.suspicions += 1));
  return { session, state, client, discovery };
}

test("a session says where it leads", () => {
  const { session, client, discovery } = begun(["shop"]);
  expect(session).toMatchObject({ cluster: CLUSTER, clusterUid: "uid", local: true, namespaces: ["shop"] });
  expect([session.client === client, session.discovery === discovery]).toEqual([true, true]);
  expect(session.signal.aborted).toBe(false);
});

test("a suspicion is passed on until the session ends, with the reason for its end", () => {
  const { session, state } = begun();
  session.suspect();
  session.suspect();
  expect(state.suspicions).toBe(2);
  session.end("the credentials have changed");
  session.suspect();
  expect(state.suspicions).toBe(2);
  expect(session.signal.reason).toEqual(
    new Error("the session with shanghai-1 has ended: the credentials have changed"),
  );
});
