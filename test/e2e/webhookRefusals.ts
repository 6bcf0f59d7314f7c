import type { KubeObject } from "../../src/apis/index.ts";

/** Objects that the webhooks refuse, and what a person is told. */

export function applicationOf(name: string, spec: object, namespace: string, version = "v1"): KubeObject {
  return { apiVersion: `paas.cmft.com/${version}`, kind: "DemoApplication", metadata: { name, namespace }, spec };
}

export function policyOf(kind: string, namespace: string | undefined, spec: object, name = "subject"): KubeObject {
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion: "federation.paas.cmft.com/v1alpha1", kind, metadata, spec };
}

export const applications = [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" }];
export const foreignPlacement = (namespace: string) =>
  policyOf("Placement", namespace, { resourceSelectors: [{ ...applications[0], namespace: "somebody-else" }] });

/** A few of what integration/mistakes.test.ts tries, to see that an API server passes the words on. */
export const REFUSALS: readonly [name: string, object: KubeObject, message: RegExp][] = [
  [
    "too many replicas",
    applicationOf("a", { image: "nginx", replica: 101 }, "default"),
    /spec\.replica: 101 .* set it to 100 or less/,
  ],
  [
    "the same in v1beta1",
    applicationOf("a", { image: "nginx", replica: 101 }, "default", "v1beta1"),
    /set it to 100 or less/,
  ],
  [
    "a tenant's policy that selects elsewhere",
    foreignPlacement("default"),
    /selects nothing in somebody-else; remove the field/,
  ],
];
