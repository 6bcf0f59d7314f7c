import { ALLOWED_HOST_PORTS_ANNOTATION, shortName, shortPath, type Told, told } from "../../apis/index.ts";
import type { NamespaceTerms } from "./terms.ts";
import { fieldOf, type Violation } from "./violation.ts";

/**
 * Names the refused value, and the annotation that allows the value if one can. The message is as full as fits;
 * `detail` is complete. `whoIn` names the object or rule that asks, with names of at most `limit` characters.
 */
export function wordsOf(
  violation: Violation,
  { namespace, security, unusable }: NamespaceTerms,
  whoIn: (limit: number) => string,
): Told {
  const { grantedBy, must } = violation;
  const [whole, short, shortest] = [whoIn(Infinity), whoIn(16), whoIn(8)];
  const field = fieldOf(violation);
  const end = shortPath(field);
  const [cut, last] = [withShortKeys(end), shortName(shortPath(field, 1), 32)];
  const verdict = withShortValue(must);
  const level = `level ${security.level}`;
  if (grantedBy === undefined) {
    return told(
      [
        `${whole}: ${field} ${must} (${level})`,
        `${whole}: ${field} ${must}`,
        `${whole}: ${end} ${must} (${level})`,
        `${short}: ${end} ${must}`,
        `${short}: ${end} ${verdict}`,
        `${short}: ${cut} ${verdict}`,
        `${shortest}: ${cut} ${verdict}`,
      ],
      [`${end} ${verdict}`, `${last} ${verdict}`],
    );
  }
  // Invalid entries by which an administrator meant to allow something.
  const said = whatIsNone(unusable(grantedBy), grantedBy === ALLOWED_HOST_PORTS_ANNOTATION ? "port" : "name");
  const annotation = grantedBy.split("/").pop() ?? "";
  const detail = `${whole}: ${field} ${must} (not in the annotation ${grantedBy} of namespace ${namespace}${said})`;
  const isIn = `(not in ${annotation} of ${namespace}`;
  const texts = [
    `${whole}: ${field} ${must} ${isIn}${said})`,
    `${whole}: ${end} ${must} ${isIn}${said})`,
    ...(said === ""
      ? []
      : [
          `${whole}: ${field} ${must} (not in ${annotation}${said})`,
          `${whole}: ${end} ${must} (not in ${annotation}${said})`,
          `${whole}: ${field} ${must} ${isIn})`,
          `${whole}: ${end} ${must} ${isIn})`,
        ]),
    `${short}: ${end} ${must} ${isIn})`,
    `${whole}: ${end} ${must} (not in ${annotation})`,
    `${short}: ${end} ${must} (not in ${annotation})`,
    `${short}: ${end} ${verdict} (not in ${annotation})`,
    `${short}: ${cut} ${verdict}`,
    `${shortest}: ${cut} ${verdict}`,
  ] as const;
  const least = [`${end} ${verdict} (not in ${annotation})`, `${last} ${verdict} (not in ${annotation})`];
  return { ...told(texts, [...least, `${last} ${verdict}`]), detail };
}

function whatIsNone(wrong: readonly string[], what: string): string {
  if (wrong.length === 0) return "";
  return wrong.length === 1 ? `: ${wrong[0]} is no ${what}` : `: ${wrong.join(", ")} are no ${what}s`;
}

/** Shortens names in brackets, which people chose; the name of the field stays readable. */
function withShortKeys(path: string): string {
  return path.replaceAll(/\[([^[\]]*)\]/g, (_, name: string) => `[${shortName(name, 20)}]`);
}

/** Shortens a field's value in the requirement, since a person may have written any length. */
function withShortValue(must: string): string {
  return must.replace(
    /^(must not (?:be|name)) (.+)$/,
    (_, words: string, value: string) => `${words} ${shortName(value, 24)}`,
  );
}
