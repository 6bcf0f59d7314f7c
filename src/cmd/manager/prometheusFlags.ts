import { InvalidArgumentError } from "commander";
import { checkedPrometheus, type PrometheusConfig } from "../../runtime/index.ts";

/**
 * Manager flags for the Prometheus server that rollout gates query. The author of a policy cannot choose the address.
 */
export interface PrometheusFlags {
  prometheusUrl?: string;
  prometheusCaFile?: string;
  prometheusTokenFile?: string;
}

export function parsePrometheus(text: string): string {
  try {
    return checkedPrometheus(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

/** The flags as manager options. Throws an InvalidArgumentError if the flags do not fit together. */
export function withPrometheus<F extends PrometheusFlags>(
  flags: F,
): Omit<F, keyof PrometheusFlags> & { prometheus?: PrometheusConfig } {
  const { prometheusUrl: url, prometheusCaFile: caFile, prometheusTokenFile: tokenFile, ...rest } = flags;
  if (url === undefined) {
    if (caFile !== undefined || tokenFile !== undefined)
      throw new InvalidArgumentError("--prometheus-ca-file and --prometheus-token-file need --prometheus-url");
    return rest;
  }
  if (tokenFile !== undefined && !url.startsWith("https:"))
    throw new InvalidArgumentError(
      "--prometheus-token-file needs an https address in --prometheus-url: a token is never sent in the clear",
    );
  const files = { ...(caFile === undefined ? {} : { caFile }), ...(tokenFile === undefined ? {} : { tokenFile }) };
  return { ...rest, prometheus: { url, ...files } };
}
