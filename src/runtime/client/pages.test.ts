import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { TransportError } from "../core/errors.ts";
import { listAll, listPages, type PageOptions } from "./pages.ts";
import { CONFIGMAPS } from "./resources.ts";
import type { Client, ListOptions, ObjectList } from "../types.ts";

/** A client of a server that gives these pages; the token of a page is its number. */
function paging(pageOf: (page: number, limit: number) => { items: number; next?: string; bytes?: number }) {
  const asked: ListOptions[] = [];
  const list = async (_type: unknown, options: ListOptions = {}): Promise<ObjectList> => {
    asked.push(options);
    const { items, next, bytes } = pageOf(Number(options.continue ?? 0), options.limit ?? 0);
    return {
      items: Array.from({ length: items }, (_, n) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: `c${n}` },
      })),
      resourceVersion: "1",
      ...(next === undefined ? {} : { continue: next }),
      ...(bytes === undefined ? {} : { bytes }),
    };
  };
  const client = { cluster: "shanghai-1", list } as unknown as Client;
  const read = (options: PageOptions = {}, bounds?: { objects: number; bytes: number }) =>
    listAll({ client, type: CONFIGMAPS, ...(bounds === undefined ? {} : { bounds }) }, options);
  return { asked, client, read };
}

test("the pages of a list are put together", async () => {
  const { asked, read } = paging((page) => ({ items: 2, ...(page < 3 ? { next: String(page + 1) } : { next: "" }) }));
  expect(await read({ limit: 2 })).toHaveLength(8);
  expect(asked.map((options) => [options.limit, options.continue])).toEqual([
    [2, undefined],
    [2, "1"],
    [2, "2"],
    [2, "3"],
  ]);
});

test("a large page of a server that knows no pages is taken whole", async () => {
  expect(await paging(() => ({ items: 200_000 })).read()).toHaveLength(200_000);
});

test("a page that leads to itself ends the list", async () => {
  const { asked, read } = paging(() => ({ items: 500, next: "7" }));
  await expect(read()).rejects.toMatchObject({ reason: "Protocol", endpoint: "GET /api/v1/configmaps" });
  expect(asked).toHaveLength(2);
});

test.each([
  ["nothing", 0],
  ["hardly anything", 1],
])("a list without an end, of pages with %s in them, is not followed for ever", async (_what, items) => {
  const { asked, read } = paging((page) => ({ items, next: String(page + 1) }));
  await expect(read()).rejects.toMatchObject({ reason: "TooLarge", endpoint: "GET /api/v1/configmaps" });
  expect(asked.length).toBeLessThan(110);
});

test.each([
  ["objects", { objects: 2_000, bytes: Infinity }],
  ["bytes", { objects: Infinity, bytes: 4 << 20 }],
])("a list of full pages without an end is bounded by its %s", async (_what, bounds) => {
  const { asked, read } = paging((page, limit) => ({ items: limit, next: String(page + 1), bytes: 1 << 20 }));
  await expect(read({}, bounds)).rejects.toMatchObject({ reason: "TooLarge" });
  expect(asked).toHaveLength(5);
});

test("a list that takes too long is given up between two pages", async () => {
  const { client, asked } = paging((page, limit) => ({ items: limit, next: String(page + 1) }));
  const pages = listPages({ client, type: CONFIGMAPS }, { longestMs: -1 });
  await pages.next();
  await expect(pages.next()).rejects.toMatchObject({ reason: "TooSlow", endpoint: "GET /api/v1/configmaps" });
  expect(asked).toHaveLength(1);
});

test("what is too long is asked for in smaller pages, and given up when one object is", async () => {
  const limits: (number | undefined)[] = [];
  const list = async (_type: unknown, { limit }: ListOptions = {}): Promise<ObjectList> => {
    limits.push(limit);
    throw new TransportError("TooLarge", "too long");
  };
  const client = { cluster: "shanghai-1", list } as unknown as Client;
  await expect(listAll({ client, type: CONFIGMAPS })).rejects.toMatchObject({ reason: "TooLarge" });
  expect(limits).toEqual([500, 63, 8, 1]);
});

test("a list ends after the most pages that are wanted, and says whether it is whole", async () => {
  const { client, asked } = paging((page, limit) => ({
    items: limit,
    ...(page < 2 ? { next: String(page + 1) } : {}),
  }));
  const tokens = async (mostPages: number): Promise<(string | undefined)[]> => {
    const found: (string | undefined)[] = [];
    for await (const page of listPages({ client, type: CONFIGMAPS }, { mostPages })) found.push(page.continue);
    return found;
  };
  expect(await tokens(2)).toEqual(["1", "2"]);
  expect(asked).toHaveLength(2);
  expect(await tokens(3)).toEqual(["1", "2", undefined]);
});

describe("whoever reads a cluster", () => {
  const sources = globSync("src/**/*.ts")
    // Servers of lists have pages of their own, and so has the reader of the query API, which is no list of a cluster.
    .filter(
      (file) =>
        !/\.test\.ts$|\/testing\/|^src\/(sandbox|runtime|query\/server|cmd\/asking)\//.test(file) ||
        file.endsWith("clientTrust.ts"),
    )
    .map((file) => ({ file, text: readFileSync(file, "utf8") }));

  test("does not follow the pages of a list", () => {
    expect(sources.filter(({ text }) => /\bcontinue: /.test(text)).map(({ file }) => file)).toEqual([]);
  });

  test("asks for one object or for so many, where a single answer is enough", () => {
    const unbounded = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/\b(?:#?client|hub|member)\.list\([^;]*;/g)]
        .map(([call]) => call)
        .filter((call) => !/\blimit: |fieldSelector: `metadata\.name=/.test(call))
        .map((call) => `${file}: ${call}`),
    );
    expect(unbounded).toEqual([]);
  });
});
