import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { toV1, toV1beta1 } from "./applicationConversion.ts";
import { ConversionError } from "./conversion.ts";
import type {
  DemoApplication,
  DemoApplicationSpec,
  DemoApplicationV1beta1,
  ServicePort,
} from "../kinds/demoapplication.ts";
import type { ObjectMeta } from "../metadata/meta.ts";
import { CONVERSION_ANNOTATION } from "../metadata/wellknown.ts";

const name = fc.stringMatching(/^[a-z]{1,8}$/);

const ports: fc.Arbitrary<ServicePort[]> = fc.uniqueArray(
  fc.record<ServicePort>({ port: fc.integer({ min: 1, max: 65535 }), protocol: fc.constantFrom("TCP", "UDP", "SCTP") }),
  { selector: ({ port }) => port, maxLength: 4 },
);

const basics = fc.record(
  { image: name, replica: fc.integer({ min: 0, max: 1000 }), ports },
  { requiredKeys: ["image", "replica"] },
) as fc.Arbitrary<DemoApplicationV1beta1["spec"]>;

const additions = fc.record(
  {
    command: fc.array(fc.string(), { maxLength: 3 }),
    args: fc.array(fc.string(), { maxLength: 3 }),
    serviceType: fc.constantFrom("ClusterIP", "NodePort", "LoadBalancer"),
    env: fc.uniqueArray(fc.record({ name, value: fc.string() }), {
      selector: (variable) => variable.name,
      maxLength: 3,
    }),
    envFrom: fc.array(fc.record({ configMapRef: fc.record({ name }) }), { maxLength: 2 }),
    resources: fc.record({ requests: fc.dictionary(name, fc.constantFrom("1", "200m", 3), { maxKeys: 2 }) }),
    imagePullSecrets: fc.uniqueArray(fc.record({ name }), { selector: (secret) => secret.name, maxLength: 2 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Partial<DemoApplicationSpec>>;

/** One for applications that have a port to lead to. */
const ingress = fc.record(
  {
    host: name,
    path: name.map((text) => `/${text}`),
    pathType: fc.constantFrom("Prefix", "Exact", "ImplementationSpecific"),
    tlsSecretName: name,
    className: name,
  },
  { requiredKeys: ["host", "path", "pathType"] },
) as fc.Arbitrary<NonNullable<DemoApplicationSpec["ingress"]>>;

const metadata = fc.record(
  {
    name,
    namespace: name,
    labels: fc.dictionary(name, name, { maxKeys: 2 }),
    annotations: fc.dictionary(fc.oneof(name, fc.constant(CONVERSION_ANNOTATION)), fc.string(), {
      minKeys: 1,
      maxKeys: 3,
    }),
  },
  { requiredKeys: ["name"] },
) as fc.Arbitrary<ObjectMeta>;

const v1 = fc
  .tuple(metadata, basics, additions, fc.option(ingress))
  .map(([meta, spec, more, way]): DemoApplication => ({
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    metadata: meta,
    spec: { ...spec, ...more, ...(way === null || !hasWebPort(spec) ? {} : { ingress: way }) },
    status: { observedGeneration: 1 },
  }));

function hasWebPort({ ports: open = [] }: DemoApplicationV1beta1["spec"]): boolean {
  return open.some(({ protocol }) => protocol === "TCP");
}

const plainV1beta1 = fc
  .tuple(metadata, basics)
  .map(([{ annotations = {}, ...meta }, spec]): DemoApplicationV1beta1 => ({
    apiVersion: "paas.cmft.com/v1beta1",
    kind: "DemoApplication",
    metadata: {
      ...meta,
      annotations: Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== CONVERSION_ANNOTATION)),
    },
    spec,
  }));

function withText(text: string): DemoApplicationV1beta1 {
  return {
    apiVersion: "paas.cmft.com/v1beta1",
    kind: "DemoApplication",
    metadata: { name: "shop", annotations: { [CONVERSION_ANNOTATION]: text } },
    spec: { image: "nginx", replica: 1 },
  };
}

describe("conversion of a DemoApplication", () => {
  test.prop([v1])("from v1 to v1beta1 and back is the same object", (object) => {
    expect(toV1(toV1beta1(object))).toEqual(object);
  });

  test.prop([v1])("leaves in v1beta1 exactly image, replica and ports", (object) => {
    const { spec, apiVersion } = toV1beta1(object);
    expect(apiVersion).toBe("paas.cmft.com/v1beta1");
    expect(["image", "replica", "ports"]).toEqual(expect.arrayContaining(Object.keys(spec)));
    expect(spec).toMatchObject({ image: object.spec.image, replica: object.spec.replica });
  });

  test.prop([plainV1beta1])("from v1beta1 to v1 and back is the same object", (object) => {
    expect(toV1beta1(toV1(object))).toEqual(object);
  });

  test.prop([v1])("there and back a second time changes nothing either", (object) => {
    const once = toV1beta1(object);
    expect(toV1beta1(toV1(once))).toEqual(once);
  });

  test.prop([v1, fc.integer({ min: 0, max: 1000 })])("keeps what v1 adds when v1beta1 is edited", (object, replica) => {
    const read = toV1beta1(object);
    expect(toV1({ ...read, spec: { ...read.spec, replica } })).toEqual({
      ...object,
      spec: { ...object.spec, replica },
    });
  });

  test.prop([v1])("does not change what it is given", (object) => {
    const before = structuredClone(object);
    toV1(toV1beta1(object));
    expect(object).toEqual(before);
  });

  test("keeps an ingress in the annotation, since v1beta1 has none", () => {
    const object: DemoApplication = {
      apiVersion: "paas.cmft.com/v1",
      kind: "DemoApplication",
      metadata: { name: "shop" },
      spec: {
        image: "nginx",
        replica: 1,
        ports: [{ port: 80, protocol: "TCP" }],
        ingress: { host: "shop.example.com", path: "/", pathType: "Prefix", tlsSecretName: "shop-tls" },
      },
    };
    const { spec, metadata: marked } = toV1beta1(object);
    expect(Object.keys(spec)).toEqual(["image", "replica", "ports"]);
    expect(marked.annotations?.[CONVERSION_ANNOTATION]).toContain("shop.example.com");
    expect(toV1(toV1beta1(object))).toEqual(object);
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
