import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type KubeObject, type MemberCluster, REPLICA_BOUNDS_ANNOTATION } from "../apis/index.ts";
import { clusterObject, placementObject } from "../../test/builders/policyObjects.ts";
import { application, setUpHub } from "../hub/testing/fakeHub.ts";
import { DEMOAPPLICATIONS, MEMBERCLUSTERS, NAMESPACES, SECRETS, TransportError } from "../runtime/index.ts";
import { HubFacts } from "./hubFacts.ts";
import { requestOf } from "./testing/facts.ts";

const SYSTEM = "meridian-system";
const { signal } = new AbortController();

function setUp() {
  const made = setUpHub();
  const facts = new HubFacts({
    hub: made.cache,
    client: made.hub,
    namespace: SYSTEM,
    clock: made.clock,
    logger: made.logger,
  });
  return { ...made, facts };
}
const namespace = (name: string, bounds: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, annotations: { [REPLICA_BOUNDS_ANNOTATION]: bounds } },
});
const names = (objects: readonly { metadata: { name: string } }[]): string[] =>
  objects.map(({ metadata }) => metadata.name);

describe("what admission knows of the hub", () => {
  test("is not guessed: a call waits for the first read for a while, and then fails", async () => {
    const { facts } = setUp();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort(new Error("timeout")));
    onTestFinished(() => timeout.mockRestore());
    await expect(facts.read(requestOf("CREATE", application("a")), signal)).rejects.toThrow("timeout");
    expect(timeout).toHaveBeenCalledWith(1_500);
  });

  test("comes from the cache: applications by port, by cluster and by protection", async () => {
    const { server, facts, start } = setUp();
    const on = (...clusters: string[]) => ({ status: { clusters: clusters.map((name) => ({ name })) } });
    server.create(
      DEMOAPPLICATIONS,
      application("a", "one", { ...on("east"), spec: { ports: [{ port: 80, nodePort: 30_002, protocol: "TCP" }] } }),
    );
    server.create(
      DEMOAPPLICATIONS,
      application("b", "one", {
        metadata: { name: "b", labels: { "paas.cmft.com/deletion-protection": "true" } },
        status: { clusters: [], summary: [{ region: "south", clusters: 9 }] },
      }),
    );
    server.create(DEMOAPPLICATIONS, application("c", "two", on("west")));
    const east = clusterObject({}, "east");
    server.create(MEMBERCLUSTERS, {
      ...east,
      metadata: { name: "east", labels: { "topology.kubernetes.io/region": "south" } },
    });
    await start();
    const known = await facts.read(requestOf("DELETE", east, east), signal);
    expect(known.applicationsWithNodePort(30_002)).toMatchObject([
      { metadata: { name: "a", namespace: "one" }, ports: [{ nodePort: 30_002, protocol: "TCP" }], clusters: ["east"] },
    ]);
    expect(names(known.applicationsOn("east"))).toEqual(["a", "b"]);
    expect(names(known.applicationsOn("west"))).toEqual(["c"]);
    expect(names(known.protectedIn("one"))).toEqual(["b"]);
    expect(known.clusters).toMatchObject([{ name: "east", region: "south", local: true }]);
  });

  test("has the bounds of a namespace, also of one that has not come by watch yet", async () => {
    const { hub, server, facts, start } = setUp();
    server.create(NAMESPACES, namespace("old", "0-5"));
    await start();
    const boundsIn = async (name: string) =>
      (await facts.read(requestOf("CREATE", application("a", name)), signal)).replicaBounds;
    expect(await boundsIn("old")).toMatchObject({ most: 5 });
    expect(hub.count("get", NAMESPACES)).toBe(0);
    server.create(NAMESPACES, namespace("new", "0-7"));
    expect(await boundsIn("new")).toMatchObject({ most: 7 });
    expect(await boundsIn("none")).toMatchObject({ most: 100 });
  });

  test("has what the hub serves for policies alone, and nothing when the hub does not say", async () => {
    const { hub, facts, start } = setUp();
    await start();
    const placement = requestOf("CREATE", placementObject({}));
    expect((await facts.read(requestOf("CREATE", application("a")), signal)).servedKinds).toBeUndefined();
    expect((await facts.read(placement, signal)).servedKinds).toContainEqual(
      expect.objectContaining({ kind: "DemoApplication" }),
    );
    const broken = setUp();
    await broken.start();
    broken.hub.discoveryFailure = new TransportError("ConnectionReset", "connection reset");
    expect((await broken.facts.read(placement, signal)).servedKinds).toBeUndefined();
    expect(hub.calls.filter((call) => call.startsWith("raw"))).toHaveLength(2);
  });

  test("has the address in a member's kubeconfig, and no more of it", async () => {
    const { server, facts, start } = setUp();
    const kubeconfig = JSON.stringify({
      clusters: [{ name: "m", cluster: { server: "https://member.test:6443" } }],
      contexts: [{ name: "m", context: { cluster: "m" } }],
      "current-context": "m",
    });
    server.create(SECRETS, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "a", namespace: SYSTEM },
      data: { kubeconfig: Buffer.from(kubeconfig).toString("base64") },
    });
    await start();
    const cluster = (name: string) => clusterObject({ connection: { kubeconfigSecretRef: { name } } }, name);
    const endpointOf = async (object: KubeObject) =>
      (await facts.read(requestOf("CREATE", object), signal)).endpoint(object as unknown as MemberCluster);
    expect(await endpointOf(cluster("a"))).toEqual({ kind: "Server", server: "https://member.test:6443" });
    expect(await endpointOf(cluster("b"))).toEqual({ kind: "Missing", secret: "b" });
    expect(await endpointOf(clusterObject({}, "c"))).toEqual({ kind: "Unknown" });
  });
});
