import { conformance } from "../framework/conformance.ts";
import { create, type Case } from "../framework/requests.ts";
import { type Fields, webhook, webhookWords } from "../framework/webhooks.ts";

const words = webhookWords();

const bad = (name: string, fields: Fields, saying: string): Case => ({
  name,
  steps: [
    create(
      "validatingwebhookconfigurations",
      { metadata: { name: "{ns}" }, webhooks: [webhook("/deny", fields)] },
      { gives: 422, saying },
    ),
  ],
});
const configurations: Case[] = [
  {
    name: "get their defaults",
    steps: [
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
  },
  bad("name themselves by a domain", { name: "hook" }, "should be a domain with at least three segments"),
  bad("have an address that is HTTPS", { clientConfig: { url: "http://example.com" } }, "https"),
  bad("have no side effects that they do not tell", { sideEffects: "Some" }, "Unsupported value"),
  bad(
    "understand a version of reviews",
    { admissionReviewVersions: ["v0"] },
    "must include at least one of v1, v1beta1",
  ),
  bad("answer within half a minute", { timeoutSeconds: 31 }, "must be between 1 and 30"),
];

conformance("configurations of webhooks", configurations, { words });
