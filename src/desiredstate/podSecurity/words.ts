import { ALLOWED_HOST_PORTS_ANNOTATION, type MessageParts } from "../../apis/index.ts";
import type { NamespaceTerms } from "./terms.ts";
import { fieldOf, type Violation } from "./violation.ts";

/** Names the refused value, and the annotation that allows the value if one can. `who`: the object or rule that asks. */
export function wordsOf(
  violation: Violation,
  { namespace, security, unusable }: NamespaceTerms,
  who: string,
): MessageParts {
  const { grantedBy, must } = violation;
  const why = `${fieldOf(violation)} ${must}`;
  if (grantedBy === undefined) return { what: who, why: `${why} (level ${security.level})` };
  // Invalid entries by which an administrator meant to allow something.
  const wrong = whatIsNone(unusable(grantedBy), grantedBy === ALLOWED_HOST_PORTS_ANNOTATION ? "port" : "name");
  return { what: who, why: `${why} (not in the annotation ${grantedBy} of namespace ${namespace}${wrong})` };
}

function whatIsNone(wrong: readonly string[], what: string): string {
  if (wrong.length === 0) return "";
  return wrong.length === 1 ? `: ${wrong[0]} is no ${what}` : `: ${wrong.join(", ")} are no ${what}s`;
}
