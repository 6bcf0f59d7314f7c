import type { ListAnswer, Query, QueryEngine, QueryWatch, Scope, WatchEvent } from "../types.ts";

/** All pages of a list. `between`: called before each page but the first. */
export async function listAll(
  engine: QueryEngine,
  query: Query,
  scope: Scope,
  between: () => void = () => {},
): Promise<Omit<ListAnswer, "items"> & { items: object[] }> {
  let page = await engine.list(query, scope);
  const items = [...(page.items ?? [])];
  while (page.continue !== undefined) {
    between();
    page = await engine.list({ ...query, continue: page.continue }, scope);
    items.push(...(page.items ?? []));
  }
  return { ...page, items };
}

export interface Follower extends AsyncDisposable {
  watch: QueryWatch;
  events: AsyncIterator<WatchEvent>;
  /** The rows that the events so far have made, as sorted JSON texts. */
  rows(): Promise<string[]>;
  readonly version: string;
}

/**
 * A reader that keeps rows by the events of a watch. With a list, it goes on from there. It fails for an event that does
 * not fit to its rows; a resumed watch of computed rows cannot know them.
 */
export async function follow(engine: QueryEngine, query: Query, scope: Scope, from?: ListAnswer): Promise<Follower> {
  const known = new Map<string, object>();
  for (const row of from?.items ?? []) known.set(keyOf(row), row);
  const watch = engine.watch(query, scope, from === undefined ? {} : { since: from.resourceVersion });
  const events = watch[Symbol.asyncIterator]();
  let version = "";
  const takeUntilBookmark = async (): Promise<void> => {
    for (;;) {
      const { value, done } = await events.next();
      if (done === true) return;
      version = value.resourceVersion;
      if (value.type === "BOOKMARK") return;
      const key = keyOf(value.object);
      const isStrict = from === undefined || query.resource.endsWith("objects");
      if (value.type === "DELETED" && !known.delete(key) && isStrict)
        throw new Error(`DELETED of an unknown row: ${key}`);
      if (value.type !== "DELETED") {
        if (isStrict && (value.type === "ADDED") === known.has(key)) throw new Error(`${value.type} of a row: ${key}`);
        known.set(key, value.object);
      }
    }
  };
  if (from === undefined) await takeUntilBookmark();
  return {
    watch,
    events,
    get version() {
      return version;
    },
    async rows() {
      watch.bookmark();
      await takeUntilBookmark();
      return [...known.values()].map((row) => JSON.stringify(row)).toSorted();
    },
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]();
      await events.return?.();
    },
  };
}

function keyOf(row: object): string {
  const { kind, group, namespace, name, cluster, reason, shape } = row as Record<string, string>;
  return JSON.stringify(shape === undefined ? [kind, group, namespace, name, cluster] : [reason, shape]);
}
