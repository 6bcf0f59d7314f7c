import { canonicalJson, type ObjectRef, POD_SECURITY_ANNOTATION } from "../../apis/index.ts";
import type { HoldRow, Row } from "../../desiredstate/index.ts";

export type Labels = Readonly<Record<string, string>>;
/** Labels that the rows of one cluster want on their namespaces. */
export class NamespaceLabels {
  readonly #wanted = new Map<string, Labels>();

  /** Returns the namespace when the row changes the labels that it should have. */
  take(row: Pick<Row, "verb" | "ref"> & Pick<HoldRow, "namespaceLabels">): ObjectRef | undefined {
    // An Apply row without labels means that the hub's namespace has none.
    const namespaceLabels = row.verb === "Apply" ? (row.namespaceLabels ?? {}) : row.namespaceLabels;
    const { namespace } = row.ref;
    if (namespaceLabels === undefined || namespace === undefined) return undefined;
    const before = this.#wanted.get(namespace);
    if (before !== undefined && textOf(before) === textOf(namespaceLabels)) return undefined;
    this.#wanted.set(namespace, namespaceLabels);
    return { apiVersion: "v1", kind: "Namespace", name: namespace };
  }

  /** Undefined when no row has named labels for the namespace. */
  of(namespace: string): Labels | undefined {
    return this.#wanted.get(namespace);
  }
}

/** Labels for a new namespace, and the annotation that lists the labels that Meridian set. */
export function carried(labels: Labels | undefined): { labels: Labels; annotations: Labels } {
  if (labels === undefined || Object.keys(labels).length === 0) return { labels: {}, annotations: {} };
  return { labels, annotations: { [POD_SECURITY_ANNOTATION]: textOf(labels) } };
}

/** Value of the annotation: equal labels give equal text. */
export function textOf(labels: Labels): string {
  return canonicalJson(labels);
}

/** Labels listed in the annotation; none in a text that somebody overwrote. */
export function carriedLabels(text: string | undefined): Labels {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Labels) : {};
  } catch {
    return {};
  }
}
