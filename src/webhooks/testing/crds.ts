import { crdNameOf, KINDS } from "../../apis/index.ts";
import { CRDS } from "../../runtime/index.ts";
import { FakeCluster } from "../../runtime/testing/fakeClient.ts";

/** A hub with the CRD of each of Meridian's kinds, which serves the stored version alone. */
export function hubWithCrds(): FakeCluster {
  const hub = new FakeCluster();
  for (const kind of KINDS) {
    const [{ name }] = kind.versions;
    hub.create(CRDS, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: crdNameOf(kind) },
      spec: { versions: [{ name, served: true, storage: true }] },
      status: { storedVersions: [name] },
    });
  }
  return hub;
}
