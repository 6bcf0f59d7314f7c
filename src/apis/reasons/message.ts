import { trimEnd } from "../values/index.ts";
import { shortMessage, shortName, shortPath, shortPoint } from "./text.ts";

/**
 * A message to a person, as plain data: composed once, and rendered for each place that shows it. A text is a short
 * sentence or the answer of a server.
 */
export type Message = string | MessageParts;

/** Rendered as `LEAD SUBJECT ASIDE WHAT WHERE, WHERE: WHY; REMEDY`. The first three end with their own punctuation. */
export interface MessageParts {
  /** Words that are left out first, for example a count. */
  lead?: string;
  /** Whom the message is about: `shanghai-1: OverridePolicy regional, rule 1: `. */
  subject?: string;
  /** Words that help to find the place, and are left out if the message does not fit: `patch 2 on Deployment: `. */
  aside?: string;
  /** What is wrong, with the object or field: `Deployment web has the finalizers`. */
  what: string;
  /** The list that ends `what`: clusters, policies, kinds, finalizers. The most important name comes first. */
  where?: readonly string[];
  /** The cause, often the answer of a server. */
  why?: string;
  /** What to do, in few words. Commands stand in backquotes. */
  remedy?: string;
}

const CONDITION_LIMIT = 120;

const FULL_LIMIT = 512;

/** A cause or a remedy with fewer characters is not worth showing. */
const LEAST_WHY = 24;

/** Most characters of a word in a message that does not fit: people choose names of any length. */
const LONGEST_WORD = 24;

/** As {@link LONGEST_WORD}, for a message that does not fit even so. */
const SHORTEST_WORD = 12;

/** Most characters of the end of a path: the names of Meridian's annotations fit. */
const LONGEST_TAIL = 32;

/** Most characters of a name in the list of a message that does not fit; fewer if `what` is long. */
const LONGEST_PLACE = 64;

/** Characters after a word that are no part of a name. */
const PUNCTUATION = ",;:.)\"'`";

/** Characters of ` and N more`. */
const OTHERS = 14;

/**
 * One line of at most 120 characters. A message that does not fit is shortened step by step: first the lead goes, then
 * the list is cut, then the aside goes and long names are shortened, then the cause is cut or goes. The remedy is cut
 * or goes last: what is wrong and where stays.
 */
export function conditionMessage(message: Message, limit: number = CONDITION_LIMIT): string {
  if (typeof message === "string") return answerWithin(message, limit);
  // Nearly every message fits, and a status is computed far more often than it is written.
  return wholeWithin(message, limit) ?? shortened(message, limit);
}

function shortened(message: MessageParts, limit: number): string {
  const { lead: _lead, ...parts } = message;
  const pointed: MessageParts = parts.why === undefined ? parts : { ...parts, why: shortPoint(parts.why) };
  const { aside: _aside, ...plain } = pointed;
  const brief = withShortNames(plain, limit, LONGEST_WORD);
  const briefest = withShortNames(plain, limit, SHORTEST_WORD);
  const { why, ...causeless } = brief;
  const { remedy: _remedy, ...bare } = causeless;
  return (
    wholeWithin(parts, limit) ??
    listWithin(pointed, limit) ??
    listWithin(plain, limit) ??
    listWithin(brief, limit) ??
    listWithin(withoutTerms(brief), limit) ??
    listWithin(withoutTerms(briefest), limit) ??
    causeWithin(briefest, limit) ??
    listWithin(causeless, limit) ??
    causeWithin({ ...bare, ...(why === undefined ? {} : { why }) }, limit, 1) ??
    remedyWithin(causeless, limit) ??
    listWithin(bare, limit) ??
    shortMessage(rendered(bare), limit)
  );
}

/** For cluster entries, Events, logs and the command line: one line of at most 512 characters. */
export function fullMessage(message: Message): string {
  return conditionMessage(message, FULL_LIMIT);
}

export function inFull<T extends { message: Message }>(why: T): Omit<T, "message"> & { message: string } {
  return { ...why, message: fullMessage(why.message) };
}

export function isSameMessage(a: Message | undefined, b: Message | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && fullMessage(a) === fullMessage(b));
}

/** Puts words before the message, such as `shanghai-1: `. */
export function prefixed(words: string, message: Message): Message {
  if (typeof message !== "string") {
    const { lead = "", subject = "", aside = "", ...parts } = message;
    const rest = `${lead}${aside}`;
    return { ...parts, subject: `${words}${subject}`, ...(rest === "" ? {} : { aside: rest }) };
  }
  return words.endsWith(": ") ? withCause({ what: words.slice(0, -2) }, message) : `${words}${message}`;
}

