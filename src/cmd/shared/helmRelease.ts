import type { KubeObject } from "../../apis/index.ts";

/** Only Helm changes and removes the objects of a release. */

export interface HelmRelease {
  name: string;
  namespace: string;
}

/** Undefined for an object that Helm did not install. */
export function releaseOf({ metadata }: Pick<KubeObject, "metadata">): HelmRelease | undefined {
  const { labels = {}, annotations = {} } = metadata;
  const name = annotations["meta.helm.sh/release-name"];
  if (name === undefined && labels["app.kubernetes.io/managed-by"] !== "Helm") return undefined;
  return {
    name: name ?? labels["app.kubernetes.io/instance"] ?? "unknown",
    namespace: annotations["meta.helm.sh/release-namespace"] ?? metadata.namespace ?? "unknown",
  };
}

export function describeRelease({ name, namespace }: HelmRelease): string {
  return `the Helm release ${name} in namespace ${namespace}`;
}
