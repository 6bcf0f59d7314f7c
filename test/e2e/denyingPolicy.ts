import { expect } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import { ApiFailure, eventually } from "../envtest/index.ts";
import type { Federation } from "./federation.ts";
import { collectionPath, foreignDeployment, objectPath } from "./objects.ts";

/**
 * A policy of the member that lets nobody write or delete Deployments of the namespace, in force. It names no reason, as most do not. Disposing
 * of it takes it away.
 */
export async function denyDeployments(
  api: ReturnType<Federation["memberApi"]>,
  { name, namespace, message }: { name: string; namespace: string; message: string },
): Promise<AsyncDisposable> {
  const apiVersion = "admissionregistration.k8s.io/v1";
  const [kind, bindingKind] = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"];
  const operations = ["CREATE", "UPDATE", "DELETE"];
  await api.create(collectionPath(kind), {
    apiVersion,
    kind,
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: ["apps"], apiVersions: ["v1"], operations, resources: ["deployments"] }],
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
      },
      validations: [{ expression: "false", message }],
    },
  } as KubeObject);
  await api.create(collectionPath(bindingKind), {
    apiVersion,
    kind: bindingKind,
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"] },
  } as KubeObject);
  await eventually(async () => {
    const path = `${collectionPath("Deployment", namespace)}?dryRun=All`;
    const answer: unknown = await api.create(path, foreignDeployment(namespace, "probe")).catch((error) => error);
    expect(answer).toBeInstanceOf(ApiFailure);
    expect(answer).toMatchObject({ status: 422, message: expect.stringContaining(message) });
  });
  return {
    [Symbol.asyncDispose]: async () => {
      await api.delete(objectPath(bindingKind, undefined, name));
      await api.delete(objectPath(kind, undefined, name));
    },
  };
}
