import { parseJson, setMember } from "../../apis/index.ts";

const [QUOTE, COMMA, COLON, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [
  34, 44, 58, 91, 92, 93, 123, 125,
] as const;
const SPACES: ReadonlySet<number> = new Set([9, 10, 13, 32]);

/** Parsed at once: too short for too many levels, and takes less than a millisecond. */
const SHORT = 20_000;
/** Characters without a pause. The worst text of this length takes a parser some 10 ms. */
const PIECE = 128 * 1024;
/** Most keys of one map. No object in etcd has more; so many are allocated in less than 50 ms. */
const MOST_KEYS = 250_000;

export interface JsonBounds {
  levels: number;
  /** In the whole text. */
  values: number;
}

/** Undefined if the event loop has time now. */
export type Pause = () => Promise<void> | undefined;

/** Thrown before anything is parsed. */
export class JsonTooLargeError extends Error {
  override readonly name = "JsonTooLargeError";
  readonly passed: keyof JsonBounds;

  constructor(passed: keyof JsonBounds) {
    super(`too many ${passed}`);
    this.passed = passed;
  }
}

/**
 * Parses JSON in pieces with pauses in between, so that the event loop stays free, with the result of {@link parseJson}.
 * Throws a SyntaxError or a {@link JsonTooLargeError}.
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

/** Map or list that is longer than one piece. */
interface Long {
  begin: number;
  end: number;
  isMap: boolean;
  commas: readonly number[];
}

/** Finds long maps and lists, and the commas in them. The parser sees all other characters, and so invalid JSON. */
class Form {
  readonly #bounds: JsonBounds;
  readonly #piece: number;
  readonly #long = new Map<number, Long>();
  /** By level: start of the open map or list, its type, and the open commas before it. */
  readonly #begins: number[] = [];
  readonly #isMap: boolean[] = [];
  readonly #before: number[] = [];
  /** Positions of the commas in all open maps and lists. */
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

  /** By their start. Throws a SyntaxError if something was not closed. */
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

/** Whose members are being put together. */
interface Assembling {
  from: Long;
  made: Record<string, unknown> | unknown[];
  /** Index. */
  next: number;
  key: string;
}

/** Without recursion, since long maps and lists can be nested on every level. */
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

/** As many members as fit into one piece. False if the next one alone is longer. */
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
  // A missing member after a comma would be accepted if no other follows. An empty map or list may hold spaces.
  if (from.commas.length > 0 && members.trim() === "") throw new SyntaxError("a member of the JSON is missing");
  if (Array.isArray(made)) for (const value of parseJson(`[${members}]`) as unknown[]) made.push(value);
  else for (const [key, value] of Object.entries(parseJson(`{${members}}`) as object)) put(made, key, value);
  return true;
}

function takeOne(text: string, open: Assembling, long: ReadonlyMap<number, Long>, path: Assembling[]): void {
  const { from } = open;
  const member = memberOf(from, open.next);
  open.next += 1;
  // Only spaces.
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

/** Moves the start of the member behind the colon. */
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
