import type { KubeObject } from "../../apis/index.ts";
import { memberKindOf } from "../registry/registry.ts";

export interface Case {
  name: string;
  kind?: string;
  spec?: object;
  status?: object | undefined;
  metadata?: object;
  want: object;
}

/** Health of an object at generation 2, by the rule of its kind. */
export function check(group: string, kind: string, { spec, status, metadata }: Case): object {
  const object = {
    apiVersion: `${group}/v1`,
    kind,
    metadata: { name: "x", generation: 2, ...metadata },
    spec,
    status,
  } as unknown;
  return memberKindOf(group, kind).health(object as KubeObject);
}

/** Three replicas, all of the present generation. */
export const settled = {
  observedGeneration: 2,
  replicas: 3,
  updatedReplicas: 3,
  readyReplicas: 3,
  availableReplicas: 3,
};
/** A condition with all of its fields, empty ones too. */
export const condition = (type: string, status: string, reason = "", message = "", more = {}): object => ({
  type,
  status,
  reason,
  message,
  ...more,
});
