import { describe, expect, test } from "vitest";
import type { KubeObject, ObjectMeta } from "../../apis/index.ts";
import type { HubEvent, PlacedKind } from "../../hub/index.ts";
import { ApiError, type Client, DEMOAPPLICATIONS, Emitter, type ListOptions } from "../../runtime/index.ts";
import { OrphaningDeletions } from "./orphaning.ts";

const ORPHAN = "orphan";
const ANNOTATION = "federation.paas.cmft.com/deletion-policy";
const deletionTimestamp = "2026-01-01T00:00:00Z";
const kind = { type: DEMOAPPLICATIONS } as PlacedKind;
const { signal } = new AbortController();

const object = (metadata: Partial<ObjectMeta> = {}): KubeObject => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", namespace: "team", uid: "u", ...metadata },
});

interface Hub {
  /** The object as the hub had it at a resourceVersion, as far as the hub remembers. */
  history?: Readonly<Record<string, KubeObject | undefined>>;
  /** What the hub says to a patch. */
  refusal?: Error;
  /** What the hub says to a list. */
  outage?: Error;
}

function setUp({ history = {}, refusal, outage }: Hub = {}) {
  const patches: unknown[] = [];
  const asked: string[] = [];
  const client = {
    patch: async (...[, namespace, name, type, body]: unknown[]) => {
      patches.push({ place: `${String(namespace)}/${String(name)}`, type, body });
      if (refusal !== undefined) throw refusal;
    },
    list: async (_type: unknown, { resourceVersion = "", ...options }: ListOptions) => {
      expect(options).toMatchObject({
        namespace: "team",
        fieldSelector: "metadata.name=shop",
        resourceVersionMatch: "Exact",
        metadataOnly: true,
      });
      asked.push(resourceVersion);
      if (outage !== undefined) throw outage;
      if (!(resourceVersion in history)) throw new ApiError(410, "Expired", "too old resource version");
      const found = history[resourceVersion];
      return { items: found === undefined ? [] : [found] };
    },
  } as unknown as Client;
  const deletions = new OrphaningDeletions({ client });
  const events = new Emitter<HubEvent<KubeObject>>();
  deletions.noting(events as never).subscribe(() => undefined);
  const emit = (type: "Added" | "Updated" | "Deleted", now: KubeObject, old?: KubeObject): void =>
    events.emit({ type, key: "team/shop", object: now, old, initial: false } as HubEvent<KubeObject>);
  return { deletions, emit, patches, asked };
}

describe("a deletion with --cascade=orphan", () => {
  const deleted = object({ deletionTimestamp, finalizers: [ORPHAN] });
  const forgotten = object({ deletionTimestamp, finalizers: [], resourceVersion: "9" });

  test("is remembered after the hub's garbage collector has taken its mark off", () => {
    const { deletions, emit } = setUp();
    emit("Updated", deleted, object());
    emit("Updated", forgotten, deleted);
    expect(deletions.isOrphaned(forgotten)).toBe(true);
  });

  test("is another one than a deletion without it", async () => {
    const { deletions, emit, patches, asked } = setUp();
    emit("Updated", forgotten, object());
    expect(deletions.isOrphaned(forgotten)).toBe(false);
    expect(await deletions.settle(forgotten, kind, signal)).toBe("Settled");
    expect([patches, asked]).toEqual([[], []]);
  });

  test("is not seen in an object with that finalizer that nobody deletes", () => {
    const { deletions, emit } = setUp();
    emit("Updated", object({ finalizers: [ORPHAN] }), object());
    expect(deletions.isOrphaned(object())).toBe(false);
  });

  test("is not remembered of an object that has gone, nor of the next one of that name", () => {
    const { deletions, emit } = setUp();
    emit("Updated", deleted, object());
    expect(deletions.isOrphaned(object({ uid: "next" }))).toBe(false);
    emit("Deleted", forgotten);
    expect(deletions.isOrphaned(forgotten)).toBe(false);
  });

  test("is written onto the object, provided that it is that one, for whoever comes after", async () => {
    const { deletions, emit, patches } = setUp();
    emit("Updated", deleted, object());
    expect(await deletions.settle(deleted, kind, signal)).toBe("Settled");
    const body = { metadata: { uid: "u", annotations: { [ANNOTATION]: "Orphan" } } };
    expect(patches).toEqual([{ place: "team/shop", type: "application/merge-patch+json", body }]);
  });

  test("is written once, and is known by that alone", async () => {
    const { deletions, emit, patches, asked } = setUp();
    const annotations = { [ANNOTATION]: "Orphan" };
    const written = object({ deletionTimestamp, annotations, resourceVersion: "9" });
    emit("Added", written);
    expect(deletions.isOrphaned(written)).toBe(true);
    expect(await deletions.settle(written, kind, signal)).toBe("Settled");
    expect([patches, asked]).toEqual([[], []]);
  });

  test.each([
    { name: "changes", refusal: new ApiError(409, "Conflict", "the uid does not match") },
    { name: "goes", refusal: new ApiError(404, "NotFound", "no such object") },
  ])("waits for the object's next state when the object $name meanwhile", async ({ refusal }) => {
    const { deletions, emit } = setUp({ refusal });
    emit("Updated", deleted, object());
    expect(await deletions.settle(deleted, kind, signal)).toBe("Changed");
  });

  test("fails when it cannot be written for another reason", async () => {
    const refusal = new ApiError(403, "Forbidden", "no right to that");
    const { deletions, emit } = setUp({ refusal });
    emit("Updated", deleted, object());
    await expect(deletions.settle(deleted, kind, signal)).rejects.toBe(refusal);
  });
});

