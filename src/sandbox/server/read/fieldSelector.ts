import { badRequest } from "../../statusError.ts";

export interface FieldRequirement {
  /** Such as `metadata.name`. */
  field: string;
  equal: boolean;
  value: string;
}

/** Parses a `fieldSelector` parameter: `status.phase!=Running,metadata.name=web`. Throws a StatusError 400. */
export function parseFieldSelector(text: string): FieldRequirement[] {
  return terms(text).map((term) => {
    const match = /^([^=!]*)(!=|==|=)(.*)$/s.exec(term);
    if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field = "", operator, value = ""] = match;
    return { field, equal: operator !== "!=", value: unescape(value, text) };
  });
}

export function matchesFields(requirements: readonly FieldRequirement[], valueOf: (field: string) => string): boolean {
  return requirements.every(({ field, equal, value }) => (valueOf(field) === value) === equal);
}

/** Splits at commas that no backslash escapes. */
function terms(text: string): string[] {
  return (text.match(/(?:\\.|[^,\\])+/gs) ?? []).filter((term) => term !== "");
}

function unescape(value: string, whole: string): string {
  return value.replaceAll(/\\(.?)/gs, (_, escaped: string) => {
    if (!["\\", ",", "="].includes(escaped)) {
      throw badRequest(`invalid field selector: ${whole}: invalid escape sequence: \\${escaped}`);
    }
    return escaped;
  });
}
