import { shortMessage, shortName, shortPoint } from "./text.ts";

/**
 * A message to a person, as a value: composed once, and rendered for each place that shows the message. A text is a
 * short sentence or the answer of a server. Plain data: the value survives JSON.
 */
export type Message = string | MessageParts;

/** Rendered as `WHAT WHERE, WHERE: WHY; REMEDY`. */
export interface MessageParts {
  /** What is wrong, with the object or field: `Deployment web has the finalizers`. */
  what: string;
  /** The list that ends `what`: clusters, policies, kinds, finalizers. The most important name comes first. */
  where?: readonly string[];
  /** The cause, often the answer of a server. */
  why?: string;
  /** What to do, in few words. Commands stand in backquotes. */
  remedy?: string;
}

/** Maximum characters of a condition's message. */
const CONDITION_LIMIT = 120;

/** Maximum characters of a full message. */
const FULL_LIMIT = 512;

/** Minimum characters of a cause that is worth showing. */
const LEAST_WHY = 24;

/** Maximum characters of a word of `what` in a message that does not fit: people choose names of any length. */
const LONGEST_WORD = 24;

/**
 * The message of a condition: one line of at most 120 characters. A message that does not fit is shortened step by
 * step: first the list, to its first names and the number of the others; then the cause, at its end; then long names in
 * `what`. If too little of the cause is left, the cause goes, and the remedy goes last: what is wrong and where stays.
 */
export function conditionMessage(message: Message, limit: number = CONDITION_LIMIT): string {
  if (typeof message === "string") return answerWithin(message, limit);
  const pointed: MessageParts = message.why === undefined ? message : { ...message, why: shortPoint(message.why) };
  const { why, ...causeless } = { ...pointed, what: withShortWords(pointed.what) };
  const { remedy: _remedy, ...bare } = causeless;
  return (
    wholeWithin(message, limit) ??
    listWithin(pointed, limit) ??
    causeWithin(pointed, limit) ??
    causeWithin({ ...pointed, what: causeless.what }, limit) ??
    listWithin(causeless, limit) ??
    causeWithin({ ...bare, ...(why === undefined ? {} : { why }) }, limit, 1) ??
    listWithin(bare, limit) ??
    shortMessage(rendered(bare), limit)
  );
}

/** The full sentence, for cluster entries, Events, logs and the command line: one line of at most 512 characters. */
export function fullMessage(message: Message): string {
  return conditionMessage(message, FULL_LIMIT);
}

/** Puts words before the message, such as the name of the cluster and a colon. */
export function prefixed(words: string, message: Message): Message {
  return typeof message === "string" ? `${words}${message}` : { ...message, what: `${words}${message.what}` };
}

/** A server names the field and quotes the value before the problem, so the value goes before the text is cut. */
function answerWithin(text: string, limit: number): string {
  const short = shortMessage(text, limit);
  return short.endsWith("…") ? shortMessage(shortPoint(text), limit) : short;
}

function rendered({ what, where = [], why, remedy }: MessageParts, shown = where.length): string {
  const others = shown < where.length ? ` and ${where.length - shown} more` : "";
  const names = where.length === 0 ? "" : ` ${where.slice(0, shown).join(", ")}${others}`;
  const cause = why === undefined ? "" : `: ${why}`;
  return `${what}${names}${cause}${remedy === undefined ? "" : `; ${remedy}`}`;
}

function wholeWithin(parts: MessageParts, limit: number): string | undefined {
  const whole = shortMessage(rendered(parts), Infinity);
  return whole.length <= limit ? whole : undefined;
}

/** With as many names of the list as fit, and at least one. */
function listWithin(parts: MessageParts, limit: number): string | undefined {
  const { where = [] } = parts;
  // Each name takes at least one character.
  for (let shown = Math.min(where.length, Math.ceil(limit)); shown >= Math.min(1, where.length); shown--) {
    const text = shortMessage(rendered(parts, shown), Infinity);
    if (text.length <= limit) return text;
  }
  return undefined;
}

/** With the cause cut at its end. The names before the cause take at most half of the limit, unless one name is longer. */
function causeWithin({ why, remedy, ...bare }: MessageParts, limit: number, least = LEAST_WHY): string | undefined {
  if (why === undefined) return undefined;
  const end = remedy === undefined ? "" : `; ${shortMessage(remedy, Infinity)}`;
  const before = listWithin(bare, limit / 2) ?? shortMessage(rendered(bare, 1), Infinity);
  const room = limit - before.length - 2 - end.length;
  return room < least ? undefined : `${before}: ${shortMessage(why, room)}${end}`;
}

/** People choose names of any length. The words between the names stay readable. */
function withShortWords(text: string): string {
  return text.replaceAll(/\S+/g, (word) => shortName(word, LONGEST_WORD));
}
