import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { keyOfObject, objectOfKey } from "./names.ts";
import { FILTER_FIELDS, fragmentOf, type Route, routeOf, tokenIn } from "./route.ts";

const name = fc.stringMatching(/^[a-z]([a-z0-9.-]{0,8}[a-z0-9])?$/);
const object = fc
  .record({
    kind: fc.constantFrom("DemoApplication", "ConfigMap"),
    group: fc.constantFrom("", "paas.cmft.com"),
    namespace: fc.option(name, { nil: undefined }),
    name,
  })
  .map(({ namespace, ...rest }) => ({ ...rest, ...(namespace === undefined ? {} : { namespace }) }));
const filter = fc.dictionary(
  fc.constantFrom(...FILTER_FIELDS),
  fc.string({ minLength: 1 }).filter((text) => text.trim() === text),
);

property.prop([object])("a key names its object", (one) => {
  expect(objectOfKey(keyOfObject(one))).toEqual(one);
});

describe("the fragment of the address", () => {
  const open = fc.option(fc.record({ object, cluster: name }), { nil: undefined });
  property.prop([fc.constantFrom("overview" as const, "matrix" as const), filter, open])(
    "leads back to its view, filter and pair",
    (view, fields, pair) => {
      const route: Route = { view, filter: { ...fields }, ...(pair === undefined ? {} : { open: pair }) };
      expect(routeOf(fragmentOf(route))).toEqual(route);
    },
  );

  test.each(["", "#", "#/elsewhere", "#/?object=nonsense&on=eu-1", "#/?object=A//b"])(
    "%s is the overview",
    (fragment) => expect(routeOf(fragment)).toEqual({ view: "overview", filter: {} }),
  );
});

describe("tokenIn", () => {
  test.each([
    ["#token=abc.d-e_f", { token: "abc.d-e_f", rest: "#" }],
    ["#token=a%2Bb", { token: "a+b", rest: "#" }],
    ["#/matrix?namespace=shop&token=abc", { token: "abc", rest: "#/matrix?namespace=shop" }],
    ["#/matrix?token=abc&namespace=shop", { token: "abc", rest: "#/matrix?namespace=shop" }],
    ["#token=", undefined],
    ["#/matrix?namespace=token", undefined],
    ["", undefined],
  ])("%s", (fragment, want) => expect(tokenIn(fragment)).toEqual(want));

  property.prop([
    fc.stringMatching(/^[A-Za-z0-9._-]{6,20}$/),
    fc.constantFrom("#token=T", "#/matrix?token=T&state=Failed", "#/?reason=x&token=T"),
  ])("leaves nothing of the token in the address", (token, form) => {
    const found = tokenIn(form.replace("T", token));
    expect(found?.token).toBe(token);
    expect(found?.rest).not.toContain(token);
  });
});
