import { DEFAULT_SYSTEM_NAMESPACE, type KubeObject } from "../../src/apis/index.ts";
import type { Federation } from "./federation.ts";
import { collectionPath } from "./objects.ts";

/** The tokens that the joined members' kubeconfigs hold. */
export async function memberTokens(federation: Federation): Promise<string[]> {
  const secrets = await federation.api.list<KubeObject & { data?: Record<string, string> }>(
    collectionPath("Secret", DEFAULT_SYSTEM_NAMESPACE),
  );
  return secrets.flatMap(({ data }) => {
    const text = Object.values(data ?? {})
      .map((value) => Buffer.from(value, "base64").toString("utf8"))
      .join("\n");
    return [...text.matchAll(/token: *"?([A-Za-z0-9._-]{20,})"?/g)].flatMap(([, token]) =>
      token === undefined ? [] : [token],
    );
  });
}

/** Everything on the hub that Meridian may have written, but the Secrets themselves. */
export async function hubObjects(federation: Federation): Promise<unknown[]> {
  const kinds = [
    "DemoApplication",
    "MemberCluster",
    "Placement",
    "OverridePolicy",
    "Event",
    "Lease",
    "ConfigMap",
    "Deployment",
  ];
  return Promise.all(kinds.map((kind) => federation.api.list(collectionPath(kind))));
}
