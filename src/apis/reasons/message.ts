import { trimEnd } from "../values/index.ts";

/** White space other than single blanks between words. */
const UNTIDY = /[^\S ]|  |^ | $/;

/** The API bounds the messages of conditions and entries to this many characters. */
const MESSAGE_LIMIT = 120;

/**
 * The text on one line and within the limit: cut between words where that keeps at least half of it, and ended with `…`. A command at the end, in
 * backquotes, is what to do about the rest: it stays whole where there is room, and what stands before it is cut.
 */
export function shortMessage(text: string, limit: number = MESSAGE_LIMIT): string {
  // Nearly every text is short and on one line already.
  if (text.length <= limit && !UNTIDY.test(text)) return text;
  // Nothing of the rest would be shown, unless there are sixteen characters of white space to each of the others.
  const line = text
    .slice(0, 16 * limit)
    .replaceAll(/\s+/g, " ")
    .trim();
  if (line.length <= limit) return line;
  const remedy = remedyAfter(line, limit);
  return remedy === undefined ? cutTo(line, limit) : `${cutTo(line, limit - remedy.length - 1)} ${remedy}`;
}

/** What little says of a trouble before its remedy. */
const LEAST_CAUSE = 16;

/** The last command of the line with the words that lead to it, where the limit would cut it off and leaves room for it. */
function remedyAfter(line: string, limit: number): string | undefined {
  const end = line.lastIndexOf("`");
  const begin = end <= 0 ? -1 : line.lastIndexOf("`", end - 1);
  if (begin === -1 || end < limit - 1) return undefined;
  const lead = Math.max(line.lastIndexOf("; ", begin), line.lastIndexOf(": ", begin));
  const whole = line.slice(lead === -1 ? begin : lead + 2);
  const remedy = whole.length <= limit - LEAST_CAUSE ? whole : line.slice(begin, end + 1);
  return remedy.length <= limit - LEAST_CAUSE ? remedy : undefined;
}

function cutTo(line: string, limit: number): string {
  const room = line.slice(0, limit - 1);
  const space = line[limit - 1] === " " ? room.length : room.lastIndexOf(" ");
  // Half of a surrogate pair at the end would not be a character at all.
  const cut = space >= limit / 2 ? room.slice(0, space) : room.replace(/[\uD800-\uDBFF]$/, "");
  return `${trimEnd(cut, " ,;:.")}…`;
}

/** The first of the texts that is within the limit; else the last one, cut at its end. Give the fullest first, the one that says only what matters most last. */
export function firstFitting(texts: readonly [string, ...string[]], limit: number = MESSAGE_LIMIT): string {
  const found = texts.find((text) => shortMessage(text, limit) === text);
  return found ?? shortMessage(texts.at(-1) ?? "", limit);
}

/** A sentence within the limit; in full, where that is longer; and the ways to say it shorter, for a sentence that has more to say. */
export interface Told {
  message: string;
  detail?: string;
  shorter: readonly string[];
}

/**
 * The first of the texts that fits as the message. Give the fullest first, as to {@link firstFitting}. `least`: what is left of it only beside
 * other words.
 */
export function told(texts: readonly [string, ...string[]], least: readonly string[] = []): Told {
  const [whole] = texts;
  const message = firstFitting(texts);
  const shorter = [...new Set([...texts, ...least])].filter((text) => text.length < message.length);
  return { message, ...(message === whole ? {} : { detail: whole }), shorter };
}

/** The items after the words before them, as many as fit, and how many more there are: a list of names is never cut in the middle of a name. */
export function listedAfter(
  before: string,
  items: readonly string[],
  separator = ", ",
  limit: number = MESSAGE_LIMIT,
): string {
  for (let count = items.length; count > 0; count--) {
    const more = count === items.length ? "" : ` and ${items.length - count} more`;
    const text = `${before}${items.slice(0, count).join(separator)}${more}`;
    if (text.length <= limit) return text;
    // Whatever is not there to be counted cannot make it fit.
    if (count > limit) count = limit;
  }
  return shortMessage(`${before}${items.join(separator)}`, limit);
}

/** A name within a sentence that has more to say. */
export function shortName(name: string, limit: number = 40): string {
  return name.length <= limit ? name : `${name.slice(0, limit - 1)}…`;
}

/** What a server puts around the reason for which it refuses a request, and that says nothing that the reader does not know. */
const WRAPPINGS: readonly (readonly [RegExp, string])[] = [
  [/^Internal error occurred: /, ""],
  [/^failed to create manager for existing fields: /, ""],
  [/^failed to (?:create typed|convert)[^:()]*(?:\([^()]*\)[^:()]*)?: /, ""],
  [/^unable to convert unstructured object to [^:]*: /, ""],
  [/^errors: /, ""],
  [/^[a-zA-Z]+ in version "[^"]*" cannot be handled as an? [a-zA-Z]+: /, ""],
  [/^(?:json|strict decoding error): /, ""],
  [/^[a-zA-Z0-9.-]+ "[^"]*" is (?:forbidden|invalid): /, ""],
  [/^User "[^"]*" cannot /, "Meridian's account cannot "],
  [/^admission webhook "([^"]*)" denied the request: /, "webhook $1: "],
  [/^admission webhook "([^"]*)" denied the request without explanation/, "webhook $1 does not say why"],
  [/^ValidatingAdmissionPolicy '([^']*)' (?:with binding '[^']*' )?denied request: /, "admission policy $1: "],
  [/^failed calling webhook "([^"]*)": (?:failed to call webhook: )?(?:Post "[^"]*": )?/, "webhook $1: "],
];

/** The words of a server on one line, from where they begin to say what is wrong, so that a cut at the end leaves the reason. */
export function pointOf(text: string): string {
  let point = text.replaceAll(/\s+/g, " ").trim();
  for (const [wrapping, instead] of WRAPPINGS) point = point.replace(wrapping, instead);
  return point === "" ? text.trim() : point;
}

/** A point that does not fit: a server names the field and quotes the value first, and what is wrong with them last. Of the first field only the end stays. */
export function shortPoint(text: string): string {
  const point = text.replaceAll(/: Invalid value: .+?: /g, ": ");
  const [before = "", path = ""] = /^(\.?[a-zA-Z][^\s:]*): /.exec(point) ?? [];
  return path === "" ? point : `${shortPath(path)}: ${point.slice(before.length)}`;
}

/** The end of a long name of a field, which says more than its beginning. */
export function shortPath(path: string, kept: number = 2): string {
  const names = path.match(/[^.[\]]+(?:\[[^\]]*\])*/g) ?? [];
  return names.length <= kept ? path : `…${names.slice(-kept).join(".")}`;
}
