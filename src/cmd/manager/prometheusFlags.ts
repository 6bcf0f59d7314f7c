import { type Command, InvalidArgumentError, type OptionValues } from "@commander-js/extra-typings";
import { defined } from "../../apis/index.ts";
import { checkedPrometheus } from "../../runtime/index.ts";
import type { HubOptions } from "../shared/index.ts";

/** The Prometheus that rollout gates ask. The author of a policy cannot choose the address. */
export function prometheusFlags<A extends unknown[], F extends OptionValues>(command: Command<A, F, HubOptions>) {
  return command
    .option("--prometheus-url <url>", "Prometheus that gates of rollouts ask (default: none)", parsePrometheus)
    .option(
      "--prometheus-ca-file <file>",
      "authorities for the certificate of Prometheus, PEM (default: the authorities of the system)",
    )
    .option("--prometheus-token-file <file>", "file with the bearer token for Prometheus; needs an https address");
}
type PrometheusFlags = ReturnType<ReturnType<typeof prometheusFlags<[], NonNullable<unknown>>>["opts"]>;

/** Throws for flags that do not fit together. */
export function withPrometheus<F extends PrometheusFlags>(flags: F) {
  const { prometheusUrl: url, prometheusCaFile: caFile, prometheusTokenFile: tokenFile, ...rest } = flags;
  if (url === undefined) {
    if (caFile !== undefined || tokenFile !== undefined)
      throw new InvalidArgumentError("--prometheus-ca-file and --prometheus-token-file need --prometheus-url");
    return { ...rest, prometheus: undefined };
  }
  if (tokenFile !== undefined && !url.startsWith("https:"))
    throw new InvalidArgumentError(
      "--prometheus-token-file needs an https address in --prometheus-url: a token is never sent in the clear",
    );
  return { ...rest, prometheus: { url, ...defined({ caFile, tokenFile }) } };
}

function parsePrometheus(text: string): string {
  try {
    return checkedPrometheus(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
