import type { KubeObject } from "../../apis/index.ts";
import { podTemplateOf, podTemplatePathOf } from "./podTemplates.ts";
import { References } from "./references.ts";
import type { Dependency } from "../types.ts";
import { type Fields, fieldsOf, listOf } from "../values.ts";

/**
 * ConfigMaps, Secrets, claims and the account that pods of this spec need, each once, sorted by {@link refKey}. What a
 * pod makes for itself is none.
 */
export function podDependencies(podSpec: unknown, namespace: string | undefined): Dependency[] {
  const references = new References(namespace);
  addReferencesOfPod(references, podSpec);
  return references.list();
}

/** Adds what a workload's pods need, less the volumes for which its claim templates (StatefulSet) stand. */
export function addReferencesOfWorkload(references: References, object: KubeObject): void {
  // Many custom kinds have another sort of template at the usual path.
  const spec = podTemplatePathOf(object) === undefined ? undefined : podTemplateOf(object)?.spec;
  if (spec === undefined) return;
  const claims = listOf(fieldsOf(object["spec"])["volumeClaimTemplates"]);
  const replaced = new Set(claims.map(({ metadata }) => fieldsOf(metadata)["name"]));
  addReferencesOfPod(references, {
    ...spec,
    volumes: listOf(spec["volumes"]).filter(({ name }) => !replaced.has(name)),
  });
}

const CONTAINERS = ["initContainers", "containers", "ephemeralContainers"] as const;

export function addReferencesOfPod(references: References, podSpec: unknown): void {
  const spec = fieldsOf(podSpec);
  for (const field of CONTAINERS) for (const container of listOf(spec[field])) addContainer(references, container);
  for (const volume of listOf(spec["volumes"])) addVolume(references, volume);
  // A pod starts without its pull secret, but the image cannot be pulled.
  for (const secret of listOf(spec["imagePullSecrets"])) references.add("Secret", secret["name"]);
  // The server keeps the older field equal to the newer one; a client may have written either.
  references.add("ServiceAccount", spec["serviceAccountName"] ?? spec["serviceAccount"]);
}

function addContainer(references: References, container: Fields): void {
  const read = (kind: "ConfigMap" | "Secret", value: unknown): void => {
    const source = fieldsOf(value);
    references.add(kind, source["name"], { optional: source["optional"] === true, readByPods: true });
  };
  for (const variable of listOf(container["env"])) {
    const from = fieldsOf(variable["valueFrom"]);
    read("ConfigMap", from["configMapKeyRef"]);
    read("Secret", from["secretKeyRef"]);
  }
  for (const from of listOf(container["envFrom"])) {
    read("ConfigMap", from["configMapRef"]);
    read("Secret", from["secretRef"]);
  }
}

/** Volumes that name the Secret with which the kubelet, not the pod, reaches a storage. */
const WITH_SECRET_REF = ["cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"] as const;

function addVolume(references: References, volume: Fields): void {
  addFiles(references, volume, "secretName");
  for (const source of listOf(fieldsOf(volume["projected"])["sources"])) addFiles(references, source, "name");
  references.add("PersistentVolumeClaim", fieldsOf(volume["persistentVolumeClaim"])["claimName"]);
  references.add("Secret", fieldsOf(fieldsOf(volume["csi"])["nodePublishSecretRef"])["name"]);
  references.add("Secret", fieldsOf(volume["azureFile"])["secretName"]);
  for (const kind of WITH_SECRET_REF) references.add("Secret", fieldsOf(fieldsOf(volume[kind])["secretRef"])["name"]);
}

/** `secretField`: `secretName` in a volume, `name` in a source of a projected one. */
function addFiles(references: References, source: Fields, secretField: "secretName" | "name"): void {
  const configMap = fieldsOf(source["configMap"]);
  references.add("ConfigMap", configMap["name"], { optional: configMap["optional"] === true, readByPods: true });
  const secret = fieldsOf(source["secret"]);
  references.add("Secret", secret[secretField], { optional: secret["optional"] === true, readByPods: true });
}
