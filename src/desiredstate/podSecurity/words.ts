import { ALLOWED_HOST_PORTS_ANNOTATION, firstFitting } from "../../apis/index.ts";
import type { NamespaceTerms } from "./terms.ts";
import { fieldOf, shortFieldOf, type Violation } from "./violation.ts";

/**
 * What is refused, and by which annotation the administrators allow just that, where they can: as much of it as there is room for, and all of it.
 * `who`: in full, and shortened.
 */
export function wordsOf(
  violation: Violation,
  { namespace, security, unusable }: NamespaceTerms,
  isByName: boolean,
  who: readonly [whole: string, short: string],
): { message: string; detail: string } {
  const { grantedBy, must } = violation;
  const [whole, short] = who;
  const [field, end] = [fieldOf(violation), shortFieldOf(violation)];
  const level = `level ${security.level}`;
  if (grantedBy === undefined) {
    const detail = `${whole}: ${field} ${must} (${level})`;
    const message = firstFitting([
      detail,
      `${whole}: ${field} ${must}`,
      `${whole}: ${end} ${must} (${level})`,
      `${short}: ${end} ${must}`,
    ]);
    return { message, detail };
  }
  const wrong = unusable(grantedBy).join(", ");
  // By which an administrator meant to allow something.
  const said = wrong === "" ? "" : `: ${wrong} is no ${grantedBy === ALLOWED_HOST_PORTS_ANNOTATION ? "port" : "name"}`;
  const annotation = grantedBy.split("/").pop() ?? "";
  const why = isByName ? "" : `${level}; `;
  const detail = `${whole}: ${field} ${must} (${why}not in the annotation ${grantedBy} of namespace ${namespace}${said})`;
  const message = firstFitting([
    `${whole}: ${field} ${must} (${why}not in ${annotation} of ${namespace}${said})`,
    `${whole}: ${field} ${must} (not in ${annotation}${said})`,
    `${whole}: ${end} ${must} (not in ${annotation}${said})`,
    `${whole}: ${field} ${must} (not in ${annotation} of ${namespace})`,
    `${whole}: ${field} ${must} (not in ${annotation})`,
    `${whole}: ${end} ${must} (not in ${annotation})`,
    `${short}: ${end} ${must} (not in ${annotation})`,
  ]);
  return { message, detail };
}
