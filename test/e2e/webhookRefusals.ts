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

const override = (namespace: string | undefined, rule: object) =>
  policyOf(namespace === undefined ? "ClusterOverridePolicy" : "OverridePolicy", namespace, {
    resourceSelectors: applications,
    rules: [rule],
  });
const placement = (selector: object) => policyOf("Placement", "default", { resourceSelectors: [selector] });

export interface Refusal {
  name: string;
  object: KubeObject;
  /** In what kubectl prints. */
  message: RegExp;
}

export const REFUSALS: readonly Refusal[] = [
  {
    name: "too many replicas",
    object: applicationOf("a", { image: "nginx", replica: 101 }, "default"),
    message: /spec\.replica: 101 .* set it to 100 or less/,
  },
  {
    name: "no replica",
    object: applicationOf("a", { image: "nginx", replica: 0 }, "default"),
    message: /spec\.replica: 0 .* set it to 1 or more/,
  },
  {
    name: "the same in v1beta1",
    object: applicationOf("a", { image: "nginx", replica: 101 }, "default", "v1beta1"),
    message: /set it to 100 or less/,
  },
  {
    name: "a name that is no DNS label",
    object: applicationOf("1a", { image: "nginx" }, "default"),
    message: /metadata\.name: must be at most 63 lower-case letters/,
  },
  {
    name: "an image that is none",
    object: applicationOf("a", { image: "Not An Image" }, "default"),
    message: /spec\.image: must be an image, such as registry\.example\.com/,
  },
  {
    name: "two ports of one number",
    object: applicationOf(
      "a",
      {
        image: "nginx",
        ports: [
          { port: 80, nodePort: 30100 },
          { port: 81, nodePort: 30100 },
        ],
      },
      "default",
    ),
    message: /every nodePort may be there only once/,
  },
  {
    name: "a tenant's policy that selects elsewhere",
    object: foreignPlacement("default"),
    message: /selects nothing in somebody-else; remove the field/,
  },
  {
    name: "a tenant's policy for what belongs to no namespace",
    object: placement({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" }),
    message: /belongs to no namespace.*ClusterPlacement/,
  },
  {
    name: "a version that is not served",
    object: placement({ apiVersion: "apps/v1beta1", kind: "Deployment" }),
    message: /does not serve Deployment in apps\/v1beta1; write apps\/v1/,
  },
  {
    name: "a kind that is not served",
    object: placement({ apiVersion: "example.com/v1", kind: "Gadget" }),
    message: /serves no Gadget of example\.com\/v1; check the spelling/,
  },
  {
    name: "a patch of the owner",
    object: override("default", { patches: [{ op: "remove", path: "/metadata/ownerReferences" }] }),
    message: /path: an override may not change what an object is called/,
  },
  {
    name: "a patch of a label of Meridian",
    object: override(undefined, {
      patches: [{ op: "remove", path: "/metadata/labels/federation.paas.cmft.com~1managed-by" }],
    }),
    message: /is protected: Meridian knows its objects by it/,
  },
  {
    name: "a patch of the selector",
    object: override("default", { patches: [{ op: "add", path: "/spec/selector/app", value: "x" }] }),
    message: /is protected: the application finds its pods by it/,
  },
  {
    name: "an override beyond the bounds",
    object: override("default", { replicas: 500 }),
    message: /spec\.rules\[0\]\.replicas: 500 .* set it to 100 or less/,
  },
];
