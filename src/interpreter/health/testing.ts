import { expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { memberKindOf } from "../registry/registry.ts";
import type { Health } from "../types.ts";

/** A condition as a member's controller writes it. */
export const condition = (type: string, status: string, reason = "", message = "", more = {}): object => ({
  type,
  status,
  ...(reason === "" ? {} : { reason }),
  message,
  ...more,
});

/** Health of an object of the kind (`batch/v1 Job`) at generation 2, by the rule of the kind. */
export function judge(name: string, parts: { metadata?: object; spec?: object; status?: object }): Health {
  const [apiVersion = "", kind = ""] = name.split(" ");
  const object = { apiVersion, kind, ...parts, metadata: { name: "x", generation: 2, ...parts.metadata } };
  const slash = apiVersion.indexOf("/");
  return memberKindOf(slash < 0 ? "" : apiVersion.slice(0, slash), kind).health(object as KubeObject);
}

interface Case {
  name: string;
  metadata?: object;
  spec?: object;
  status?: object;
  want: Partial<Health>;
}

/** Tests each case against the whole result; a message counts only if the case names one. */
export function cases(kind: string, list: readonly Case[]): void {
  test.each(list)(`${kind}: $name`, ({ name: _, want, ...parts }) => {
    const { message, ...found } = judge(kind, parts);
    expect({ ...found, ...(want.message === undefined ? {} : { message }) }).toEqual(want);
  });
}

export const available: Partial<Health> = { state: "Available" };

export const balancer = (...ingress: object[]): object => ({ loadBalancer: { ingress } });
