import { canonicalJson, type ObjectRef, POD_SECURITY_ANNOTATION } from "../../apis/index.ts";
import type { HoldRow, Row } from "../../desiredstate/index.ts";

export type Labels = Readonly<Record<string, string>>;

type Saying = Pick<Row, "verb" | "ref"> & Pick<HoldRow, "namespaceLabels">;

/** What the rows of one cluster say of the labels of their namespaces. */
export class NamespaceLabels {
  readonly #wanted = new Map<string, Labels>();

  /** Returns the namespace when the row says something new of it. */
  take(row: Saying): ObjectRef | undefined {
    const namespaceLabels = labelsIn(row);
    const { namespace } = row.ref;
    if (namespaceLabels === undefined || namespace === undefined) return undefined;
    const before = this.#wanted.get(namespace);
    if (before !== undefined && textOf(before) === textOf(namespaceLabels)) return undefined;
    this.#wanted.set(namespace, namespaceLabels);
    return { apiVersion: "v1", kind: "Namespace", name: namespace };
  }

  /** Undefined: no row has said anything. */
  of(namespace: string): Labels | undefined {
    return this.#wanted.get(namespace);
  }
}

/** A row that writes speaks of them always: without any, the hub's namespace has none. */
function labelsIn({ verb, namespaceLabels }: Saying): Labels | undefined {
  return verb === "Apply" ? (namespaceLabels ?? {}) : namespaceLabels;
}

/** Labels, and the annotation that says which they are, of a namespace that is to be made. */
export function carried(labels: Labels | undefined): { labels: Labels; annotations: Labels } {
  if (labels === undefined || Object.keys(labels).length === 0) return { labels: {}, annotations: {} };
  return { labels, annotations: { [POD_SECURITY_ANNOTATION]: textOf(labels) } };
}

/** One text for the same labels: what the annotation says. */
export function textOf(labels: Labels): string {
  return canonicalJson(labels);
}

/** Somebody may have written over the annotation: then nothing is known of what was carried. */
export function carriedLabels(text: string | undefined): Labels {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Labels) : {};
  } catch {
    return {};
  }
}
