import { describe, expect, test } from "vitest";
import { type CelCondition, compileCondition } from "./cel.ts";

function conditionOf(expression: string): CelCondition {
  const compiled = compileCondition(expression);
  if ("mistake" in compiled) throw new Error(compiled.mistake);
  return compiled.condition;
}
const mistakeIn = (expression: string): string => {
  const compiled = compileCondition(expression);
  return "mistake" in compiled ? compiled.mistake : "";
};
const holds = (expression: string, object: object = {}): boolean => conditionOf(expression)({ ...object });

const at10 = "timestamp('2026-11-22T10:00:00Z')";

describe("what an expression may call", () => {
  test.each([
    "has(object.name)",
    "size(object.list) == 3",
    "int('4') == 4",
    "double('0.5') == 0.5",
    "dyn(1) == 1",
    "object.name.contains('eri')",
    "object.name.startsWith('Mer')",
    "object.name.endsWith('ian')",
    "object.name.lowerAscii() == 'meridian'",
    "object.name.upperAscii() == 'MERIDIAN'",
    "object.list.all(n, n > 0)",
    "object.list.exists(n, n == 2)",
    "object.list.exists_one(n, n == 2)",
    "object.list.filter(n, n > 1) == [2, 3]",
    "object.list.map(n, n + 1) == [2, 3, 4]",
    "object.?name.hasValue()",
    "object.?name.value() == 'Meridian'",
    "object.?missing.or(object.?name).value() == 'Meridian'",
    "object.?missing.orValue(7) == 7",
    "object[?'missing'].orValue(7) == 7",
    "object[?'size'].value() == 2",
    "duration('90s').getSeconds() == 90",
    "duration('5m').getMinutes() == 5",
    "duration('7200s').getHours() == 2",
    `timestamp(object.since) - ${at10} == duration('0s')`,
  ])("%s", (expression) => {
    const object = { name: "Meridian", list: [1, 2, 3], size: 2, since: "2026-11-22T10:00:00Z" };
    expect(holds(expression, object)).toBe(true);
  });

  test.each([
    ["string(object.a) == ''", "column 1: string() is not there for health"],
    ["object.a.size() > 0 && object.a.split(',') == []", "column 24: split() is not there for health"],
    ["true ||\n  string(1) == ''", "line 2, column 3: string() is not there for health"],
    ["object.a.matches('a')", "column 1: matches() is not there for health; use contains, startsWith or endsWith"],
  ])("nothing else: %s", (expression, mistake) => expect(mistakeIn(expression)).toBe(mistake));
});

describe("what an expression may be", () => {
  test.each([
    ["1", "the value is of type int, and must be true or false"],
    ["[true]", /^the value is of type list.*, and must be true or false$/],
    ["other.ready", "column 1: Unknown variable: other"],
    ["object.a\n  == 'x", /^line 2, column 6: /],
    ["", /^column 1: /],
  ])("%j is a mistake", (expression, mistake) => expect(mistakeIn(expression)).toMatch(mistake));

  test.each([
    { what: "a list", expression: (n: number) => `size([${Array(n).fill("1").join(",")}]) > 0`, most: 64 },
    {
      what: "a map",
      expression: (n: number) => `{${Array.from({ length: n }, (_, i) => `'k${i}': 1`).join(",")}} != {}`,
      most: 64,
    },
  ])("$what that is written out has at most $most entries", ({ expression, most }) => {
    expect(mistakeIn(expression(most))).toBe("");
    expect(mistakeIn(expression(most + 1))).toMatch(/^column \d+: /);
  });

  test("is no deeper and no longer than people write", () => {
    expect(mistakeIn(`${"(".repeat(200)}true${")".repeat(200)}`)).not.toBe("");
    expect(mistakeIn(Array(500).fill("true").join(" && "))).not.toBe("");
  });

  test.each(["object.count", "object.name", "object.missing == 1"])("%s may turn out to be no answer", (expression) => {
    const condition = conditionOf(expression);
    expect(() => condition({ count: 3, name: "x" })).toThrow();
  });
});

describe("equality", () => {
  const object = {
    whole: 1,
    half: 0.5,
    text: "1",
    nothing: null,
    list: [1, 2],
    map: { a: 1, b: [2] },
    empty: {},
    none: [],
  };

  test.each([
    "object.whole == 1",
    "object.whole == 1.0",
    "object.half == 0.5",
    "object.nothing == null",
    "object.list == [1, 2]",
    "object.map == {'b': [2], 'a': 1}",
    "object.empty == {}",
    "object.none == []",
    `${at10} == timestamp('2026-11-22T11:00:00+01:00')`,
    "duration('60s') == duration('1m')",
  ])("%s", (expression) => {
    expect(holds(expression, object)).toBe(true);
    expect(holds(expression.replace("==", "!="), object)).toBe(false);
  });

  test.each([
    "object.whole == 2",
    "object.whole == dyn('1')",
    "object.text == dyn(1)",
    "object.whole == dyn(true)",
    "object.nothing == dyn(0)",
    "object.whole == dyn(null)",
    "object.list == [2, 1]",
    "object.list == [1]",
    "object.list == [1, 2, 3]",
    "object.list == dyn('1,2')",
    "object.list == dyn({})",
    "object.none == dyn({})",
    "object.empty == dyn([])",
    "object.map == {'a': 1}",
    "object.map == {'a': 1, 'c': [2]}",
    "object.map == {'a': 1, 'b': [3]}",
    "object.map == {'a': 1, 'b': [2], 'c': 3}",
    "object.map == dyn('a')",
    "object.map == dyn(null)",
    "object.empty == dyn(null)",
    `${at10} == timestamp('2026-11-22T10:00:01Z')`,
    "duration('60s') == duration('61s')",
    `dyn(${at10}) == dyn('2026-11-22T10:00:00Z')`,
    `dyn(${at10}) == object.empty`,
    `object.empty == dyn(${at10})`,
    `dyn(${at10}) == dyn(duration('0s'))`,
  ])("%s does not hold", (expression) => {
    expect(holds(expression, object)).toBe(false);
    expect(holds(expression.replace("==", "!="), object)).toBe(true);
  });
});

