import { trimEnd } from "../values/index.ts";

/** White space other than single blanks between words. */
const UNTIDY = /[^\S ]|  |^ | $/;

/** Default maximum of characters. */
const MESSAGE_LIMIT = 120;

/**
 * Puts the text on one line and cuts it at the limit, with `…` at the end. The cut is between words where this keeps at
 * least half of the limit.
 */
export function shortMessage(text: string, limit: number = MESSAGE_LIMIT): string {
  // Nearly every text is short and on one line already.
  if (text.length <= limit && !UNTIDY.test(text)) return text;
  // The text beyond this point could be shown only if nearly all of the text before it were white space.
  const line = text
    .slice(0, 16 * limit)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= limit ? line : cutTo(line, limit);
}

function cutTo(line: string, limit: number): string {
  const room = line.slice(0, limit - 1);
  const space = line[limit - 1] === " " ? room.length : room.lastIndexOf(" ");
  // Half of a surrogate pair is no valid character, so it is removed.
  const cut = space >= limit / 2 ? room.slice(0, space) : room.replace(/[\uD800-\uDBFF]$/, "");
  return `${trimEnd(cut, " ,;:.")}…`;
}

/** The first names, and the number of the others. */
export function namesText(names: readonly string[], most: number = 3): string {
  const more = names.length - most;
  return more <= 0 ? names.join(", ") : `${names.slice(0, most).join(", ")} and ${more} more`;
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
