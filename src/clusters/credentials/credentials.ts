import { createHash } from "node:crypto";
import { parseDocument, Scalar } from "yaml";
import { isAmbiguousYaml, renewCommand } from "../../apis/index.ts";
import type { MemberClusterSpec } from "../../apis/index.ts";
import type { MemberSecret } from "../../ports/index.ts";
import {
  type ClusterConfig,
  clusterConfigFromKubeconfig,
  type Credentials,
  CredentialsError,
  parseKubeconfig,
} from "../../runtime/index.ts";
import { type TokenClaims, tokenClaims } from "./jwt.ts";

export interface Unusable {
  kind: "Unusable";
  reason: string;
  message: string;
}

export interface KubeconfigCredentials {
  kind: "Kubeconfig";
  config: ClusterConfig;
  /** Hash of the kubeconfig without the bearer token. */
  fingerprint: string;
  /** Token of the current context. */
  token: string | undefined;
  claims: TokenClaims | undefined;
  secret: MemberSecret;
  key: string;
}

export type MemberCredentials = Unusable | { kind: "Local" } | KubeconfigCredentials;

/** Reads the credentials of a MemberCluster. An error is a value, since it belongs into that cluster's status. */
export function readCredentials(
  cluster: string,
  connection: MemberClusterSpec["connection"],
  secret: MemberSecret | undefined,
  allowExec: boolean,
): MemberCredentials {
  if (connection.local !== undefined) return { kind: "Local" };
  if (connection.pull !== undefined) {
    return unusable("PullNotSupported", "pull needs an agent on the member, which this version does not have");
  }
  const reference = connection.kubeconfigSecretRef;
  if (reference === undefined)
    return unusable("InvalidConnection", "spec.connection names no kubeconfigSecretRef, local or pull");
  if (secret === undefined)
    return unusable(
      "SecretNotFound",
      `Secret ${reference.name} is not in Meridian's namespace: put it there, or run \`${renewCommand(cluster)}\``,
    );
  const key = reference.key ?? "kubeconfig";
  const encoded = secret.data[key];
  if (encoded === undefined) return unusable("InvalidKubeconfig", `Secret ${secret.name} has no key ${key}`);
  const text = Buffer.from(encoded, "base64").toString("utf8");
  let config: ClusterConfig;
  try {
    config = clusterConfigFromKubeconfig(text, { allowExec, cluster });
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error;
    const message = withoutPrefix(error.message, cluster);
    return unusable(refusalReason(error, message), message);
  }
  const { token, rest } = splitToken(text);
  return {
    kind: "Kubeconfig",
    config,
    fingerprint: createHash("sha256").update(rest).digest("hex"),
    token,
    claims: token === undefined ? undefined : tokenClaims(token),
    secret,
    key,
  };
}

/** True when only the token of the same subject changed: the client continues with it, without a new list. */
export function isTokenRenewal(before: KubeconfigCredentials, after: KubeconfigCredentials): boolean {
  const subject = before.claims?.subject;
  return subject !== undefined && subject === after.claims?.subject && before.fingerprint === after.fingerprint;
}

export function sameCredentials(before: MemberCredentials, after: MemberCredentials): boolean {
  if (before.kind === "Unusable" && after.kind === "Unusable") {
    return before.reason === after.reason && before.message === after.message;
  }
  if (before.kind === "Kubeconfig" && after.kind === "Kubeconfig") {
    return before.fingerprint === after.fingerprint && before.token === after.token;
  }
  return before.kind === after.kind;
}

/** Credentials that can be exchanged while a client uses them. */
export class ReplaceableCredentials implements Credentials {
  #current: Credentials;

  constructor(credentials: Credentials) {
    this.#current = credentials;
  }

  replace(credentials: Credentials): void {
    this.#current = credentials;
  }

  authorization(): Promise<string | undefined> {
    return this.#current.authorization();
  }

  clientCertificate(): ReturnType<NonNullable<Credentials["clientCertificate"]>> {
    return this.#current.clientCertificate?.() ?? Promise.resolve(undefined);
  }

  invalidate(rejected: string | undefined): boolean {
    return this.#current.invalidate?.(rejected) ?? false;
  }
}

/** Replaces the token of the current context. Throws when there is none. */
export function withToken(kubeconfig: string, token: string): string {
  const path = currentUserPath(parseKubeconfig(kubeconfig, "") as Kubeconfig);
  const document = parseDocument(kubeconfig);
  if (path === undefined || typeof document.getIn([...path, "token"]) !== "string") {
    throw new CredentialsError("InvalidKubeconfig", "the current context of the kubeconfig has no token");
  }
  const type = isAmbiguousYaml(token) ? Scalar.QUOTE_DOUBLE : Scalar.PLAIN;
  document.setIn([...path, "token"], Object.assign(new Scalar(token), { type }));
  return document.toString({ lineWidth: 0 });
}

interface Kubeconfig {
  "current-context"?: string;
  contexts?: { name: string; context?: { user?: string } | null }[] | null;
  users?: { name: string; user?: { token?: unknown } | null }[] | null;
}

/** Splits a kubeconfig into the token of the current context and the rest, as JSON: formatting does not matter. */
function splitToken(kubeconfig: string): { token: string | undefined; rest: string } {
  const config = parseKubeconfig(kubeconfig, "") as Kubeconfig;
  const path = currentUserPath(config);
  const user = path === undefined ? undefined : config.users?.[path[1]]?.user;
  const token = typeof user?.token === "string" && user.token !== "" ? user.token : undefined;
  if (token !== undefined) delete user?.token;
  return { token, rest: JSON.stringify(config) };
}

function currentUserPath(config: Kubeconfig): ["users", number, "user"] | undefined {
  const context = config.contexts?.find(({ name }) => name === config["current-context"])?.context;
  const index = config.users?.findIndex(({ name }) => name === context?.user) ?? -1;
  return index < 0 ? undefined : ["users", index, "user"];
}

function unusable(reason: string, message: string): Unusable {
  return { kind: "Unusable", reason, message };
}

function refusalReason({ reason }: CredentialsError, message: string): string {
  return reason === "Refused" && !message.startsWith("the kubeconfig ") ? "AddressRefused" : "InvalidKubeconfig";
}

/** The message goes into the status of that cluster. */
function withoutPrefix(message: string, cluster: string): string {
  const prefix = `cluster ${cluster}: `;
  return message.startsWith(prefix) ? message.slice(prefix.length) : message;
}