describe("being in something", () => {
  const object = { list: [1, "b"], map: { tier: "gold" }, text: "tier", count: 3 };

  test.each([
    ["1 in object.list", true],
    ["'b' in object.list", true],
    ["'1' in object.list", false],
    ["dyn(1.0) in object.list", true],
    ["'tier' in object.map", true],
    ["'gold' in object.map", false],
    ["'toString' in object.map", false],
    ["dyn(3) in object.map", false],
    ["object.text in {'tier': 1}", true],
  ])("%s: %s", (expression, want) => expect(holds(expression, object)).toBe(want));

  test.each(["'t' in object.text", "3 in object.count"])("%s has no answer", (expression) => {
    expect(() => holds(expression, object)).toThrow("`in` needs a list or a map");
  });
});

describe("numbers of an object", () => {
  test.each([
    "object.whole + 1 == 2",
    "object['whole'] + 1 == 2",
    "object.?whole.value() + 1 == 2",
    "object[?'whole'].value() + 1 == 2",
    "object.list.map(n, n + 1) == [2]",
    "object.half + 0.5 == 1.0",
    "object.list[0] / 2 == 0",
  ])("are integers where they are whole: %s", (expression) => {
    expect(holds(expression, { whole: 1, half: 0.5, list: [1] })).toBe(true);
  });
});

test("integers that no number holds are compared digit by digit", () => {
  const object = { id: 9007199254740993n, ids: [9007199254740993n], unsigned: 2n ** 64n - 1n };
  expect(holds("object.id == 9007199254740993 && object.id - 9007199254740992 == 1", object)).toBe(true);
  expect(holds("object.id == 9007199254740992 || object.id in [9007199254740992]", object)).toBe(false);
  expect(holds("9007199254740993 in object.ids && object.ids == [9007199254740993]", object)).toBe(true);
  expect(holds("object.unsigned > 1.0", object)).toBe(true);
});

describe("the work of an expression", () => {
  const TOO_MUCH = "it takes too much work; let it walk fewer or shorter lists";
  const ones = (length: number): number[] => Array.from({ length }, () => 1);
  const keys = (length: number) => Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, 1]));

  interface Case {
    name: string;
    expression: string;
    /** An object that is well within the bounds. */
    enough: object;
    /** One that is not. */
    tooMuch: object;
  }
  test.each<Case>([
    {
      name: "the items of a list that is walked",
      expression: "object.list.all(n, true)",
      enough: { list: ones(1000) },
      tooMuch: { list: ones(11_000) },
    },
    {
      name: "the length of a text that is read",
      expression: "object.text.contains('y') || true",
      enough: { text: "x".repeat(100_000) },
      tooMuch: { text: "x".repeat(700_000) },
    },
    {
      name: "the entries of maps that are compared",
      expression: "object.map == object.copy",
      enough: { map: keys(2000), copy: keys(2000) },
      tooMuch: { map: keys(11_000), copy: keys(11_000) },
    },
    {
      name: "the items that are looked through for one of them",
      expression: "!(2 in object.list)",
      enough: { list: ones(5000) },
      tooMuch: { list: ones(11_000) },
    },
    {
      name: "the items of lists that are joined",
      expression: "object.list + object.list != []",
      enough: { list: ones(2000) },
      tooMuch: { list: ones(6000) },
    },
  ])("has an end; it counts $name", ({ expression, enough, tooMuch }) => {
    const condition = conditionOf(expression);
    expect(condition({ ...enough })).toBe(true);
    expect(() => condition({ ...tooMuch })).toThrow(TOO_MUCH);
    expect(condition({ ...enough })).toBe(true);
  });

  test("errors on the way count more than other nodes", () => {
    const condition = conditionOf("object.list.exists(n, n.missing) || true");
    expect(condition({ list: ones(50) })).toBe(true);
    expect(() => condition({ list: ones(250) })).toThrow(TOO_MUCH);
  });

  test("a text that is put together has a greatest length", () => {
    const condition = conditionOf("(object.text + 'x').endsWith('x')");
    expect(condition({ text: "x".repeat(65_535) })).toBe(true);
    expect(() => condition({ text: "x".repeat(65_536) })).toThrow("it makes too long a text");
  });
});
