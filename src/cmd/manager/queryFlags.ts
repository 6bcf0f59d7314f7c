import { type Command, InvalidArgumentError, Option, type OptionValues } from "@commander-js/extra-typings";
import { defined } from "../../apis/index.ts";
import { type HubOptions, parseBoolean, parsePort } from "../shared/index.ts";

export interface QueryFlagsGiven {
  /** With TLS. Absent: only on the port of the metrics. */
  port?: number;
  /** Where other replicas reach this one. */
  advertiseHost?: string;
  /** Read logs, Events and pods on members for users. */
  members?: true;
}

/** The query API. */
export function queryFlags<A extends unknown[], F extends OptionValues>(command: Command<A, F, HubOptions>) {
  return command
    .addOption(
      new Option("--query-api [boolean]", "answer queries of the fleet, on the port of the metrics")
        .argParser(parseBoolean)
        .default(true)
        .preset("true"),
    )
    .addOption(
      new Option(
        "--query-members [boolean]",
        "read logs, Events and pods of placed objects on members, for users with the right on placedobjects/log, /events or /pods",
      )
        .argParser(parseBoolean)
        .default(false)
        .preset("true"),
    )
    .option(
      "--query-port <port>",
      "port of the query API with TLS and client certificates, by the certificate of the webhooks (default: none)",
      parsePort,
    )
    .option(
      "--query-advertise-host <address>",
      "address at which other managers reach --query-port of this one, to pass queries on to the leader (default: none)",
    );
}
type QueryFlags = ReturnType<ReturnType<typeof queryFlags<[], NonNullable<unknown>>>["opts"]>;

/** Throws for flags that do not fit together. */
export function withQueries<F extends QueryFlags & { webhooks?: object | undefined }>(flags: F) {
  const { queryApi, queryPort: port, queryAdvertiseHost: advertiseHost, queryMembers: members, ...rest } = flags;
  const given =
    port === undefined ? (advertiseHost && "--query-advertise-host") || (members && "--query-members") : "--query-port";
  if (!queryApi && given)
    throw new InvalidArgumentError(`${given} needs the query API: leave out --query-api=false, or ${given}`);
  if (port !== undefined && flags.webhooks === undefined)
    throw new InvalidArgumentError("--query-port serves with the certificate of the webhooks: give --webhooks as well");
  if (advertiseHost && port === undefined) throw new InvalidArgumentError("--query-advertise-host needs --query-port");
  return {
    ...rest,
    queries: queryApi
      ? (defined({ port, advertiseHost, members: members || undefined }) as QueryFlagsGiven)
      : undefined,
  };
}
