import { Document, Scalar, type ScalarTag, visit } from "yaml";
import { escaped, NOT_IN_YAML } from "../values/index.ts";
import { isAmbiguous } from "./scalar.ts";

/**
 * Readers of version 1.1 (kubectl, Helm, PyYAML) and of version 1.2 read the same value: what either takes for another
 * type than a string stands in quotes. Lines are not folded, and there are no aliases.
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
      // A document that is only a block scalar has no indent, but kubectl's reader needs one.
      node.type = key === null && form === Scalar.BLOCK_LITERAL ? Scalar.QUOTE_DOUBLE : form;
    },
  });
  // Some readers refuse these characters or take them for the end of a line. They stand only in double quotes, where
  // escapes are allowed.
  return document
    .toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER })
    .replaceAll(NOT_IN_YAML, escaped);
}

/** No white space that a reader may drop, and no indent that a reader may guess wrongly. */
const LITERAL = /^[^\s][^\r]*\n[^\r]*$/;
const BLANK_LINE = /\n[\t ]+(?:\n|$)/;

function formOf(text: string): Scalar.Type {
  if (text.search(NOT_IN_YAML) >= 0 || isAmbiguous(text)) return Scalar.QUOTE_DOUBLE;
  if (!text.includes("\n")) return Scalar.PLAIN;
  return LITERAL.test(text) && !BLANK_LINE.test(text) ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE;
}

/** Version 1.1 reads `1e+21` as a string, since its floats need a point. */
const exponential: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  identify: (value) => typeof value === "number" && String(value).includes("e"),
  test: /(?!)/,
  resolve: Number,
  stringify: ({ value }) => String(value).replace(/^(-?\d+)e/, "$1.0e"),
};
