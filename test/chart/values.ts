import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from "yaml";
import { markdownTable } from "../../src/apis/reference/index.ts";

/** What a line of a value begins with when it is for the page of reference. */
const MARK = "-- ";

interface Row {
  name: string;
  value: string;
  description: string;
}

/** The table of every value that a line of values.yaml describes. Throws for a value without such a line. */
export function valuesTable(values: string): string {
  const document = parseDocument(values);
  if (!isMap(document.contents)) throw new Error("values.yaml holds no map");
  const rows = [...rowsOf(document.contents as YAMLMap<unknown, unknown>, "", first(values))];
  return markdownTable(
    ["value", "default", "what it is"],
    rows.map(({ name, value, description }) => [`\`${name}\``, value, description]),
  );
}

/** The comment of the first value is the document's: it is found in the text. */
function first(values: string): string {
  const comments = values.split(/^[A-Za-z]/m)[0] ?? "";
  return comments
    .split("\n")
    .map((line) => line.replace(/^#/, ""))
    .join("\n");
}

function* rowsOf(map: YAMLMap<unknown, unknown>, path: string, firstComment: string | undefined): Iterable<Row> {
  for (const [index, pair] of map.items.entries()) {
    const key = isScalar(pair.key) ? pair.key : undefined;
    const name = path === "" ? String(key?.value) : `${path}.${String(key?.value)}`;
    // The comment before the first key of a map is the map's.
    const comment = key?.commentBefore ?? (index === 0 ? firstComment : undefined) ?? "";
    const description = marked(comment);
    if (description !== undefined) yield { name, value: valueOf(pair), description };
    else if (isMap(pair.value)) yield* rowsOf(pair.value, name, pair.value.commentBefore ?? undefined);
    else throw new Error(`${name} has no line that begins with "# ${MARK}"`);
  }
}

function marked(comment: string): string | undefined {
  const line = comment
    .split("\n")
    .map((text) => text.trim())
    .findLast((text) => text.startsWith(MARK));
  return line?.slice(MARK.length);
}

function valueOf(pair: Pair): string {
  const { value } = pair;
  return `\`${JSON.stringify((value as { toJSON(): unknown }).toJSON())}\``;
}
