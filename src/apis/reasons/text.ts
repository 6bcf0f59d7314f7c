import { trimEnd } from "../values/index.ts";

/** White space other than single blanks between words. */
const UNTIDY = /[^\S ]|  |^ | $/;

/** Default maximum of characters. */
const MESSAGE_LIMIT = 120;

/**
 * Puts the text on one line and cuts it at the limit, with `…` at the end. The cut is between words where this keeps at
 * least half of the limit. A command in backquotes at the end tells what to do: it stays whole where it fits, and the
 * text before it is cut.
 */
export function shortMessage(text: string, limit: number = MESSAGE_LIMIT): string {
  // Nearly every text is short and on one line already.
  if (text.length <= limit && !UNTIDY.test(text)) return text;
  // The text beyond this point could be shown only if nearly all of the text before it were white space.
  const line = text
    .slice(0, 16 * limit)
    .replaceAll(/\s+/g, " ")
    .trim();
  if (line.length <= limit) return line;
  const remedy = remedyAfter(line, limit);
  return remedy === undefined ? cutTo(line, limit) : `${cutTo(line, limit - remedy.length - 1)} ${remedy}`;
}

/** Minimum characters for the problem, before its remedy. */
const LEAST_CAUSE = 16;

/**
 * The last command of the line, with the words that lead to it. Undefined unless the limit would cut the command off
 * and leaves room for it.
 */
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
  // Half of a surrogate pair is no valid character, so it is removed.
  const cut = space >= limit / 2 ? room.slice(0, space) : room.replace(/[\uD800-\uDBFF]$/, "");
  return `${trimEnd(cut, " ,;:.")}…`;
}

/**
 * Returns the first text that is within the limit, else the last text, cut at its end. Give the fullest text first, and
 * last the text with only the most important words.
 */
export function firstFitting(texts: readonly [string, ...string[]], limit: number = MESSAGE_LIMIT): string {
  const found = texts.find((text) => shortMessage(text, limit) === text);
  return found ?? shortMessage(texts.at(-1) ?? "", limit);
}

/**
 * A message within the limit. `detail` is the full text, if it is longer. `shorter` are shorter forms, for use in a
 * message that has more to say.
 */
export interface Told {
  message: string;
  detail?: string;
  shorter: readonly string[];
}

/**
 * Returns the first text that fits as the message. Give the fullest text first, as for {@link firstFitting}. `least`
 * are the shortest forms, which are used only beside other words.
 */
export function told(texts: readonly [string, ...string[]], least: readonly string[] = []): Told {
  const [whole] = texts;
  const message = firstFitting(texts);
  const shorter = [...new Set([...texts, ...least])].filter((text) => text.length < message.length);
  return { message, ...(message === whole ? {} : { detail: whole }), shorter };
}

/** Lists as many items after `before` as fit, and the number of the others. So no name is cut in the middle. */
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
    // More than `limit` items cannot fit within `limit` characters.
    if (count > limit) count = limit;
  }
  return shortMessage(`${before}${items.join(separator)}`, limit);
}

/** Shortens a name, to leave room for the rest of a sentence. */
export function shortName(name: string, limit: number = 40): string {
  return name.length <= limit ? name : `${name.slice(0, limit - 1)}…`;
}

/** Words that a server puts before the reason of a refusal, with their replacements. They tell the reader nothing new. */
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

/** Message of a server on one line, without the words before the problem. So a cut at the end keeps the reason. */
export function pointOf(text: string): string {
  let point = text.replaceAll(/\s+/g, " ").trim();
  for (const [wrapping, instead] of WRAPPINGS) point = point.replace(wrapping, instead);
  return point === "" ? text.trim() : point;
}

/**
 * Shortens a message that does not fit. A server names the field and quotes the value first, and tells the problem
 * last. So the value is left out, and only the end of the first field's path stays.
 */
export function shortPoint(text: string): string {
  const point = text.replaceAll(/: Invalid value: .+?: /g, ": ");
  const [before = "", path = ""] = /^(\.?[a-zA-Z][^\s:]*): /.exec(point) ?? [];
  return path === "" ? point : `${shortPath(path)}: ${point.slice(before.length)}`;
}

/** End of a long field path, which tells more than its beginning. */
export function shortPath(path: string, kept: number = 2): string {
  const names = path.match(/[^.[\]]+(?:\[[^\]]*\])*/g) ?? [];
  return names.length <= kept ? path : `…${names.slice(-kept).join(".")}`;
}
