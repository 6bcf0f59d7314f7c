import { FEDERATION_API_VERSION, type KubeObject, PAAS_GROUP } from "../../src/apis/index.ts";

/** Objects of the API as plain values, right or wrong: the typed builders cannot say what is wrong. */

type Spec = Record<string, unknown>;

function namespaced(kind: string, spec: Spec): KubeObject {
  return { apiVersion: FEDERATION_API_VERSION, kind, metadata: { name: "subject", namespace: "default" }, spec };
}

function clusterScoped(kind: string, spec: Spec): KubeObject {
  return { apiVersion: FEDERATION_API_VERSION, kind, metadata: { name: "subject" }, spec };
}

const resourceSelectors = [{ apiVersion: `${PAAS_GROUP}/v1`, kind: "DemoApplication" }];

export const applicationObject = (spec: Spec, name = "subject", version = "v1"): KubeObject => ({
  apiVersion: `${PAAS_GROUP}/${version}`,
  kind: "DemoApplication",
  metadata: { name, namespace: "default" },
  spec: { image: "nginx:1.27", ...spec },
});

export const clusterObject = (spec: Spec, name = "subject"): KubeObject => ({
  ...clusterScoped("MemberCluster", { connection: { local: {} }, ...spec }),
  metadata: { name },
});

export const placementObject = (spec: Spec): KubeObject => namespaced("Placement", { resourceSelectors, ...spec });

export const clusterPlacementObject = (spec: Spec): KubeObject =>
  clusterScoped("ClusterPlacement", { resourceSelectors, ...spec });

/** An OverridePolicy with one rule. */
export const overrideObject = (rule: Spec): KubeObject =>
  namespaced("OverridePolicy", { resourceSelectors, rules: [rule] });

export const clusterOverrideObject = (rule: Spec): KubeObject =>
  clusterScoped("ClusterOverridePolicy", { resourceSelectors, rules: [rule] });

export const bindingObject = (resource: Spec): KubeObject => namespaced("ResourceBinding", { resource });

export const clusterBindingObject = (resource: Spec): KubeObject =>
  clusterScoped("ClusterResourceBinding", { resource });

/** An OverridePolicy with one patch. */
export const patchObject = (patch: Spec): KubeObject => overrideObject({ patches: [patch] });

export const bundleObject = (spec: Spec): KubeObject => namespaced("ManifestBundle", spec);
