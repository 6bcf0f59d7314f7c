import { describe, expect, test } from "vitest";
import { POD_SECURITY_ANNOTATION } from "../../apis/index.ts";
import { carried, carriedLabels, NamespaceLabels, textOf } from "./carriedLabels.ts";
import { CONFIG_REF } from "../testing/builders.ts";

describe("what rows say of the labels of a namespace", () => {
  const restricted = { enforce: "restricted" };

  test("is told when it is new, and kept", () => {
    const labels = new NamespaceLabels();
    expect(labels.of("default")).toBeUndefined();
    expect(labels.take({ verb: "Apply", ref: CONFIG_REF, namespaceLabels: restricted })).toEqual({
      apiVersion: "v1",
      kind: "Namespace",
      name: "default",
    });
    expect(labels.take({ verb: "Apply", ref: CONFIG_REF, namespaceLabels: { ...restricted } })).toBeUndefined();
    expect(labels.of("default")).toEqual(restricted);
    expect(labels.take({ verb: "Apply", ref: CONFIG_REF, namespaceLabels: { enforce: "baseline" } })).toMatchObject({
      name: "default",
    });
    expect(labels.of("default")).toEqual({ enforce: "baseline" });
  });

  test("is nothing where they say nothing, which is news as well", () => {
    const labels = new NamespaceLabels();
    expect(labels.take({ verb: "Apply", ref: CONFIG_REF })).toMatchObject({ name: "default" });
    expect(labels.of("default")).toEqual({});
    expect(labels.take({ verb: "Apply", ref: CONFIG_REF })).toBeUndefined();
  });

  test.each(["Hold", "Delete", "Release"] as const)("counts where a %s row says something, and only then", (verb) => {
    const labels = new NamespaceLabels();
    expect(labels.take({ verb, ref: CONFIG_REF })).toBeUndefined();
    expect(labels.of("default")).toBeUndefined();
    expect(labels.take({ verb, ref: CONFIG_REF, namespaceLabels: restricted })).toMatchObject({ name: "default" });
    expect(labels.take({ verb, ref: CONFIG_REF })).toBeUndefined();
    expect(labels.of("default")).toEqual(restricted);
    expect(labels.take({ verb, ref: CONFIG_REF, namespaceLabels: {} })).toMatchObject({ name: "default" });
    expect(labels.of("default")).toEqual({});
  });

  test("concerns no object without a namespace", () => {
    const labels = new NamespaceLabels();
    const { namespace: _, ...ref } = CONFIG_REF;
    expect(labels.take({ verb: "Apply", ref, namespaceLabels: restricted })).toBeUndefined();
  });
});

describe("a namespace that is to be made", () => {
  test("says which labels were brought to it", () => {
    const labels = { b: "2", a: "1" };
    expect(carried(labels)).toEqual({ labels, annotations: { [POD_SECURITY_ANNOTATION]: '{"a":"1","b":"2"}' } });
  });

  test.each([{ labels: undefined }, { labels: {} }])("without labels ($labels) says nothing", ({ labels }) => {
    expect(carried(labels)).toEqual({ labels: {}, annotations: {} });
  });
});

describe("which labels were brought", () => {
  test("is read from what was written", () => {
    const labels = { b: "2", a: "1" };
    expect(carriedLabels(textOf(labels))).toEqual(labels);
  });

  test.each([undefined, "{", "null", "[1]", "1", '"text"'])("is unknown of %j", (text) => {
    expect(carriedLabels(text)).toEqual({});
  });
});
