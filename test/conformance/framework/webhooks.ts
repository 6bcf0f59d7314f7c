import { afterAll, beforeAll } from "vitest";
import { startWebhookServer, type WebhookServer } from "./webhookServer.ts";

export type Fields = Record<string, unknown>;

/** A webhook for the ConfigMaps of the case's own namespace; `{hook}` and `{ca}` are words of `webhookWords`. */
export const webhook = (path: string, fields: Fields = {}): Fields => ({
  name: "hook.example.com",
  clientConfig: { url: `{hook}${path}`, caBundle: "{ca}" },
  rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["*"] }],
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "{ns}" } },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  ...fields,
});

/** Where a server answers that runs for as long as the tests of the file do. */
export function webhookWords(): () => Record<string, string> {
  let server: WebhookServer | undefined;
  beforeAll(async () => {
    server = await startWebhookServer();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  return () => ({ hook: server?.url ?? "", ca: server?.caBundle ?? "" });
}
