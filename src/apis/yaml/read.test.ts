import { describe, expect, test } from "vitest";
import { canonicalJson } from "../values/canonical.ts";
import { parseJson } from "../values/json.ts";
import { parseYaml, parseYamlDocuments, YamlError } from "./read.ts";
import { READ, REFUSED } from "./testdata/kubectlReads.ts";

describe("YAML", () => {
  test.each(READ)("%j is read as kubectl reads it: %s", (yaml, json) => {
    expect(canonicalJson(parseYaml(yaml))).toBe(canonicalJson(parseJson(json)));
  });

  test.each(REFUSED)("%j is refused, as kubectl refuses it", (yaml) => {
    expect(() => parseYaml(yaml)).toThrow(YamlError);
  });

  test("has documents, each with the line of its first content", () => {
    const text = "# first\n---\na: 0400\n---\n\n\nb: yes\n---\n";
    expect(parseYamlDocuments(text)).toEqual([
      { value: { a: 256 }, line: 3 },
      { value: { b: true }, line: 7 },
      { value: null, line: 8 },
    ]);
    expect(parseYamlDocuments("")).toEqual([]);
    expect([parseYaml(""), parseYaml("# nothing\n"), parseYaml("a: 1\n---\nb: 2\n")]).toEqual([null, null, { a: 1 }]);
  });

  test.each([
    { name: "a mistake in the syntax", text: "a: 1\n---\nb: [\n", place: { document: 1, documents: 2, line: 4 } },
    {
      name: "a number that JSON lacks",
      text: "a: 1\n---\nb:\n  c: .inf\n",
      place: { document: 1, line: 4, column: 6 },
    },
    { name: "a key that is null", text: "a:\n  ~: 1\n", place: { document: 0, line: 2, column: 3 } },
  ])("is refused with the place of $name", ({ text, place }) => {
    expect(() => parseYamlDocuments(text)).toThrow(expect.objectContaining({ name: "YamlError", ...place }));
  });

  test("does not grow by its aliases beyond a bound", () => {
    const levels = Array.from(
      { length: 12 },
      (_, at) =>
        `a${at}: &a${at} [${Array(9)
          .fill(at === 0 ? "x" : `*a${at - 1}`)
          .join(", ")}]`,
    );
    expect(() => parseYaml(levels.join("\n"))).toThrow(YamlError);
    expect(() => parseYaml("a: &a [1]\nb: *a\n", { aliased: 0 })).toThrow(YamlError);
  });

  test("sets keys that are the name of something else in JavaScript", () => {
    expect(JSON.stringify(parseYaml("__proto__: {a: 1}\nconstructor: b\n<<: {__proto__: c}\n"))).toBe(
      '{"__proto__":"c","constructor":"b"}',
    );
  });
});
