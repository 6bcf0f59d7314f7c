import { type ObjectRef, refKey } from "../apis/index.ts";
import type { Dependency } from "./types.ts";
import { type Fields, fieldsOf, listOf, textOf } from "./values.ts";

/** The ConfigMap that Kubernetes puts into every namespace, with the certificate of that cluster: the hub's copy would be wrong on a member. */
const EVERY_NAMESPACE_HAS = "kube-root-ca.crt";

/**
 * The ConfigMaps and Secrets that pods of this spec need, each once, sorted by {@link refKey}. An object that is named twice is
 * optional only when it is optional each time.
 */
export function podDependencies(podSpec: unknown, namespace: string | undefined): Dependency[] {
  const found = new Map<string, Dependency>();

  const add = (kind: "ConfigMap" | "Secret", source: Fields, nameField: string, readByPods: boolean): void => {
    const name = textOf(source[nameField]);
    if (name === undefined || (kind === "ConfigMap" && name === EVERY_NAMESPACE_HAS)) return;
    const ref: ObjectRef = { apiVersion: "v1", kind, ...(namespace === undefined ? {} : { namespace }), name };
    // A pod starts without its pull secret, but the image cannot be pulled.
    const optional = source["optional"] === true;
    const known = found.get(refKey(ref));
    if (known === undefined) {
      found.set(refKey(ref), { ref, optional, readByPods });
      return;
    }
    known.optional &&= optional;
    known.readByPods ||= readByPods;
  };

  const addVolume = (source: Fields): void => {
    if (source["configMap"] !== undefined) add("ConfigMap", fieldsOf(source["configMap"]), "name", true);
    if (source["secret"] !== undefined) {
      const secret = fieldsOf(source["secret"]);
      // The name of the Secret is `secretName` in a volume and `name` in a source of a projected volume.
      add("Secret", secret, secret["secretName"] === undefined ? "name" : "secretName", true);
    }
  };

  const spec = fieldsOf(podSpec);
  for (const field of ["initContainers", "containers", "ephemeralContainers"]) {
    for (const container of listOf(spec[field])) {
      for (const variable of listOf(container["env"])) {
        const from = fieldsOf(variable["valueFrom"]);
        add("ConfigMap", fieldsOf(from["configMapKeyRef"]), "name", true);
        add("Secret", fieldsOf(from["secretKeyRef"]), "name", true);
      }
      for (const from of listOf(container["envFrom"])) {
        add("ConfigMap", fieldsOf(from["configMapRef"]), "name", true);
        add("Secret", fieldsOf(from["secretRef"]), "name", true);
      }
    }
  }
  for (const volume of listOf(spec["volumes"])) {
    addVolume(volume);
    for (const source of listOf(fieldsOf(volume["projected"])["sources"])) addVolume(source);
  }
  for (const secret of listOf(spec["imagePullSecrets"])) add("Secret", secret, "name", false);

  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, dependency]) => dependency);
}
