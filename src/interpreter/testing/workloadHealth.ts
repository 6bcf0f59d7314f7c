import { expect, test } from "vitest";
import { type KubeObject, parseApiVersion } from "../../apis/index.ts";
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
  return memberKindOf(parseApiVersion(apiVersion).group, kind).health(object as KubeObject);
}

export type Case = [name: string, object: { metadata?: object; spec?: object; status?: object }, want: Partial<Health>];

/** Tests each case against the whole result; a message and replicas count only if the case names them. */
export function cases(kind: string, list: readonly Case[]): void {
  test.each(list)(`${kind}: %s`, (_name, parts, want) => {
    const { message, replicas, ...found } = judge(kind, parts);
    expect({
      ...found,
      ...(want.message === undefined ? {} : { message }),
      ...(want.replicas === undefined ? {} : { replicas }),
    }).toEqual(want);
  });
}

export const available: Partial<Health> = { state: "Available" };

const unhealthy =
  (state: Health["state"]) =>
  (reason: string, message?: string, serves?: Health["serves"]): Partial<Health> => ({
    state,
    reason,
    ...(message === undefined ? {} : { message }),
    ...(serves === undefined ? {} : { serves }),
  });
export const progressing = unhealthy("Progressing");
export const degraded = unhealthy("Degraded");
export const failed = unhealthy("Failed");
export const unknown = unhealthy("Unknown");
export const pending = progressing("RolloutPending", "its controller has not seen the present generation yet");

export const balancer = (...ingress: object[]): object => ({ loadBalancer: { ingress } });
