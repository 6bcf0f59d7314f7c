import { canonicalJson, type ObjectRef, POD_SECURITY_ANNOTATION } from "../../apis/index.ts";
import type { HoldRow, Row } from "../../desiredstate/index.ts";
import { Handlers } from "./handlers.ts";

export type Labels = Readonly<Record<string, string>>;
/** Labels that the rows of one cluster want on their namespaces. */
export class NamespaceLabels {
  readonly #wanted = new Map<string, Labels>();
  readonly #changes = new Handlers<ObjectRef>();

  /** A row has changed the labels that the namespace should have. */
  onChange(handler: (namespace: ObjectRef) => void): Disposable {
    return this.#changes.add(handler);
  }

  take(row: Pick<Row, "verb" | "ref"> & Pick<HoldRow, "namespaceLabels">): void {
    // An Apply row without labels means that the hub's namespace has none.
    const namespaceLabels = row.verb === "Apply" ? (row.namespaceLabels ?? {}) : row.namespaceLabels;
    const { namespace } = row.ref;
    if (namespaceLabels === undefined || namespace === undefined) return;
    const before = this.#wanted.get(namespace);
    if (before !== undefined && textOf(before) === textOf(namespaceLabels)) return;
    this.#wanted.set(namespace, namespaceLabels);
    this.#changes.call({ apiVersion: "v1", kind: "Namespace", name: namespace });
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
