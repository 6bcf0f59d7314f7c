import { expect, test } from "vitest";
import { Discovery } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import type { ClusterAccess } from "./clusterAccess.ts";
import { LiveSession } from "./session.ts";
import { CLUSTER } from "../testing/builders.ts";
import { ScriptedClient } from "../testing/scriptedClient.ts";

test("a session has its access, and passes suspicions on until it ends with a reason", () => {
  const { client } = new ScriptedClient();
  const access = { client, discovery: new Discovery(client, new FakeClock()), local: true, namespaces: ["shop"] };
  let suspicions = 0;
  const session = new LiveSession(CLUSTER, "uid", access as unknown as ClusterAccess, () => void (suspicions += 1));
  expect(session).toMatchObject({ cluster: CLUSTER, clusterUid: "uid", local: true, namespaces: ["shop"] });
  expect([session.client === client, session.discovery, session.signal.aborted]).toEqual([
    true,
    access.discovery,
    false,
  ]);
  session.suspect();
  session.end("the credentials have changed");
  session.suspect();
  expect(suspicions).toBe(1);
  expect(session.signal.reason).toEqual(
    new Error(`the session with ${CLUSTER} has ended: the credentials have changed`),
  );
});
