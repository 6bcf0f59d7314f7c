import { trimEnd } from "../values/index.ts";

const UNTIDY = /[^\S ]|  |^ | $/;

const MESSAGE_LIMIT = 120;

/** One line, cut at the limit with `…`: between words where this keeps at least half of the limit. */
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

export function namesText(names: readonly string[], most: number = 3): string {
  const more = names.length - most;
  return more <= 0 ? names.join(", ") : `${names.slice(0, most).join(", ")} and ${more} more`;
}

export function shortName(name: string, limit: number = 40): string {
  return name.length <= limit ? name : `${name.slice(0, limit - 1)}…`;
}

/** Words of a server before the reason of a refusal, which tell the reader nothing new. */
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

/** Without the words before the problem, so that a cut at the end keeps the reason. */
export function pointOf(text: string): string {
  let point = text.replaceAll(/\s+/g, " ").trim();
  for (const [wrapping, instead] of WRAPPINGS) point = point.replace(wrapping, instead);
  return point === "" ? text.trim() : point;
}

/**
 * A server names the field and quotes the value before the problem: the value goes, and of the first field's path the
 * end stays.
 */
export function shortPoint(text: string): string {
  const point = text.replaceAll(/: Invalid value: .+?: /g, ": ");
  const [before = "", path = ""] = /^(\.?[a-zA-Z][^\s:]*): /.exec(point) ?? [];
  return path === "" ? point : `${shortPath(path)}: ${point.slice(before.length)}`;
}

/** The end tells more than the beginning. */
export function shortPath(path: string, kept: number = 2): string {
  const names = path.match(/[^.[\]]+(?:\[[^\]]*\])*/g) ?? [];
  return names.length <= kept ? path : `…${names.slice(-kept).join(".")}`;
}
