import { ageOf, humanDuration } from "../../tables/duration.ts";
import type { Column, KubeObject } from "../../types.ts";
import { fields, type Fields, fieldsList, isMissing, text, textMap, texts } from "../values.ts";

/** Computes a cell of a Table from one object; the time is in milliseconds since 1970. */
export type Cell = NonNullable<Column["value"]>;

/** Cells by the name of their column. */
export type Cells = Readonly<Record<string, Cell>>;

export const NONE = "<none>";

/** Cells of every table. */
export const commonCells: Cells = {
  Name: (object) => object.metadata.name,
  Age: (object, now) => since(object.metadata.creationTimestamp, now),
  "Created At": (object) => object.metadata.creationTimestamp ?? null,
};

/** Age, or `<unknown>` for a missing time. */
export function since(timestamp: unknown, now: number): string {
  return ageOf(text(timestamp), now);
}

/** Duration from `start` to `end`, or to now if `end` is missing. */
export function between(start: unknown, end: unknown, now: number): string {
  if (isMissing(start)) return "";
  return humanDuration((isMissing(end) ? now : Date.parse(text(end))) - Date.parse(text(start)));
}

export function spec(object: KubeObject): Fields {
  return fields(object["spec"]);
}

export function status(object: KubeObject): Fields {
  return fields(object["status"]);
}

export function orNone(value: unknown): string {
  return text(value) === "" ? NONE : text(value);
}

/** `app=web,tier=back`, sorted. */
export function labelsText(labels: unknown): string {
  const pairs = Object.entries(textMap(labels)).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? NONE : pairs.sort().join(",");
}

/** A label selector in command-line form. */
export function selectorText(selector: unknown): string {
  const { matchLabels, matchExpressions } = fields(selector);
  const parts = Object.entries(textMap(matchLabels)).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  for (const { key: name, operator, values } of fieldsList(matchExpressions)) {
    const key = text(name);
    const list = `(${texts(values).toSorted().join(",")})`;
    switch (operator) {
      case "In":
        parts.push({ key, text: `${key} in ${list}` });
        break;
      case "NotIn":
        parts.push({ key, text: `${key} notin ${list}` });
        break;
      case "Exists":
        parts.push({ key, text: key });
        break;
      default:
        parts.push({ key, text: `!${key}` });
    }
  }
  if (parts.length === 0) return NONE;
  return parts
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map((part) => part.text)
    .join(",");
}

/** The names and images of a Pod's containers. */
export function containerCells(podSpec: (object: KubeObject) => Fields): Cells {
  const joined = (field: string): Cell => {
    return (object) =>
      fieldsList(podSpec(object)["containers"])
        .map((container) => text(container[field]))
        .join(",");
  };
  return { Containers: joined("name"), Images: joined("image") };
}

/** Container cells of a kind with `spec.template`. */
export const templateCells: Cells = containerCells((object) => fields(fields(spec(object)["template"])["spec"]));
