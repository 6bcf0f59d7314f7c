import { createPrivateKey, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as realClusters from "../../src/cmd/realClusters/index.ts";
import { controlPlaneAssets } from "./assets.ts";
import { RequestCounters } from "./requestCounters.ts";

export type ControlPlaneOptions = Omit<realClusters.ControlPlaneOptions, "assets">;

/** A real control plane that tests can ask more of than an administrator could. */
export class ControlPlane extends realClusters.ControlPlane {
  /** The server's own count of its requests since it started. */
  async metrics(): Promise<RequestCounters> {
    const { body } = await this.api.request<string>("GET", "/metrics", undefined, { accept: "text/plain" });
    return RequestCounters.parse(body);
  }

  /** The server's own certificate and its key, PEM. */
  async certificate(): Promise<{ cert: string; key: string }> {
    const [cert, key] = await Promise.all(
      ["crt", "key"].map((ending) => readFile(this.file(`certificates/apiserver.${ending}`), "utf8")),
    );
    return { cert: cert ?? "", key: key ?? "" };
  }

  /**
   * A token as the server itself would issue it to a ServiceAccount, for whatever time is wanted: one that expired, say.
   * `expiresIn` is in seconds from now, negative for the past.
   */
  async serviceAccountToken(namespace: string, name: string, expiresIn: number): Promise<string> {
    const account = await this.api.get(`/api/v1/namespaces/${namespace}/serviceaccounts/${name}`);
    const now = Math.floor(Date.now() / 1000);
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const issuedAt = Math.min(now, now + expiresIn - 600);
    const claims = {
      iss: realClusters.ISSUER,
      aud: [realClusters.ISSUER],
      sub: `system:serviceaccount:${namespace}:${name}`,
      iat: issuedAt,
      nbf: issuedAt,
      exp: now + expiresIn,
      "kubernetes.io": { namespace, serviceaccount: { name, uid: account.metadata.uid } },
    };
    const unsigned = `${encode({ alg: "RS256", typ: "JWT" })}.${encode(claims)}`;
    const key = createPrivateKey(await readFile(this.file("service-account.key")));
    return `${unsigned}.${sign("sha256", Buffer.from(unsigned), key).toString("base64url")}`;
  }
}

/** Starts one and waits until it serves. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  return realClusters.launch(ControlPlane, { ...options, assets: await controlPlaneAssets() });
}
