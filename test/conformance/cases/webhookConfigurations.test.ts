import { conformance } from "../framework/conformance.ts";
import { create, type Cases } from "../framework/requests.ts";
import { type Fields, webhook, webhookWords } from "../framework/webhooks.ts";

const words = webhookWords();

const bad = (fields: Fields, saying: string) => [
  create(
    "validatingwebhookconfigurations",
    { metadata: { name: "{ns}" }, webhooks: [webhook("/deny", fields)] },
    { gives: 422, saying },
  ),
];
const configurations: Cases = {
  "get their defaults": [
    create(
      "validatingwebhookconfigurations",
      {
        metadata: { name: "{ns}" },
        webhooks: [
          {
            ...webhook("/warn"),
            namespaceSelector: undefined,
            rules: [
              { apiGroups: ["none.example.com"], apiVersions: ["v1"], resources: ["things"], operations: ["CREATE"] },
            ],
          },
        ],
      },
      {
        see: (answer) => {
          const { webhooks } = answer as { webhooks: Fields[] };
          return webhooks.map(({ clientConfig: _, ...rest }) => rest);
        },
      },
    ),
  ],
  "name themselves by a domain": bad({ name: "hook" }, "should be a domain with at least three segments"),
  "have an address that is HTTPS": bad({ clientConfig: { url: "http://example.com" } }, "https"),
  "have no side effects that they do not tell": bad({ sideEffects: "Some" }, "Unsupported value"),
  "understand a version of reviews": bad(
    { admissionReviewVersions: ["v0"] },
    "must include at least one of v1, v1beta1",
  ),
  "answer within half a minute": bad({ timeoutSeconds: 31 }, "must be between 1 and 30"),
};

conformance("configurations of webhooks", configurations, { words });
