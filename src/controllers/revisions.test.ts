import { describe, expect, test } from "vitest";
import { type KubeObject, REVISION_OF_LABEL } from "../apis/index.ts";
import type { RevisionContent } from "../desiredstate/index.ts";
import { ApiError, type Client } from "../runtime/index.ts";
import { Revisions } from "./revisions.ts";

const { signal } = new AbortController();

/** A hub that keeps ControllerRevisions, and nothing else. */
function hub() {
  const kept = new Map<string, KubeObject>();
  const calls: string[] = [];
  const client = {
    list: (_type: unknown, { labelSelector = "" }: { labelSelector?: string }) => {
      calls.push("list");
      const uid = labelSelector.split("=")[1];
      return Promise.resolve({
        items: [...kept.values()].filter((one) => one.metadata.labels?.[REVISION_OF_LABEL] === uid),
      });
    },
    get: (_type: unknown, namespace: string, name: string) => {
      const found = kept.get(`${namespace}/${name}`);
      return found === undefined ? Promise.reject(new ApiError(404, "NotFound", name)) : Promise.resolve(found);
    },
    create: (_type: unknown, object: KubeObject) => {
      calls.push("create");
      const key = `${object.metadata.namespace}/${object.metadata.name}`;
      if (kept.has(key)) return Promise.reject(new ApiError(409, "AlreadyExists", key));
      kept.set(key, object);
      return Promise.resolve(object);
    },
    delete: (_type: unknown, namespace: string, name: string) => {
      kept.delete(`${namespace}/${name}`);
      return Promise.resolve();
    },
  } as unknown as Client;
  return { kept, calls, revisions: () => new Revisions({ client, systemNamespace: "meridian-system" }) };
}

const object = (uid: string, namespace?: string): KubeObject => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", uid, ...(namespace === undefined ? {} : { namespace }) },
});
const content = (image: string, more = ""): RevisionContent => ({
  object: { ...object("u", "default"), spec: { image, more } },
  overrides: [],
});

describe("revisions", () => {
  test("are numbered, and the same content is the same revision, for the next manager too", async () => {
    const { revisions, calls } = hub();
    const first = revisions();
    const shop = object("u", "default");
    await first.keep(shop, content("a"), "h1", signal);
    await first.keep(shop, content("b"), "h2", signal);
    expect(await first.keep(shop, content("a"), "h1", signal)).toMatchObject({ revision: { number: 1 } });
    const next = revisions();
    expect(await next.keep(shop, content("b"), "h2", signal)).toMatchObject({ revision: { number: 2 } });
    expect(await next.content(shop, 1, signal)).toEqual(content("a"));
    expect(calls).toEqual(["list", "create", "create", "list"]);
  });

  test("of an object that is gone are not in the way of another one of that name", async () => {
    const { revisions } = hub();
    await revisions().keep(object("old", "default"), content("a"), "h1", signal);
    const kept = await revisions().keep(object("new", "default"), content("a"), "h1", signal);
    expect(kept).toMatchObject({ kind: "Kept", revision: { number: 1 } });
  });

  test("of a cluster-scoped object stand in Meridian's own namespace", async () => {
    const { revisions, kept } = hub();
    await revisions().keep(object("u"), content("a"), "h1", signal);
    expect([...kept.values()].map(({ metadata }) => metadata.namespace)).toEqual(["meridian-system"]);
  });

  test("go beyond the limit, the oldest first, and never those in use", async () => {
    const { revisions } = hub();
    const those = revisions();
    const shop = object("u", "default");
    for (const n of [1, 2, 3, 4, 5]) await those.keep(shop, content(String(n)), `h${n}`, signal);
    await those.prune(shop, 1, new Set([1, 5]), signal);
    expect((await those.of(shop, signal)).map(({ number }) => number)).toEqual([1, 4, 5]);
    expect((await revisions().of(shop, signal)).map(({ number }) => number)).toEqual([1, 4, 5]);
  });

  test("are refused of an object that is too large, and leave out ConfigMaps that are", async () => {
    const { revisions } = hub();
    const those = revisions();
    const shop = object("u", "default");
    const large = "x".repeat(1024 * 1024);
    expect(await those.keep(shop, content("a", large), "h1", signal)).toMatchObject({
      kind: "Refused",
      why: { reason: "RevisionTooLarge" },
    });
    const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { large } };
    await those.keep(shop, { ...content("a"), configMaps: [configMap] }, "h2", signal);
    expect(await those.content(shop, 1, signal)).toEqual(content("a"));
  });
});
