import { describe, expect, test } from "vitest";
import { DELETION_POLICY_ANNOTATION, type KubeObject, type ObjectMeta } from "../../../apis/index.ts";
import { ScriptedClient } from "../../../clusters/testing/scriptedClient.ts";
import type { HubEvent, PlacedKind } from "../../../hub/index.ts";
import { ApiError, DEMOAPPLICATIONS, Emitter } from "../../../runtime/index.ts";
import { ObjectStates } from "../../states/index.ts";
import { OrphaningDeletions } from "./orphaning.ts";

const kind = { type: DEMOAPPLICATIONS } as PlacedKind;
const { signal } = new AbortController();
const object = (metadata: Partial<ObjectMeta> = {}): KubeObject => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", namespace: "team", uid: "u", ...metadata },
});
const going = (metadata: Partial<ObjectMeta> = {}) =>
  object({ deletionTimestamp: "2026-01-01T00:00:00Z", ...metadata });

/** `history`: the object at each resourceVersion that the hub remembers. */
function setUp(history: Readonly<Record<string, KubeObject | undefined>> = {}) {
  const client = new ScriptedClient(({ verb, options }) => {
    const version = String(options["resourceVersion"]);
    if (verb !== "list") return undefined;
    if (!(version in history)) return new ApiError(410, "Expired", "too old resource version");
    const found = history[version];
    return { items: found === undefined ? [] : [found] };
  });
  const deletions = new OrphaningDeletions({ client: client.client, states: new ObjectStates() });
  const events = new Emitter<HubEvent<KubeObject>>();
  deletions.noting({ onObject: (handler) => events.subscribe(handler) }).subscribe(() => undefined);
  const emit = (type: "Added" | "Updated" | "Deleted", now: KubeObject, old?: KubeObject): void =>
    events.emit({ type, key: "team/shop", object: now, old, initial: false } as HubEvent<KubeObject>);
  const settle = (now: KubeObject) => deletions.settle(now, kind, signal);
  const asked = () => client.calls.flatMap(({ options: { resourceVersion: version } }) => version ?? []);
  const patches = () => client.calls.filter(({ verb }) => verb === "patch");
  return { client, deletions, emit, settle, asked, patches };
}

describe("a deletion with --cascade=orphan", () => {
  const marked = going({ finalizers: ["orphan"] });
  const collected = going({ finalizers: [], resourceVersion: "9" });

  test("is remembered after the hub's garbage collector has removed the finalizer, for this UID alone", () => {
    const { deletions, emit } = setUp();
    emit("Updated", marked, object());
    emit("Updated", collected, marked);
    expect([deletions.isOrphaned(collected), deletions.isOrphaned(object({ uid: "next" }))]).toEqual([true, false]);
    emit("Deleted", collected);
    expect(deletions.isOrphaned(collected)).toBe(false);
  });

  test.each([
    { name: "without the finalizer", now: collected },
    { name: "that nobody has begun", now: object({ finalizers: ["orphan"] }) },
  ])("is not seen in a deletion $name", async ({ now }) => {
    const { deletions, emit, settle, client } = setUp();
    emit("Updated", now, object());
    expect([deletions.isOrphaned(now), await settle(now), client.calls]).toEqual([false, "Settled", []]);
  });

  test("is written onto the object of this UID, for the next leader", async () => {
    const { emit, settle, client } = setUp();
    emit("Updated", marked, object());
    expect(await settle(marked)).toBe("Settled");
    const body = { metadata: { uid: "u", annotations: { [DELETION_POLICY_ANNOTATION]: "Orphan" } } };
    const options = { patchType: "application/merge-patch+json" };
    const where = { what: "demoapplications", namespace: "team", name: "shop" };
    expect(client.calls).toEqual([{ verb: "patch", ...where, body, options }]);
  });

  test("is known by the annotation alone, and is not written again", async () => {
    const { deletions, emit, settle, client } = setUp();
    const written = going({ annotations: { [DELETION_POLICY_ANNOTATION]: "Orphan" }, resourceVersion: "9" });
    emit("Added", written);
    expect([deletions.isOrphaned(written), await settle(written), client.calls]).toEqual([true, "Settled", []]);
  });

  test.each([
    { refusal: new ApiError(409, "Conflict", "the uid does not match"), want: "Changed" },
    { refusal: new ApiError(404, "NotFound", "no such object"), want: "Changed" },
    { refusal: new ApiError(403, "Forbidden", "no right to that"), want: undefined },
  ])("that the hub answers with $refusal.reason waits for the next state, or fails", async ({ refusal, want }) => {
    const { emit, settle, client } = setUp();
    client.answer = () => refusal;
    emit("Updated", marked, object());
    if (want === undefined) await expect(settle(marked)).rejects.toBe(refusal);
    else expect(await settle(marked)).toBe(want);
  });
});

describe("a deletion that began before the manager", () => {
  const at = (resourceVersion: string, metadata: Partial<ObjectMeta> = {}) => going({ resourceVersion, ...metadata });

  test.each<[string, Parameters<typeof setUp>[0], boolean, string[]]>([
    [
      "an earlier state has the finalizer",
      { "8": at("6"), "5": at("5", { finalizers: ["x", "orphan"] }) },
      true,
      ["8", "5"],
    ],
    [
      "the first state of the deletion lacks the finalizer",
      { "8": at("6"), "5": object({ resourceVersion: "5", finalizers: ["orphan"] }) },
      false,
      ["8", "5"],
    ],
    ["the hub has forgotten the earlier states", {}, false, ["8"]],
    ["the earlier object has another UID", { "8": at("8", { uid: "former", finalizers: ["orphan"] }) }, false, ["8"]],
  ])("is judged once by the earlier states: %s", async (_, history, want, versions) => {
    const { deletions, emit, asked, patches, settle, client } = setUp(history);
    emit("Added", at("9"));
    expect([await settle(at("9")), deletions.isOrphaned(at("9"))]).toEqual(["Settled", want]);
    expect([patches().length, asked()]).toEqual([want ? 1 : 0, versions]);
    expect(client.calls[0]?.options).toMatchObject({
      ...{ namespace: "team", fieldSelector: "metadata.name=shop", resourceVersionMatch: "Exact", metadataOnly: true },
    });
    if (!want) await settle(at("9"));
    expect(asked()).toEqual(versions);
  });

  test("is judged by twenty states at most", async () => {
    const history = Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`${index + 1}`, at(`${index + 1}`)]));
    const { deletions, emit, asked, settle } = setUp(history);
    emit("Added", at("99"));
    await settle(at("99"));
    expect([asked().length, deletions.isOrphaned(at("99"))]).toEqual([20, false]);
  });

  test.each(["abc", "9x", "x9", "0"])("is not judged by a version that is no number: %s", async (version) => {
    const { emit, asked, settle } = setUp();
    emit("Added", at(version));
    await settle(at(version));
    expect(asked()).toEqual([]);
  });

  test("is judged again after an error of the hub", async () => {
    const { client, emit, asked, settle } = setUp();
    client.answer = () => new ApiError(503, "ServiceUnavailable", "later");
    emit("Added", at("9"));
    for (let attempt = 0; attempt < 2; attempt += 1) await expect(settle(at("9"))).rejects.toThrow("later");
    expect(asked()).toEqual(["8", "8"]);
  });
});
