import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { toV1, toV1beta1 } from "./applicationConversion.ts";
import { ConversionError } from "./conversion.ts";
import type { DemoApplication, DemoApplicationV1beta1 } from "../kinds/demoapplication.ts";
import { CONVERSION_ANNOTATION } from "../metadata/wellknown.ts";
import { anyApplication } from "../testing/anyApplication.ts";

const v1 = anyApplication() as unknown as fc.Arbitrary<DemoApplication>;
/** As somebody writes it who knows no other version. */
const plainV1beta1 = v1.map((object): DemoApplicationV1beta1 => {
  const { [CONVERSION_ANNOTATION]: _, ...annotations } = object.metadata.annotations ?? {};
  return { ...toV1beta1(object), metadata: { ...object.metadata, annotations } };
});

function withText(text: string): DemoApplicationV1beta1 {
  return {
    apiVersion: "paas.cmft.com/v1beta1",
    kind: "DemoApplication",
    metadata: { name: "shop", annotations: { [CONVERSION_ANNOTATION]: text } },
    spec: { image: "nginx", replica: 1 },
  };
}

describe("conversion of a DemoApplication", () => {
  test.prop([v1])("from v1 to v1beta1 and back is the same object, and v1beta1 has its own fields alone", (object) => {
    const before = structuredClone(object);
    const read = toV1beta1(object);
    expect(["image", "replica", "ports"]).toEqual(expect.arrayContaining(Object.keys(read.spec)));
    expect(toV1(read)).toEqual(before);
    expect(object).toEqual(before);
  });

  test.prop([plainV1beta1])("from v1beta1 to v1 and back is the same object", (object) => {
    expect(toV1beta1(toV1(object))).toEqual(object);
  });

  test.prop([v1, fc.integer({ min: 0, max: 1000 })])("keeps what v1 adds when v1beta1 is edited", (object, replica) => {
    const read = toV1beta1(object);
    expect(toV1({ ...read, spec: { ...read.spec, replica } })).toEqual({
      ...object,
      spec: { ...object.spec, replica },
    });
  });

  test("refuses to take the ports away from an ingress", () => {
    const text = JSON.stringify({ spec: { ingress: { host: "shop.example.com", path: "/", pathType: "Prefix" } } });
    expect(() => toV1(withText(text))).toThrow(
      "ingress: it leads to a TCP port of the application, and ports has none",
    );
  });

  test("writes no annotation when v1beta1 can hold it all", () => {
    const { metadata } = toV1beta1(toV1({ ...withText(""), metadata: { name: "shop" } }));
    expect(metadata).toEqual({ name: "shop" });
  });

  test("takes image, replica and ports from the spec, whatever the annotation says", () => {
    const { spec } = toV1(withText('{"spec":{"image":"evil","replica":999,"args":["a"]}}'));
    expect(spec).toEqual({ image: "nginx", replica: 1, args: ["a"] });
  });

  test("lets no ports in by the annotation when the spec has none", () => {
    expect(toV1(withText('{"spec":{"ports":[{"port":80,"protocol":"TCP"}]}}')).spec.ports).toBeUndefined();
  });

  test("keeps an annotation of the same name that the v1 object itself had, beside nothing else", () => {
    const object: DemoApplication = {
      apiVersion: "paas.cmft.com/v1",
      kind: "DemoApplication",
      metadata: { name: "shop", annotations: { [CONVERSION_ANNOTATION]: "mine" } },
      spec: { image: "nginx", replica: 1 },
    };
    const read = toV1beta1(object);
    expect(read.metadata.annotations).toEqual({ [CONVERSION_ANNOTATION]: '{"annotation":"mine","spec":{}}' });
    expect(read.spec).toStrictEqual({ image: "nginx", replica: 1 });
    expect(toV1(read)).toStrictEqual(object);
  });

  test("an annotation without another one beneath is taken off", () => {
    const object = { ...toV1(withText('{"spec":{"args":["a"]}}')) };
    expect(object.metadata).toStrictEqual({ name: "shop" });
    expect(toV1beta1(object).metadata.annotations).toEqual({ [CONVERSION_ANNOTATION]: '{"spec":{"args":["a"]}}' });
  });

  test.each([
    { name: "is not JSON", text: "{", message: /not JSON/ },
    { name: "is null", text: "null", message: /does not hold fields of a spec/ },
    { name: "is a text", text: '"spec"', message: /does not hold fields of a spec/ },
    { name: "holds null", text: '{"spec":null}', message: /does not hold fields of a spec/ },
    { name: "holds no spec", text: "{}", message: /does not hold fields of a spec/ },
    { name: "holds a list", text: '{"spec":[]}', message: /does not hold fields of a spec/ },
    {
      name: "holds another annotation that is no text",
      text: '{"spec":{},"annotation":1}',
      message: /does not hold fields of a spec/,
    },
    { name: "holds what v1 would not accept", text: '{"spec":{"serviceType":"Any"}}', message: /spec\.serviceType/ },
  ])("is refused with a reason when the annotation $name", ({ text, message }) => {
    expect(() => toV1(withText(text))).toThrow(ConversionError);
    expect(() => toV1(withText(text))).toThrow(message);
    expect(() => toV1(withText(text))).toThrow(CONVERSION_ANNOTATION);
  });
});
