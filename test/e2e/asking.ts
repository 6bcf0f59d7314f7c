import { DEFAULT_SYSTEM_NAMESPACE, type KubeObject } from "../../src/apis/index.ts";
import { Api } from "../envtest/index.ts";
import type { Federation } from "./federation.ts";
import { objectPath } from "./objects.ts";

/** What an API server says, also when it refuses. */
export interface Answer {
  status: number;
  message: string;
}

export async function ask(
  api: Api,
  method: string,
  path: string,
  body?: unknown,
  contentType?: string,
): Promise<Answer> {
  const options = contentType === undefined ? {} : { contentType };
  const { status, body: answer } = await api.request<{ message?: string }>(method, path, body, options);
  return { status, message: answer.message ?? "" };
}

/** With the credentials that join stored on the hub. */
export async function accountOf(federation: Federation, cluster: string): Promise<Api> {
  const { data = {} } = await federation.api.get<KubeObject & { data?: Record<string, string> }>(
    objectPath("Secret", DEFAULT_SYSTEM_NAMESPACE, cluster),
  );
  const kubeconfig = Buffer.from(data["kubeconfig"] ?? "", "base64").toString("utf8");
  const [, token = ""] = /token: "?([^"\s]+)/.exec(kubeconfig) ?? [];
  const member = federation.member(cluster).plane;
  return new Api({ server: member.server, ca: member.caData, token });
}
