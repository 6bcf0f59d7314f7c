import { describe, expect, test } from "vitest";
import { type ObjectRef, POD_SECURITY_ANNOTATION } from "../../apis/index.ts";
import { carried, carriedLabels, NamespaceLabels, textOf } from "./carriedLabels.ts";
import { CONFIG_REF } from "../testing/builders.ts";

const restricted = { enforce: "restricted" };
const ref = CONFIG_REF;

/** `take` returns the namespaces whose labels the row has changed. */
function labelling() {
  const labels = new NamespaceLabels();
  const changed: ObjectRef[] = [];
  labels.onChange((namespace) => void changed.push(namespace));
  const take = (row: Parameters<NamespaceLabels["take"]>[0]): ObjectRef[] => {
    labels.take(row);
    return changed.splice(0);
  };
  return { labels, take };
}

describe("the labels that rows want on a namespace", () => {
  test("an Apply row names the namespace when its labels are new, and none when they are missing", () => {
    const { labels, take } = labelling();
    expect(labels.of("default")).toBeUndefined();
    const namespace = { apiVersion: "v1", kind: "Namespace", name: "default" };
    expect(take({ verb: "Apply", ref, namespaceLabels: restricted })).toEqual([namespace]);
    expect(take({ verb: "Apply", ref, namespaceLabels: { ...restricted } })).toEqual([]);
    expect(labels.of("default")).toEqual(restricted);
    expect(take({ verb: "Apply", ref })).toEqual([namespace]);
    expect(take({ verb: "Apply", ref })).toEqual([]);
    expect(labels.of("default")).toEqual({});
  });

  test.each(["Hold", "Delete", "Release"] as const)("a %s row without labels changes nothing", (verb) => {
    const { labels, take } = labelling();
    expect([take({ verb, ref }), labels.of("default")]).toEqual([[], undefined]);
    expect(take({ verb, ref, namespaceLabels: restricted })).toMatchObject([{ name: "default" }]);
    expect([take({ verb, ref }), labels.of("default")]).toEqual([[], restricted]);
  });
});

describe("the annotation that lists the labels", () => {
  test("is canonical JSON that can be read back", () => {
    const labels = { b: "2", a: "1" };
    expect(carried(labels)).toEqual({ labels, annotations: { [POD_SECURITY_ANNOTATION]: '{"a":"1","b":"2"}' } });
    expect(carriedLabels(textOf(labels))).toEqual(labels);
  });

  test.each([undefined, "{", "null", "[1]", "1", '"text"'])("lists no labels when its text is %j", (text) =>
    expect(carriedLabels(text)).toEqual({}),
  );
});
