import { parseJson, setMember } from "../../apis/index.ts";

/** Characters that give JSON its form. */
const [QUOTE, COMMA, COLON, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [
  34, 44, 58, 91, 92, 93, 123, 125,
] as const;
const SPACES: ReadonlySet<number> = new Set([9, 10, 13, 32]);

/** A text so short has no more levels than an API server takes, and no parser takes a millisecond for it. */
const SHORT = 20_000;
/** So much is read, or parsed, without asking whether somebody else waits. The worst text of that length takes a parser some 10 ms. */
const PIECE = 128 * 1024;
/** Of one map. An object that etcd takes has no more; to make room for them all at once takes no 50 ms. */
const MOST_KEYS = 250_000;

export interface JsonBounds {
  /** Of maps and lists in each other. */
  levels: number;
  /** Of the whole text. */
  values: number;
}

/** Resolves when the event loop has time for more; undefined when it has now. */
export type Pause = () => Promise<void> | undefined;

/** A text goes deeper, or has more values, than is parsed. Thrown before anything is parsed. */
export class JsonTooLargeError extends Error {
  override readonly name = "JsonTooLargeError";
  readonly passed: keyof JsonBounds;

  constructor(passed: keyof JsonBounds) {
    super(`too many ${passed}`);
    this.passed = passed;
  }
}

/**
 * Parses JSON piece by piece, with a pause wherever there have been enough of them: the event loop stays free, whatever the text is. The result
 * is that of {@link parseJson}. Throws a SyntaxError for what is no JSON, and a {@link JsonTooLargeError}. A short text is parsed at once.
 */
export async function parseJsonInPieces(
  text: string,
  bounds: JsonBounds,
  pause: Pause,
  { short = SHORT, piece = PIECE }: { short?: number; piece?: number } = {},
): Promise<unknown> {
  if (text.length <= short) return parseJson(text);
  const form = new Form(bounds, piece);
  for (let begin = 0; begin < text.length; begin += piece) {
    const waiting = pause();
    if (waiting !== undefined) await waiting;
    form.read(text, begin, Math.min(text.length, begin + piece));
  }
  return text.length <= piece ? parseJson(text) : assemble(text, form.long(), piece, pause);
}

/** A map or list that is longer than one piece. */
interface Long {
  begin: number;
  /** Of its closing bracket. */
  end: number;
  isMap: boolean;
  /** The commas between its members. */
  commas: readonly number[];
}

/**
 * Finds the maps and lists that are longer than one piece, and the commas in them. What is not JSON is the parser's to refuse: it sees every
 * character but the brackets and commas found here.
 */
class Form {
  readonly #bounds: JsonBounds;
  readonly #piece: number;
  readonly #long = new Map<number, Long>();
  /** By level: where the open map or list begins, and how many commas were open before it. */
  readonly #begins: number[] = [];
  readonly #isMap: boolean[] = [];
  readonly #before: number[] = [];
  /** Of everything that is open. */
  readonly #commas: number[] = [];
  #open = 0;
  #level = 0;
  #values = 0;
  #inText = false;
  #isEscaped = false;

  constructor(bounds: JsonBounds, piece: number) {
    this.#bounds = bounds;
    this.#piece = piece;
  }

  /** By the place where they begin. Throws a SyntaxError when something was not closed. */
  long(): ReadonlyMap<number, Long> {
    if (this.#level > 0 || this.#inText) throw new SyntaxError("the JSON breaks off");
    return this.#long;
  }

  read(text: string, begin: number, end: number): void {
    for (let at = begin; at < end; at++) {
      const code = text.charCodeAt(at);
      if (this.#inText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (code === BACKSLASH) this.#isEscaped = true;
        else if (code === QUOTE) this.#inText = false;
      } else if (code === QUOTE) this.#inText = true;
      else if (code === COMMA) {
        this.#commas[this.#open++] = at;
        this.#count();
      } else if (code === OPEN_MAP || code === OPEN_LIST) this.#begin(at, code === OPEN_MAP);
      else if (code === CLOSE_MAP || code === CLOSE_LIST) this.#end(at, code === CLOSE_MAP);
    }
  }

  #begin(at: number, isMap: boolean): void {
    if (this.#level >= this.#bounds.levels) throw new JsonTooLargeError("levels");
    this.#begins[this.#level] = at;
    this.#isMap[this.#level] = isMap;
    this.#before[this.#level] = this.#open;
    this.#level += 1;
    this.#count();
  }

  #end(at: number, isMap: boolean): void {
    this.#level -= 1;
    if (this.#level < 0 || this.#isMap[this.#level] !== isMap)
      throw new SyntaxError("the brackets of the JSON do not match");
    const begin = this.#begins[this.#level] ?? 0;
    const before = this.#before[this.#level] ?? 0;
    if (at - begin > this.#piece) {
      if (isMap && this.#open - before > MOST_KEYS) throw new JsonTooLargeError("values");
      this.#long.set(begin, { begin, end: at, isMap, commas: this.#commas.slice(before, this.#open) });
    }
    this.#open = before;
  }

  #count(): void {
    this.#values += 1;
    if (this.#values > this.#bounds.values) throw new JsonTooLargeError("values");
  }
}

/** A long map or list whose members are being put together. */
interface Assembling {
  from: Long;
  made: Record<string, unknown> | unknown[];
  /** The next member. */
  next: number;
  /** Of the member that is being put together. */
  key: string;
}

/** Nothing recurses: long maps and lists can stand in each other on every level. */
async function assemble(text: string, long: ReadonlyMap<number, Long>, piece: number, pause: Pause): Promise<unknown> {
  const root = long.get(afterSpaces(text, 0));
  if (root === undefined) return parseJson(text);
  if (afterSpaces(text, root.end + 1) !== text.length) throw new SyntaxError("something follows the JSON");
  const path: Assembling[] = [beginning(root)];
  for (let open = path.at(-1); open !== undefined; open = path.at(-1)) {
    if (open.next > open.from.commas.length) {
      path.pop();
      const around = path.at(-1);
      if (around === undefined) return open.made;
      put(around.made, around.key, open.made);
      continue;
    }
    const waiting = pause();
    if (waiting !== undefined) await waiting;
    if (!takeSeveral(text, open, piece)) takeOne(text, open, long, path);
  }
  return undefined;
}

/** Parses the next members, as many as one piece holds. False when the next one alone is longer. */
function takeSeveral(text: string, open: Assembling, piece: number): boolean {
  const { from, made } = open;
  const first = open.next;
  const { begin } = memberOf(from, first);
  let end = begin;
  while (open.next <= from.commas.length && memberOf(from, open.next).end - begin <= piece) {
    ({ end } = memberOf(from, open.next));
    open.next += 1;
  }
  if (open.next === first) return false;
  const members = text.slice(begin, end);
  // A comma with nothing behind it would be forgiven where nothing else follows. An empty map or list may hold spaces.
  if (from.commas.length > 0 && members.trim() === "") throw new SyntaxError("a member of the JSON is missing");
  if (Array.isArray(made)) for (const value of parseJson(`[${members}]`) as unknown[]) made.push(value);
  else for (const [key, value] of Object.entries(parseJson(`{${members}}`) as object)) put(made, key, value);
  return true;
}

/** Parses a long member, or begins to put it together. */
function takeOne(text: string, open: Assembling, long: ReadonlyMap<number, Long>, path: Assembling[]): void {
  const { from } = open;
  const member = memberOf(from, open.next);
  open.next += 1;
  // An empty map or list that is long is full of spaces.
  if (from.commas.length === 0 && afterSpaces(text, member.begin) === member.end) return;
  open.key = from.isMap ? keyOf(text, member) : "";
  const inner = long.get(afterSpaces(text, member.begin));
  if (inner !== undefined && afterSpaces(text, inner.end + 1) === member.end) path.push(beginning(inner));
  else put(open.made, open.key, parseJson(text.slice(member.begin, member.end)));
}

function beginning(from: Long): Assembling {
  return { from, made: from.isMap ? {} : [], next: 0, key: "" };
}

function memberOf({ begin, end, commas }: Long, at: number): { begin: number; end: number } {
  return { begin: (commas[at - 1] ?? begin) + 1, end: commas[at] ?? end };
}

/** Reads the key in front of a member of a map, which begins behind its colon from then on. */
function keyOf(text: string, member: { begin: number; end: number }): string {
  const begin = afterSpaces(text, member.begin);
  let end = begin + 1;
  while (end < member.end && text.charCodeAt(end) !== QUOTE) end += text.charCodeAt(end) === BACKSLASH ? 2 : 1;
  const colon = afterSpaces(text, end + 1);
  if (text.charCodeAt(begin) !== QUOTE || colon >= member.end || text.charCodeAt(colon) !== COLON)
    throw new SyntaxError("a member of a JSON map has no key");
  member.begin = colon + 1;
  return JSON.parse(text.slice(begin, end + 1)) as string;
}

function put(into: Assembling["made"], key: string, value: unknown): void {
  if (Array.isArray(into)) into.push(value);
  else setMember(into, key, value);
}

function afterSpaces(text: string, from: number): number {
  let at = from;
  while (at < text.length && SPACES.has(text.charCodeAt(at))) at += 1;
  return at;
}
