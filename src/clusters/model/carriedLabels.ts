import { canonicalJson, type ObjectRef, POD_SECURITY_ANNOTATION } from "../../apis/index.ts";
import type { HoldRow, Row } from "../../desiredstate/index.ts";

export type Labels = Readonly<Record<string, string>>;

type Saying = Pick<Row, "verb" | "ref"> & Pick<HoldRow, "namespaceLabels">;

/** Labels that the rows of one cluster want on their namespaces. */
export class NamespaceLabels {
  readonly #wanted = new Map<string, Labels>();

  /** Returns the namespace when the row changes the labels that it should have. */
  take(row: Saying): ObjectRef | undefined {
    const namespaceLabels = labelsIn(row);
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

/**
 * An Apply row always names the labels. An Apply row without `namespaceLabels` means that the hub's namespace has none.
 */
function labelsIn({ verb, namespaceLabels }: Saying): Labels | undefined {
  return verb === "Apply" ? (namespaceLabels ?? {}) : namespaceLabels;
}

/** Labels for a new namespace, and the annotation that lists the labels that Meridian set. */
export function carried(labels: Labels | undefined): { labels: Labels; annotations: Labels } {
  if (labels === undefined || Object.keys(labels).length === 0) return { labels: {}, annotations: {} };
  return { labels, annotations: { [POD_SECURITY_ANNOTATION]: textOf(labels) } };
}

/** Value of the annotation: canonical JSON, so that equal labels give equal text. */
export function textOf(labels: Labels): string {
  return canonicalJson(labels);
}

/** Labels listed in the annotation. None when the annotation cannot be parsed, since somebody may have overwritten it. */
export function carriedLabels(text: string | undefined): Labels {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Labels) : {};
  } catch {
    return {};
  }
}
