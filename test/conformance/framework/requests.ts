/** Constructors of the steps of a case. They send nothing. */

/** Options of every request. */
export interface AskOptions {
  /** The status code that the real server answers; 201 for a POST and 200 for the rest by default. */
  gives?: number;
  /** A part of the real server's answer: of the message of a Status, else of the answer's JSON or text, or of a warning. */
  saying?: string;
  /** Keeps parts of the answer for later steps: `{rv: "metadata.resourceVersion"}` is written `{rv}` there. */
  keep?: Record<string, string>;
  /** Repeats the request until the answer is as expected: a server applies some writes with a delay. */
  until?: true;
  /** Compares this of the answer instead of all of it. */
  see?: (answer: unknown) => unknown;
  /** The field manager. */
  manager?: string;
  force?: boolean;
  dryRun?: string;
  fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** More parameters of the query. */
  query?: Record<string, string>;
  accept?: string;
  contentType?: string;
  userAgent?: string;
  /** Asks with this bearer token instead of the administrator's; "" asks with none. */
  token?: string;
  /** Sends the body as it stands; otherwise apiVersion, kind and the name of the path are added where they are missing. */
  raw?: true;
}

export interface Ask extends AskOptions {
  step: "ask";
  method: string;
  /** `configmaps/a`, `deployments/web/status`, or in full from the first slash. */
  path: string;
  body?: unknown;
}

/** Reads an object, merges the changes into it like a JSON merge patch, and updates it, as an editor or a controller does. */
export interface Edit extends AskOptions {
  step: "edit";
  path: string;
  changes: unknown;
}

/** Opens a watch and reads this many events, which are compared at the end of the case. */
export interface Watch extends AskOptions {
  step: "watch";
  path: string;
  events: number;
}

export type Step = Ask | Edit | Watch;

/** The steps of each case, by its name, which is a sentence. */
export type Cases = Readonly<Record<string, readonly Step[]>>;

function ask(method: string, path: string, body: unknown, options: AskOptions): Ask {
  return { step: "ask", method, path, ...(body === undefined ? {} : { body }), ...options };
}

export const create = (path: string, object: unknown, options: AskOptions = {}): Ask =>
  ask("POST", path, object, options);

export const get = (path: string, options: AskOptions = {}): Ask => ask("GET", path, undefined, options);

/** Replaces the object without reading it first. */
export const update = (path: string, object: unknown, options: AskOptions = {}): Ask =>
  ask("PUT", path, object, options);

export const edit = (path: string, changes: unknown, options: AskOptions = {}): Edit => ({
  step: "edit",
  path,
  changes,
  ...options,
});

export const jsonPatch = (path: string, operations: unknown, options: AskOptions = {}): Ask =>
  ask("PATCH", path, operations, { contentType: "application/json-patch+json", raw: true, ...options });

export const mergePatch = (path: string, patch: unknown, options: AskOptions = {}): Ask =>
  ask("PATCH", path, patch, { contentType: "application/merge-patch+json", raw: true, ...options });

export const strategicPatch = (path: string, patch: unknown, options: AskOptions = {}): Ask =>
  ask("PATCH", path, patch, { contentType: "application/strategic-merge-patch+json", raw: true, ...options });

/** Server-side apply; the manager is `alpha` by default. */
export const apply = (path: string, configuration: unknown, options: AskOptions = {}): Ask =>
  ask("PATCH", path, configuration, {
    contentType: "application/apply-patch+yaml",
    manager: "alpha",
    ...options,
  });

export const remove = (path: string, deleteOptions?: object, options: AskOptions = {}): Ask =>
  ask(
    "DELETE",
    path,
    deleteOptions === undefined ? undefined : { apiVersion: "v1", kind: "DeleteOptions", ...deleteOptions },
    { raw: true, ...options },
  );

export const request = (method: string, path: string, body?: unknown, options: AskOptions = {}): Ask =>
  ask(method, path, body, { raw: true, ...options });

export const watch = (path: string, events: number, options: AskOptions = {}): Watch => ({
  step: "watch",
  path,
  events,
  ...options,
});
