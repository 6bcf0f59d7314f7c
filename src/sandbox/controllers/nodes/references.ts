import type { KubeObject } from "../../../apis/index.ts";
import { CONFIG_MAPS, type KeyReference, type Pod, SECRETS } from "../shared/index.ts";
import type { LocalClient } from "../../types.ts";

/** A missing ConfigMap or Secret, or a missing key, that a pod needs. */
export interface Missing {
  /** `configmaps/default/settings`. */
  key: string;
  /** The container that cannot be created; undefined if a volume cannot be mounted, which blocks all containers. */
  container?: string;
  volume?: string;
  /** The kubelet's message. */
  message: string;
}

type Source = "ConfigMap" | "Secret";

/** Missing references of a pod, volumes first, then containers in order. Each container is named once. */
export function missingReferences(pod: Pod, client: LocalClient): Missing[] {
  const namespace = pod.metadata.namespace ?? "";
  const missingKey = (source: Source, reference: KeyReference): { key: string; message: string } | undefined => {
    const { name = "", key, optional = false } = reference;
    if (optional) return undefined;
    const resource = source === "ConfigMap" ? CONFIG_MAPS : SECRETS;
    const object = client.get(resource, namespace, name);
    const place = { key: `${resource.plural}/${namespace}/${name}` };
    if (object === undefined) return { ...place, message: `${source.toLowerCase()} "${name}" not found` };
    if (key === undefined || hasKey(object, key)) return undefined;
    return { ...place, message: `couldn't find key ${key} in ${source} ${namespace}/${name}` };
  };
  return [...missingForVolumes(pod, missingKey), ...missingForContainers(pod, missingKey)];
}

type MissingKey = (source: Source, reference: KeyReference) => { key: string; message: string } | undefined;

function missingForVolumes({ spec }: Pod, missingKey: MissingKey): Missing[] {
  const found: Missing[] = [];
  for (const { name, configMap, secret, projected } of spec.volumes ?? []) {
    const { secretName, optional = false } = secret ?? {};
    const wanted: [Source, KeyReference][] = [
      ...(configMap === undefined ? [] : [["ConfigMap", configMap] as [Source, KeyReference]]),
      ...(secretName === undefined ? [] : [["Secret", { name: secretName, optional }] as [Source, KeyReference]]),
      // Every pod's token volume contains kube-root-ca.crt, which is created a moment after the namespace.
      ...(projected?.sources ?? []).flatMap((source): [Source, KeyReference][] => [
        ...(source.configMap === undefined || source.configMap.name === "kube-root-ca.crt"
          ? []
          : [["ConfigMap", source.configMap] as [Source, KeyReference]]),
        ...(source.secret === undefined ? [] : [["Secret", source.secret] as [Source, KeyReference]]),
      ]),
    ];
    for (const [source, reference] of wanted) {
      const missing = missingKey(source, { ...reference });
      if (missing !== undefined) found.push({ ...missing, volume: name });
    }
  }
  return found;
}

function missingForContainers({ spec }: Pod, missingKey: MissingKey): Missing[] {
  const found: Missing[] = [];
  for (const { name, env = [], envFrom = [] } of [...(spec.initContainers ?? []), ...spec.containers]) {
    const wanted: [Source, KeyReference | undefined][] = [
      ...envFrom.flatMap(({ configMapRef, secretRef }): [Source, KeyReference | undefined][] => [
        ["ConfigMap", configMapRef],
        ["Secret", secretRef],
      ]),
      ...env.flatMap(({ valueFrom }): [Source, KeyReference | undefined][] => [
        ["ConfigMap", valueFrom?.configMapKeyRef],
        ["Secret", valueFrom?.secretKeyRef],
      ]),
    ];
    for (const [source, reference] of wanted) {
      const missing = reference === undefined ? undefined : missingKey(source, reference);
      if (missing === undefined) continue;
      found.push({ ...missing, container: name });
      break;
    }
  }
  return found;
}

function hasKey(object: KubeObject, key: string): boolean {
  return ["data", "binaryData", "stringData"].some((field) => {
    const entries = object[field];
    return typeof entries === "object" && entries !== null && Object.hasOwn(entries, key);
  });
}
