import { failure, type StatusError } from "../../statusError.ts";
import { type FieldSet, type Owned, pathTexts } from "../sets/index.ts";
import { compareText } from "../values/index.ts";

/** Fields of one other manager that an apply would change. */
export interface FieldConflicts {
  id: string;
  owner: Owned;
  set: FieldSet;
}

/** An unforced apply would change fields of other managers. */
export class ApplyConflicts extends Error {
  override readonly name = "ApplyConflicts";
  readonly conflicts: readonly FieldConflicts[];

  constructor(conflicts: readonly FieldConflicts[]) {
    super("conflicts");
    this.conflicts = conflicts.toSorted((a, b) => compareText(a.id, b.id));
  }

  /** The server's answer, with one cause per field. */
  get status(): StatusError {
    const causes = this.conflicts.flatMap(({ owner, set }) =>
      pathTexts(set).map((field) => ({
        reason: "FieldManagerConflict",
        message: `conflict with ${managerText(owner)}`,
        field,
      })),
    );
    return failure(409, "Conflict", this.#message(), { causes });
  }

  #message(): string {
    const all = this.conflicts.map(({ owner, set }) => ({ who: managerText(owner), paths: pathTexts(set) }));
    const count = all.reduce((sum, { paths }) => sum + paths.length, 0);
    const [first] = all;
    if (count === 1 && first !== undefined)
      return `Apply failed with 1 conflict: conflict with ${first.who}: ${first.paths[0]}`;
    const lines = all.flatMap(({ who, paths }) => [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)]);
    return `Apply failed with ${count} conflicts: ${lines.join("\n")}`;
  }
}

function managerText({ manager, subresource, operation, apiVersion }: Owned): string {
  const where = subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`;
  const how = operation === "Update" ? ` using ${apiVersion}` : "";
  return `${JSON.stringify(manager)}${where}${how}`;
}
