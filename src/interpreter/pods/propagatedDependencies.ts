import { type DeclaredTemplate, kindKeyOf, type KubeObject } from "../../apis/index.ts";
import { addReferencesOfPod, addReferencesOfWorkload } from "./podDependencies.ts";
import { podSpecsOf } from "./podTemplates.ts";
import { References } from "./references.ts";
import type { Dependency } from "../types.ts";
import { userSetObject } from "../fields/index.ts";
import { fieldsOf, listOf } from "../values.ts";

/** What the pods need of an object for which a placement declares where the templates are. */
export function declaredTemplateDependencies(object: KubeObject, declared: readonly DeclaredTemplate[]): Dependency[] {
  const references = new References(object.metadata.namespace);
  for (const spec of podSpecsOf(object, declared)) addReferencesOfPod(references, spec);
  return references.list().map((dependency) => ({ ...dependency, readByPods: false }));
}

/**
 * What an object that is sent as it is needs beside it: whatever its pods refer to, the Secrets of an Ingress's TLS, the pull secrets of a
 * service account. None of it restarts pods when it changes: Kubernetes restarts none either, and the template is the user's.
 *
 * An object without a namespace needs nothing: what it names could be meant in any namespace.
 */
export function propagatedDependencies(object: KubeObject): Dependency[] {
  const { namespace } = object.metadata;
  if (namespace === undefined) return [];
  const references = new References(namespace);
  switch (kindKeyOf(object)) {
    case "/ServiceAccount":
      for (const secret of listOf(userSetObject(object)["imagePullSecrets"])) references.add("Secret", secret["name"]);
      break;
    case "networking.k8s.io/Ingress":
      for (const { secretName } of listOf(fieldsOf(object["spec"])["tls"])) references.add("Secret", secretName);
      break;
    case "/Pod":
      // Admission on the hub has put the hub's own pull secrets and tokens into the pod.
      addReferencesOfPod(references, userSetObject(object)["spec"]);
      break;
    default:
      addReferencesOfWorkload(references, object);
  }
  return references.list().map((dependency) => ({ ...dependency, readByPods: false }));
}
