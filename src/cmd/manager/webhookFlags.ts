import { type Command, InvalidArgumentError, Option, type OptionValues } from "@commander-js/extra-typings";
import { defined, trimEnd } from "../../apis/index.ts";
import { duration, type HubOptions, isDnsLabel, parsePort } from "../shared/index.ts";
import type { WebhookTarget } from "../../webhooks/index.ts";

const WEBHOOK_PORT = 9443;

/** Addresses and certificates of the webhooks. */
export function webhookFlags<A extends unknown[], F extends OptionValues>(command: Command<A, F, HubOptions>) {
  return command
    .option("--webhooks", "serve conversion, defaulting and validation, and register them on the hub", false)
    .option("--webhook-port <port>", "port of the webhooks", parsePort, WEBHOOK_PORT)
    .addOption(
      new Option(
        "--webhook-service <namespace/name>",
        "Service through which the hub reaches the webhooks, on its port 443",
      )
        .argParser(parseServiceName)
        .conflicts("webhookUrl"),
    )
    .option("--webhook-url <url>", "address of the webhooks, if the hub does not reach Services", parseWebhookUrl)
    .option(
      "--webhook-cert-dir <folder>",
      "folder with tls.crt, tls.key and ca.crt that somebody else renews (default: Meridian's own authority, in a Secret)",
    )
    .option("--webhook-configuration <name>", "name of the webhook configurations on the hub", "meridian")
    .addOption(
      duration("--webhook-ca-overlap <duration>", "how long the old and the new authority are both trusted", "10m"),
    );
}
type WebhookFlags = ReturnType<ReturnType<typeof webhookFlags<[], NonNullable<unknown>>>["opts"]>;

/** One option of all; undefined without `--webhooks`. */
export function withWebhooks<F extends WebhookFlags>(flags: F) {
  const {
    webhooks,
    webhookPort,
    webhookService,
    webhookUrl,
    webhookCertDir,
    webhookConfiguration,
    webhookCaOverlap,
    ...rest
  } = flags;
  if (!webhooks) {
    const given = Object.entries({
      "--webhook-url": webhookUrl,
      "--webhook-service": webhookService,
      "--webhook-cert-dir": webhookCertDir,
      "--webhook-port": webhookPort === WEBHOOK_PORT ? undefined : webhookPort,
    });
    const [idle] = given.find(([, value]) => value !== undefined) ?? [];
    if (idle === undefined) return { ...rest, webhooks: undefined };
    throw new InvalidArgumentError(
      `${idle} needs the webhooks, and the webhooks are not served: give --webhooks as well, or leave ${idle} out`,
    );
  }
  const target = targetOf(webhookService, webhookUrl);
  if (target === undefined) {
    throw new InvalidArgumentError(
      "--webhooks needs the address at which the hub calls them: give --webhook-service or --webhook-url",
    );
  }
  return {
    ...rest,
    webhooks: {
      port: webhookPort,
      target,
      /** Folder with tls.crt, tls.key and ca.crt; absent: Meridian's own authority issues the certificates. */
      ...defined({ certDir: webhookCertDir }),
      configuration: webhookConfiguration,
      overlapMs: webhookCaOverlap,
    },
  };
}

function targetOf(service: WebhookFlags["webhookService"], url: string | undefined): WebhookTarget | undefined {
  if (url !== undefined) return { kind: "Url", url };
  return service && { kind: "Service", ...service, port: 443 };
}

function parseServiceName(text: string): { namespace: string; name: string } {
  const [namespace = "", name = "", ...more] = text.split("/");
  if (!isDnsLabel(namespace) || !isDnsLabel(name) || more.length > 0) {
    throw new InvalidArgumentError("A Service looks like meridian-system/meridian-webhook.");
  }
  return { namespace, name };
}

/** https, a host, an optional port and path, and nothing else. */
function parseWebhookUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url?.protocol === "https:" && `${url.search}${url.hash}${url.username}${url.password}` === "";
  if (url === undefined || !plain) throw new InvalidArgumentError("An address looks like https://192.0.2.7:9443.");
  return trimEnd(text, "/");
}