describe("a deletion that began before the manager", () => {
  const at = (resourceVersion: string, metadata: Partial<ObjectMeta> = {}) =>
    object({ deletionTimestamp, resourceVersion, ...metadata });

  test.each<{ name: string; history: Hub["history"]; want: boolean; asked: string[] }>([
    {
      name: "leaves the copies when an earlier state has the mark",
      history: { "8": at("6"), "5": at("5", { finalizers: ["x", ORPHAN] }) },
      want: true,
      asked: ["8", "5"],
    },
    {
      name: "does not when the states go back to before the deletion without it",
      history: { "8": at("6"), "5": object({ resourceVersion: "5", finalizers: [ORPHAN] }) },
      want: false,
      asked: ["8", "5"],
    },
    { name: "does not when the hub has forgotten the earlier states", history: {}, want: false, asked: ["8"] },
    {
      name: "does not when the object of that name was another one then",
      history: { "8": at("8", { uid: "former", finalizers: [ORPHAN] }) },
      want: false,
      asked: ["8"],
    },
    { name: "does not when there was no object then", history: { "8": undefined }, want: false, asked: ["8"] },
  ])("$name", async ({ history = {}, want, asked: expected }) => {
    const { deletions, emit, asked, patches } = setUp({ history });
    emit("Added", at("9"));
    expect(await deletions.settle(at("9"), kind, signal)).toBe("Settled");
    expect(deletions.isOrphaned(at("9"))).toBe(want);
    expect(patches).toHaveLength(want ? 1 : 0);
    expect(asked).toEqual(expected);
  });

  test("is asked about once", async () => {
    const { deletions, emit, asked } = setUp({ history: { "8": undefined } });
    emit("Added", at("9"));
    await deletions.settle(at("9"), kind, signal);
    await deletions.settle(at("9"), kind, signal);
    expect(asked).toEqual(["8"]);
  });

  test("is asked about no further than twenty states back", async () => {
    const history = Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`${index + 1}`, at(`${index + 1}`)]));
    const { deletions, emit, asked } = setUp({ history });
    emit("Added", at("99"));
    await deletions.settle(at("99"), kind, signal);
    expect(asked).toHaveLength(20);
    expect(deletions.isOrphaned(at("99"))).toBe(false);
  });

  test.each(["abc", "9x", "x9", "0"])("is not asked about where a version is no number, as %s", async (version) => {
    const { deletions, emit, asked } = setUp();
    emit("Added", at(version));
    await deletions.settle(at(version), kind, signal);
    expect(asked).toEqual([]);
  });

  test("fails when the hub does not answer, and is asked about again", async () => {
    const { deletions, emit, asked } = setUp({ outage: new ApiError(503, "ServiceUnavailable", "later") });
    emit("Added", at("9"));
    for (let attempt = 0; attempt < 2; attempt += 1)
      await expect(deletions.settle(at("9"), kind, signal)).rejects.toThrow("later");
    expect(asked).toEqual(["8", "8"]);
  });
});
