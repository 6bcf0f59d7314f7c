import { Document, Scalar, type ScalarTag, visit } from "yaml";
import { escaped, NOT_IN_YAML } from "../values/index.ts";
import { isAmbiguous } from "./scalar.ts";

/**
 * YAML that readers of version 1.1 (kubectl, Helm, PyYAML) and of version 1.2 read as the same value: whatever either of them takes for
 * something else than a text stands in quotes. No line is folded, and nothing is an alias.
 */
export function printYaml(value: unknown): string {
  const document = new Document(value, {
    aliasDuplicateObjects: false,
    customTags: (tags) => [exponential, ...tags],
  });
  visit(document, {
    Scalar(key, node) {
      if (typeof node.value !== "string") return;
      const form = formOf(node.value);
      // A document that is nothing but a block of lines has no indent, which kubectl's reader wants.
      node.type = key === null && form === Scalar.BLOCK_LITERAL ? Scalar.QUOTE_DOUBLE : form;
    },
  });
  // Characters that some readers refuse or take for the end of a line stand in double quotes alone, where they may be escaped.
  return document
    .toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER })
    .replaceAll(NOT_IN_YAML, escaped);
}

/** Line by line as it stands: nothing in it is white space that a reader may drop, or an indent that it may guess wrongly. */
const LITERAL = /^[^\s][^\r]*\n[^\r]*$/;
const BLANK_LINE = /\n[\t ]+(?:\n|$)/;

function formOf(text: string): Scalar.Type {
  if (text.search(NOT_IN_YAML) >= 0 || isAmbiguous(text)) return Scalar.QUOTE_DOUBLE;
  if (!text.includes("\n")) return Scalar.PLAIN;
  return LITERAL.test(text) && !BLANK_LINE.test(text) ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE;
}

/** Version 1.1 takes `1e+21` for a text: its floats have a point. */
const exponential: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  identify: (value) => typeof value === "number" && String(value).includes("e"),
  test: /(?!)/,
  resolve: Number,
  stringify: ({ value }) => String(value).replace(/^(-?\d+)e/, "$1.0e"),
};
