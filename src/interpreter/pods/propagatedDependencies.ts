import { type DeclaredTemplate, kindKeyOf, type KubeObject } from "../../apis/index.ts";
import { addReferencesOfPod, addReferencesOfWorkload } from "./podDependencies.ts";
import { podSpecsOf } from "./podTemplates.ts";
import { References } from "./references.ts";
import type { Dependency } from "../types.ts";
import { userSetObject } from "../fields/index.ts";
import { fieldsOf, listOf } from "../values.ts";

/** Dependencies of pods in the templates that a placement declares for an object. */
export function declaredTemplateDependencies(object: KubeObject, declared: readonly DeclaredTemplate[]): Dependency[] {
  const references = new References(object.metadata.namespace);
  for (const spec of podSpecsOf(object, declared)) addReferencesOfPod(references, spec);
  return references.list().map((dependency) => ({ ...dependency, readByPods: false }));
}

/**
 * Dependencies of an object that is sent unchanged. Their changes restart no pods: Kubernetes restarts none either, and
 * the template is the user's.
 *
 * An object without a namespace has none: its names could be meant in any.
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
      // Admission on the hub has put its own pull secrets and tokens into the pod.
      addReferencesOfPod(references, userSetObject(object)["spec"]);
      break;
    default:
      addReferencesOfWorkload(references, object);
  }
  return references.list().map((dependency) => ({ ...dependency, readByPods: false }));
}
