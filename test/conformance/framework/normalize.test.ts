import { describe, expect, test } from "vitest";
import { Normalizer } from "./normalize.ts";

interface Wrong {
  field: string;
  message: string;
}

const wrong = (field: string, message: string): Wrong => ({ field, message });

function refusal(group: string | undefined, ...causes: Wrong[]): object {
  const text = causes.map(({ field, message }) => `${field}: ${message}`).join(", ");
  return { kind: "Status", reason: "Invalid", message: `X "a" is invalid: [${text}]`, details: { group, causes } };
}

const normal = (value: object): unknown => new Normalizer().of(value);

describe("the order of what is wrong", () => {
  const first = wrong("metadata.name", "b");
  const labels = [wrong("metadata.labels", "z"), wrong("metadata.labels", "y, and more")] as const;
  const limits = [wrong("spec.limits[memory]", "m"), wrong("spec.limits[cpu]", "c")] as const;
  const twice = [wrong("spec.type", "z"), wrong("spec.type", "a")] as const;
  const ports = [wrong("spec.ports[0]", "z"), wrong("spec.ports[1]", "a")] as const;

  test.each([
    { name: "with the keys of a map", one: [first, ...labels], other: [first, ...labels.toReversed()] },
    { name: "with the values of a map", one: [...limits, first], other: [...limits.toReversed(), first] },
  ])("$name is chance", ({ one, other }) => {
    expect(normal(refusal(undefined, ...one))).toEqual(normal(refusal(undefined, ...other)));
  });

  test.each([
    { name: "with different fields", one: [first, ...labels], other: [...labels, first] },
    { name: "with the items of a list", one: ports, other: ports.toReversed() },
    { name: "with a field that is wrong twice", one: twice, other: twice.toReversed() },
    {
      name: "with a map that comes up twice",
      one: [labels[0], first, labels[1]],
      other: [labels[1], first, labels[0]],
    },
  ])("$name counts", ({ one, other }) => {
    expect(normal(refusal("apps", ...one))).not.toEqual(normal(refusal("apps", ...other)));
  });

  test("with a custom resource is chance", () => {
    const group = "paas.cmft.com";
    expect(normal(refusal(group, first, ...ports))).toEqual(normal(refusal(group, ...ports.toReversed(), first)));
  });
});
