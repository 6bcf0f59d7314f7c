/**
 * Takes out of an answer what two servers cannot have in common: uids, resourceVersions, times, and what is drawn at random. Each is
 * replaced by the order in which it first appeared, so that "the same as before" and "another one" still show.
 */
export class Normalizer {
  readonly #seen = new Map<string, Map<string, number>>();

  /** The answer, or a part of it. */
  of(value: unknown): unknown {
    return this.#walk(value, "", false);
  }

  #walk(value: unknown, key: string, ofList: boolean): unknown {
    if (typeof value === "string") return this.#text(value, key, ofList);
    if (typeof value === "number")
      return key === "nodePort" && value >= 30_000 ? this.#ordinal("port", `${value}`) : value;
    if (Array.isArray(value)) {
      const items = key === "managedFields" ? inOrder(value) : value;
      return items.map((item) => this.#walk(item, key, false));
    }
    if (typeof value !== "object" || value === null) return value;
    const fieldsOf = value as Record<string, unknown>;
    const object = withoutTokens(
      fieldsOf["kind"] === "Status" && "message" in fieldsOf ? asRefusal(fieldsOf) : fieldsOf,
    );
    if (key === "columnDefinitions") object["description"] = firstSentence(String(object["description"]));
    // A list's version, and a bookmark's, moves with the whole cluster.
    const isList =
      "items" in object || "rows" in object || object["kind"] === "Status" || object["type"] === "BOOKMARK";
    // In the order of the alphabet, so that both servers' uids are counted alike, wherever the server writes them.
    const fields = Object.entries(withoutRandomName(object)).toSorted(([a], [b]) => (a < b ? -1 : 1));
    // The real server writes an empty token into some lists and leaves it out of others.
    const entries = fields
      .filter(([name, member]) => name !== "continue" || member !== "")
      .map(([name, member]) => [
        this.#text(name, "", false),
        this.#walk(member, name, isList || (ofList && (key === "metadata" || key === "object"))),
      ]);
    return Object.fromEntries(entries) as unknown;
  }

  #text(text: string, key: string, ofList: boolean): string {
    if (key === "resourceVersion") {
      if (text === "" || text === "0") return text;
      // A list's moves with the whole cluster, where other cases write at the same time.
      return ofList ? "<resourceVersion>" : this.#ordinal("resourceVersion", text);
    }
    if (key === "cells" && /^(\d+[smh])+$/.test(text)) return "<age>";
    if (key === "continue" && text !== "") return "<continue>";
    if (key === "token" && text.split(".").length === 3) return "<token>";
    return text
      .replace(UUID, (uid) => this.#ordinal("uid", uid))
      .replace(TIME, (time) => (isNow(time) ? `<${time.includes(".") ? "microtime" : "time"}>` : time))
      .replace(ALLOCATED_IP, (ip) => this.#ordinal("ip", ip))
      .replace(/kube-api-access-[a-z0-9]{5}/g, "kube-api-access-<random>")
      .replace(/https:\/\/127\.0\.0\.1:\d+/g, "<url>");
  }

  #ordinal(kind: string, value: string): string {
    let numbers = this.#seen.get(kind);
    if (numbers === undefined) this.#seen.set(kind, (numbers = new Map()));
    let number = numbers.get(value);
    if (number === undefined) numbers.set(value, (number = numbers.size + 1));
    return `<${kind} ${number}>`;
  }
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** Of the ranges from which the two servers give Services their addresses. */
const ALLOCATED_IP = /\b10\.(?:0|96)\.\d+\.\d+\b/g;

/** Whether a time was read from the clock during the test; those that a case names are years away. */
function isNow(time: string): boolean {
  return Math.abs(Date.parse(time) - Date.now()) < 86_400_000;
}

/** The sandbox keeps that much of the descriptions of built-in fields. */
function firstSentence(text: string): string {
  return /^[^]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}

/** A pod of the sandbox runs nothing that could use the token that the real server mounts into each. */
function withoutTokens(object: Record<string, unknown>): Record<string, unknown> {
  const next = { ...object };
  for (const field of ["volumes", "volumeMounts"]) {
    const items = object[field];
    if (!Array.isArray(items)) continue;
    const kept = items.filter(
      (item) => !/^kube-api-access-[a-z0-9]{5}$/.test(String((item as { name?: unknown }).name)),
    );
    if (kept.length === 0 && items.length > 0) delete next[field];
    else next[field] = kept;
  }
  return next;
}

/** The server orders entries by their time, in seconds, and two runs do not cross a second's end at the same step. */
function inOrder(entries: readonly unknown[]): unknown[] {
  const keyOf = (entry: unknown) => {
    const { operation, manager, subresource, apiVersion } = entry as Record<string, string | undefined>;
    return JSON.stringify([operation, manager, subresource ?? "", apiVersion]);
  };
  return entries.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/**
 * Of a refusal what a client can act on: code, reason, the object that it names, and for each cause its reason and field, once and in
 * the order of the alphabet. How the server words it is its own affair, but for what clients read in it.
 */
function asRefusal(status: Record<string, unknown>): Record<string, unknown> {
  const { message, details } = status as { message?: string; details?: { causes?: Cause[] } };
  const said = READ_BY_CLIENTS.filter((words) => message?.includes(words) === true);
  const refusal = { ...status, message: message === undefined || message === "" ? "" : ["<said>", ...said].join(" ") };
  if (details?.causes === undefined) return refusal;
  const causes = details.causes.map(({ reason = "", field = "", message: why = "" }) =>
    // Whose field it is stands nowhere else.
    [reason, field, ...(reason === "FieldManagerConflict" ? [why] : [])].join(" "),
  );
  return { ...refusal, details: { ...details, causes: [...new Set(causes)].toSorted() } };
}

/** Parts of messages that Meridian, client-go or kubectl look for. */
const READ_BY_CLIENTS = [
  "admission webhook",
  "already exists",
  "being terminated",
  "exceeded quota",
  "field not declared in schema",
  "immutable",
  "not found",
  "object has been modified",
  "too old resource version",
];

interface Cause {
  reason?: string;
  field?: string;
  message?: string;
}

function withoutRandomName(object: Record<string, unknown>): Record<string, unknown> {
  const { generateName, name } = object;
  if (typeof generateName !== "string" || typeof name !== "string" || !name.startsWith(generateName)) return object;
  const random = name.slice(generateName.length);
  return /^[a-z0-9]{5}$/.test(random) ? { ...object, name: `${generateName}<random>` } : object;
}