/** The lead is left out first if the message does not fit. */
export function withLead(lead: string, message: Message): MessageParts {
  const parts = typeof message === "string" ? { what: message } : message;
  return lead === "" ? parts : { ...parts, lead };
}

/** The remedy of the cause stays the remedy. */
export function withCause(parts: Omit<MessageParts, "why">, cause: Message): MessageParts {
  if (typeof cause === "string") return cause === "" ? parts : { ...parts, why: cause };
  const { remedy, ...rest } = cause;
  return { ...parts, why: rendered(rest), ...(remedy === undefined ? {} : { remedy }) };
}

/** A server names the field and quotes the value before the problem, so the value goes before the text is cut. */
function answerWithin(text: string, limit: number): string {
  const whole = wholeWithin({ what: text }, limit);
  if (whole !== undefined) return whole;
  const point = shortPoint(text);
  return wholeWithin({ what: point }, limit) ?? shortMessage(withShortWords(point, LONGEST_WORD), limit);
}

function rendered(parts: MessageParts, shown = parts.where?.length ?? 0): string {
  const { lead = "", subject = "", aside = "", what, where = [], why, remedy } = parts;
  const others = shown < where.length ? ` and ${where.length - shown} more` : "";
  const names = where.length === 0 ? "" : ` ${where.slice(0, shown).join(", ")}${others}`;
  const cause = why === undefined ? "" : `: ${why}`;
  return `${lead}${subject}${aside}${what}${names}${cause}${remedy === undefined ? "" : `; ${remedy}`}`;
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

/** Names take at most half of the limit, unless one name is longer. */
function beginningWithin(bare: MessageParts, limit: number): string {
  return listWithin(bare, limit / 2) ?? shortMessage(rendered(bare, 1), Infinity);
}

function causeWithin({ why, remedy, ...bare }: MessageParts, limit: number, least = LEAST_WHY): string | undefined {
  if (why === undefined) return undefined;
  const end = remedy === undefined ? "" : `; ${shortMessage(remedy, Infinity)}`;
  const before = beginningWithin(bare, limit);
  const room = limit - before.length - 2 - end.length;
  return room < least ? undefined : `${before}: ${shortMessage(why, room)}${end}`;
}

/** Even the beginning of a command tells what to do. */
function remedyWithin({ remedy, ...bare }: MessageParts, limit: number): string | undefined {
  if (remedy === undefined) return undefined;
  const before = beginningWithin(bare, limit);
  const room = limit - before.length - 2;
  return room < LEAST_WHY ? undefined : `${before}; ${shortMessage(remedy, room)}`;
}

/** Terms in brackets end the sentence: `spec.hostPID must not be true (level baseline)`. */
function withoutTerms({ why, ...parts }: MessageParts): MessageParts {
  return why === undefined ? parts : { ...parts, why: why.replace(/ \([^()]*\)$/, "") };
}

/** People choose names of any length. The words between the names stay readable. */
function withShortNames(
  { subject, what: words, where, why, remedy }: MessageParts,
  limit: number,
  longest: number,
): MessageParts {
  const what = withShortWords(words, longest);
  const before = subject === undefined ? "" : withShortWords(subject, longest);
  const most = Math.max(LONGEST_WORD, Math.min(LONGEST_PLACE, limit - before.length - what.length - OTHERS));
  return {
    ...(subject === undefined ? {} : { subject: before }),
    what,
    ...(where === undefined ? {} : { where: where.map((name) => shortName(name, most)) }),
    ...(why === undefined ? {} : { why: withShortWords(why, longest) }),
    ...(remedy === undefined ? {} : { remedy }),
  };
}

function withShortWords(text: string, longest: number): string {
  return text.replaceAll(/\S+/g, (whole) => {
    const word = trimEnd(whole, PUNCTUATION);
    return `${shortWord(word, longest)}${whole.slice(word.length)}`;
  });
}

/** The end of a path, of an annotation's key or of a field's path tells more than its beginning. */
function shortWord(word: string, longest: number): string {
  if (word.length <= LONGEST_WORD) return word;
  if (/^(?:…\w*|\.?(?:spec|metadata|data|status))[.[]/.test(word)) {
    return shortPath(word).replaceAll(/\[([^[\]]*)\]/g, (_, key: string) => `[${shortName(key, longest)}]`);
  }
  const slash = word.lastIndexOf("/");
  const most = longest === LONGEST_WORD ? LONGEST_TAIL : LONGEST_WORD;
  if (slash >= 0 && slash < word.length - 1) return `…/${shortName(word.slice(slash + 1), most)}`;
  return shortName(word, longest);
}
