import { badRequest, failure, type StatusError } from "../../statusError.ts";
import { decodeContinueToken, encodeContinueToken, objectKey, RevisionExpired } from "../../store/index.ts";
import type { KubeObject } from "../../types.ts";
import type { Api, Target } from "../api.ts";
import { type ListOptions, revisionOf } from "../request/index.ts";
import { type Selection, selectionOf } from "./selection.ts";

export interface ListMeta {
  resourceVersion: string;
  continue?: string;
  remainingItemCount?: number;
}

export interface ListAnswer {
  /** The objects in the version of the request. */
  items: KubeObject[];
  metadata: ListMeta;
}

/** Lists objects, in pages if a limit is set. All pages show the same revision. Throws a StatusError. */
export async function listObjects(api: Api, target: Target, options: ListOptions): Promise<ListAnswer> {
  const { endpoint } = target;
  const selection = selectionOf(endpoint, { ...options, namespace: target.namespace });
  const page = options.continue === "" ? firstPage(api, options) : nextPage(api, options);
  const collection = api.store.collection(endpoint.storedAs);
  let objects: KubeObject[];
  try {
    objects =
      page.revision === api.store.revision && selection.name !== undefined
        ? named(collection.get(selection.namespace, selection.name), collection, selection)
        : page.revision === api.store.revision
          ? collection.list(selection.namespace)
          : collection.listAt(page.revision, selection.namespace);
  } catch (error) {
    if (error instanceof RevisionExpired) throw expired(api, page, error);
    throw error;
  }
  const { items, last, remaining } = selected(objects, selection, page.after, options.limit);
  const converted = await api.conversion.convertAll(endpoint, items, endpoint.apiVersion);
  const metadata: ListMeta = { resourceVersion: String(page.revision) };
  if (last !== undefined) {
    metadata.continue = encodeContinueToken({ revision: page.revision, after: last });
    // With a selector the number of remaining matches is unknown.
    if (selection.matches === undefined) metadata.remainingItemCount = remaining;
  }
  return { items: converted, metadata };
}

interface Page {
  revision: number;
  after: string | undefined;
}

function firstPage(api: Api, { resourceVersion, resourceVersionMatch }: ListOptions): Page {
  const revision = revisionOf(resourceVersion, (why) => badRequest(`invalid resource version: ${why}`));
  checkReached(api, revision);
  return { revision: resourceVersionMatch === "Exact" ? revision : api.store.revision, after: undefined };
}

function nextPage(api: Api, options: ListOptions): Page {
  const token = decodeContinueToken(options.continue);
  if (token === undefined) {
    throw badRequest(
      "invalid continue token: continue key is not valid: invalid character looking for beginning of value",
    );
  }
  if (options.resourceVersion !== "" && options.resourceVersion !== "0") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  return { revision: token.revision < 0 ? api.store.revision : token.revision, after: token.after };
}

/** Refuses a revision that this server has not reached; another server might have. Throws a StatusError 504. */
export function checkReached(api: Api, revision: number): void {
  const current = api.store.revision;
  if (revision <= current) return;
  throw failure(504, "Timeout", `Timeout: Too large resource version: ${revision}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

function named(
  object: KubeObject | undefined,
  collection: { list(namespace?: string): KubeObject[] },
  { namespace, name }: Selection,
): KubeObject[] {
  if (namespace === undefined) return collection.list().filter(({ metadata }) => metadata.name === name);
  return object === undefined ? [] : [object];
}

function selected(
  objects: readonly KubeObject[],
  { matches }: Selection,
  after: string | undefined,
  limit: number,
): { items: readonly KubeObject[]; last?: string; remaining: number } {
  if (after === undefined && limit === 0 && matches === undefined) return { items: objects, remaining: 0 };
  const items: KubeObject[] = [];
  for (const [index, object] of objects.entries()) {
    if (after !== undefined && keyOf(object) <= after) continue;
    if (matches !== undefined && !matches(object)) continue;
    if (limit > 0 && items.length === limit) {
      const previous = items.at(-1);
      return { items, ...(previous === undefined ? {} : { last: keyOf(previous) }), remaining: objects.length - index };
    }
    items.push(object);
  }
  return { items, remaining: 0 };
}

function keyOf({ metadata }: KubeObject): string {
  return objectKey(metadata.namespace, metadata.name);
}

function expired(api: Api, { revision, after }: Page, { oldest }: RevisionExpired): StatusError {
  if (after === undefined) {
    return failure(410, "Expired", `The resourceVersion for the provided list is too old: ${revision} (${oldest}).`);
  }
  const error = failure(
    410,
    "Expired",
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
      "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
      "Continuing with the provided token results in an inconsistent list - objects that were created, modified, " +
      "or deleted between the time the first chunk was returned and now may show up in the list.",
  );
  Object.assign(error.status.metadata, { continue: encodeContinueToken({ revision: -1, after }) });
  return error;
}
