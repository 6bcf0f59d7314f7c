import { describe, expect, test } from "vitest";
import { MemberReads } from "../../../src/query/index.ts";
import { ApiError, DEMOAPPLICATIONS, DEPLOYMENTS, PLACEMENTS, PODS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { deployment } from "./objects.ts";

/** Logs, Events and pods of placed objects, through the manager's own connections. */

const APP = { kind: "DemoApplication", group: "paas.cmft.com", namespace: "default" };
const LOG = { tailLines: 100, follow: false, previous: false, timestamps: false, idleTimeoutMs: 1_000 };

/** The application `shop` on one member, on which somebody else has pods with the same labels. */
async function reading(image = "shop:1") {
  const federation = await TestFederation.prepare("shanghai");
  const state: { reads?: MemberReads } = {};
  federation.onStart = (view, _hub, pool) => {
    state.reads = new MemberReads({
      view,
      sessionOf: (cluster) => pool()?.session(cluster),
      contactOf: (cluster) => pool()?.contact(cluster) ?? { ok: false },
    });
  };
  await federation.startManager();
  await federation.apply(PLACEMENTS, placement("all"));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2).image(image));
  const { server } = federation.member("shanghai");
  const { reads } = state;
  if (reads === undefined) throw new Error("the manager did not start");
  const podsOn = (prefix: string): string[] =>
    server
      .list(PODS, { namespace: "default" })
      .flatMap(({ metadata: { name } }) => (name.startsWith(prefix) ? [name] : []));
  await federation.until(() => podsOn("shop-").length === 2);
  const target = (name = "shop") => ({ object: { ...APP, name }, cluster: "shanghai" });
  const { signal } = new AbortController();
  /** The answer, or the error. */
  const answered = async <T>(answer: Promise<T>): Promise<T | Error> => {
    const settled = answer.catch((error: unknown) => error as Error);
    await federation.pass(1_000);
    return settled;
  };
  const log = async (options: object, name?: string): Promise<string | Error> =>
    answered(
      (async () => {
        const { bytes } = await reads.log(target(name), { ...LOG, ...options }, signal);
        const pieces: Uint8Array[] = [];
        for await (const piece of bytes) pieces.push(piece);
        return Buffer.concat(pieces).toString();
      })(),
    );
  return { federation, server, reads, target, signal, answered, log, podsOn };
}

describe("what members say of a placed object", () => {
  test("are its own pods, and no pod with the same labels", async () => {
    const { federation, server, reads, target, signal, answered, log, podsOn } = await reading();
    await using _ = federation;
    const stranger = deployment("stranger", 1);
    (stranger["spec"] as { template: { metadata: object } }).template.metadata = {
      labels: { app: "stranger", "app.kubernetes.io/part-of": "shop" },
    };
    await server.create(DEPLOYMENTS, stranger);
    await server.create(PODS, {
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: { name: "shop-forged", namespace: "default", labels: { app: "forged" } },
      spec: { containers: [{ name: "web", image: "forged" }] },
    });
    await federation.untilAvailable("shop");
    const found = await answered(reads.pods(target(), signal));
    const own = podsOn("shop-")
      .filter((name) => name !== "shop-forged")
      .toSorted();
    expect(found).toMatchObject({ isWhole: true, items: own.map((name) => ({ name, phase: "Running", ready: true })) });

    const [first = ""] = own;
    expect(await log({ pod: first })).toContain(`sandbox: ${first} would run shop:1 here`);
    expect(await log({ pod: first, tailLines: 1 })).toMatch(/^[^\n]+\n$/);
    const [theirs = ""] = podsOn("stranger-");
    const missing = await log({ pod: "shop-nothing" });
    expect(missing).toMatchObject({ failure: "NotFound" });
    for (const pod of [theirs, "shop-forged"]) expect(await log({ pod })).toEqual(missing);
    expect(await log({})).toMatchObject({ failure: "BadRequest", message: expect.stringContaining(first) });
    expect(await log({ pod: first, container: "sidecar" })).toMatchObject({ failure: "BadRequest" });
  }, 60_000);

  test("are the Events of its pods that cannot start, and of no others", async () => {
    const { federation, server, reads, target, signal, answered } = await reading("shop:does-not-exist");
    await using _ = federation;
    await server.create(DEPLOYMENTS, deployment("stranger", 1));
    await federation.until(() => federation.entry("shop", "shanghai")?.reason === "ImagePullBackOff");
    const found = await answered(reads.events(target(), signal));
    if (found instanceof Error) throw found;
    expect(found.items).toContainEqual(
      expect.objectContaining({ type: "Warning", object: expect.objectContaining({ kind: "Pod" }) }),
    );
    for (const { object } of found.items) expect(object.name).toMatch(/^shop/);
    const pods = await answered(reads.pods(target(), signal));
    expect(pods).toMatchObject({
      items: [{ ready: false, containers: [{ state: "Waiting", reason: expect.stringMatching(/Image/) }] }, {}],
    });
  }, 60_000);

  test("is nothing for an object that is not there, and a reason while the cluster is away", async () => {
    const { federation, reads, target, signal, answered, log } = await reading();
    await using _ = federation;
    expect(await answered(reads.pods(target("nothing"), signal))).toEqual({ items: [], isWhole: true });
    expect(await log({}, "nothing")).toMatchObject({ failure: "NotFound" });
    federation.member("shanghai").cutOff();
    await federation.pass(30_000);
    expect(await log({})).toMatchObject({ failure: "Unreachable", message: expect.stringContaining("shanghai") });
  }, 60_000);

  test("names the right that the member does not give", async () => {
    const { federation, target, reads, signal, answered } = await reading();
    await using _ = federation;

    federation.member("shanghai").refuse = (verb, type) =>
      verb === "list" && type?.plural === "pods" ? new ApiError(403, "Forbidden", "no") : undefined;
    expect(await answered(reads.pods(target(), signal))).toMatchObject({
      failure: "NotGranted",
      message: expect.stringContaining("the right to list pods"),
    });
  }, 60_000);
});
