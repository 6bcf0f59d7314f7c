import fc from "fast-check";
import { expect, test } from "vitest";
import { repeatedFields } from "./repeatedFields.ts";

test.each<[string, string[]]>([
  ['{"a":1,"b":2}', []],
  ['{"a":1,"a":2}', ["a"]],
  ['{"a":1,"a":2,"a":3}', ["a"]],
  ['{"metadata":{"name":"s","name":"t"},"data":{"a":"1","a":"2"}}', ["metadata.name", "data.a"]],
  ['{"ports":[{"name":"x"},{"name":"y","port":1,"port":2}]}', ["ports[1].port"]],
  ['{"a":"{\\"b\\":1,\\"b\\":2}"}', []],
  ['{"a\\"":1,"a\\"":2}', ['a"']],
  ['{ "a" : [1, 2, [3, {"b" : 1, "b" : 2}]] }', ["a[2][1].b"]],
  ["[]", []],
  ['"text"', []],
])("%s", (text, repeated) => {
  expect(repeatedFields(text)).toEqual(repeated);
});

test("what JSON.stringify wrote repeats nothing", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(repeatedFields(JSON.stringify(value))).toEqual([]);
    }),
  );
});
