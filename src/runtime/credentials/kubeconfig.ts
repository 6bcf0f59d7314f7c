import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import {
  type Cluster,
  type Context,
  newClusters,
  newContexts,
  newUsers,
  type User,
} from "@kubernetes/client-node/dist/config_types.js";
import { defined, excess, parseYaml, YamlError } from "../../apis/index.ts";
import { type Clock, CredentialsError, systemClock } from "../core/index.ts";
import { checkedServer } from "./address.ts";
import { type ExecPlugin, execCredentials } from "./exec.ts";
import { certificateFileCredentials, codeOf, staticCredentials, tokenFileCredentials } from "./providers.ts";
import type { ClientCertificate, ClusterConfig, Credentials } from "./types.ts";

export interface KubeconfigOptions {
  /** For messages. */
  cluster: string;
  /** Set if the reader of the messages may read the kubeconfig: they then name the file and its contexts. */
  file?: KubeconfigFile | undefined;
  /** Default: `current-context`. */
  context?: string | undefined;
  /** Allow a credential plugin. Never for a kubeconfig from a Secret. */
  allowExec?: boolean | undefined;
  /** Allow files of this machine, relative to this folder. Never for a kubeconfig from a Secret. */
  allowFiles?: { relativeTo: string } | undefined;
  allowInsecure?: boolean | undefined;
  clock?: Clock | undefined;
}

export interface KubeconfigFile {
  /** Such as `kubeconfig /home/me/hub.yaml of the hub`. */
  called: string;
  /** Options that choose another file and another context. */
  flag: string;
  contextFlag: string;
}

/** What one context refers to. */
interface KubeconfigEntries {
  context: Context;
  cluster: Cluster;
  user: User | undefined;
  /** client-node does not know it. */
  tokenFile: string | undefined;
}

/**
 * Reads a kubeconfig. Programs, files and unverified TLS are refused unless allowed. Throws {@link CredentialsError};
 * the message never quotes the text.
 */
export function clusterConfigFromKubeconfig(text: string, options: KubeconfigOptions): ClusterConfig {
  const entries = kubeconfigEntries(text, options);
  const { cluster, context } = entries;
  refuse(options, entries);
  const server = checkedServer(cluster.server, subjectOf(options));
  const caData = pem(cluster.caData, cluster.caFile, "certificate-authority", options);
  const config = {
    server,
    ...defined({ caData }),
    ...(cluster.skipTLSVerify ? { insecure: true } : {}),
    ...defined({ tlsServerName: cluster.tlsServerName }),
    currentNamespace: context.namespace ?? "default",
    context: context.name,
  };
  return { ...config, credentials: credentialsOf(entries, config, options) };
}

function kubeconfigEntries(text: string, options: KubeconfigOptions): KubeconfigEntries {
  const file = parseKubeconfig(text, subjectOf(options), adviceOf(options));
  const wanted = options.context ?? file["current-context"];
  if (typeof wanted !== "string" || wanted === "") {
    throw invalid(options, `the kubeconfig has no current-context; name one${choiceOf(file, options)}`);
  }
  const context = named(file["contexts"], wanted);
  if (context === undefined)
    throw invalid(options, `the kubeconfig has no context "${wanted}"; name another${choiceOf(file, options)}`);
  checkTexts(context, "context", options);
  const [readContext] = read(() => newContexts([context]), options);
  const cluster = named(file["clusters"], readContext?.cluster ?? "");
  if (readContext === undefined || cluster === undefined)
    throw invalid(
      options,
      `the cluster of context "${wanted}"${calledSo(readContext?.cluster, options)} is not in the kubeconfig${remedyOf("its clusters", options)}`,
    );
  const user = readContext.user === undefined ? undefined : named(file["users"], readContext.user);
  if (user === undefined && readContext.user !== undefined)
    throw invalid(
      options,
      `the user of context "${wanted}"${calledSo(readContext.user, options)} is not in the kubeconfig${remedyOf("its users", options)}`,
    );
  checkTexts(cluster, "cluster", options);
  checkTexts(user, "user", options);
  const [readCluster] = read(() => newClusters([cluster]), options);
  if (readCluster === undefined) throw invalid(options, `the cluster of context "${wanted}" is not complete`);
  return { context: readContext, cluster: readCluster, ...readUser(user, options) };
}

const SHOWN_CONTEXTS = 8;

/** With the option that chooses one. Names from a Secret are not repeated. */
function choiceOf(file: Entry, { file: ofPerson }: KubeconfigOptions): string {
  if (ofPerson === undefined) return "";
  const names = (Array.isArray(file["contexts"]) ? (file["contexts"] as Entry[]) : []).map(({ name }) => String(name));
  const more = names.length > SHOWN_CONTEXTS ? ` and ${names.length - SHOWN_CONTEXTS} more` : "";
  const listed = names.length === 0 ? "it has none" : `it has ${names.slice(0, SHOWN_CONTEXTS).join(", ")}${more}`;
  return ` with ${ofPerson.contextFlag} (${listed})`;
}

/** Names from a Secret are not repeated. */
function calledSo(name: string | undefined, { file }: KubeconfigOptions): string {
  return file === undefined || name === undefined || name === "" ? "" : `, "${name}",`;
}

function remedyOf(where: string, { file }: KubeconfigOptions): string {
  return file === undefined ? "" : `; add it to ${where}, or choose another context with ${file.contextFlag}`;
}

const TEXTS: readonly string[] = [
  ...["cluster", "user", "namespace"],
  ...["server", "certificate-authority", "certificate-authority-data", "tls-server-name", "proxy-url"],
  ...["token", "tokenFile", "token-file", "username", "password", "as"],
  ...["client-certificate", "client-certificate-data", "client-key", "client-key-data"],
];

/** The text fields of one part (`context`, `cluster` or `user`) must be strings. */
function checkTexts(entry: Entry | undefined, part: string, options: KubeconfigOptions): void {
  const fields = entry?.[part] ?? {};
  if (!isEntry(fields)) throw invalid(options, `a ${part} of the kubeconfig is not a map`);
  const wrong = TEXTS.find(
    (field) => fields[field] !== undefined && fields[field] !== null && typeof fields[field] !== "string",
  );
  if (wrong !== undefined)
    throw invalid(options, `${wrong} of the kubeconfig's ${part} is not a text; put it in quotes`);
}

function readUser(
  user: Entry | undefined,
  options: KubeconfigOptions,
): { user: User | undefined; tokenFile: string | undefined } {
  if (user === undefined) return { user: undefined, tokenFile: undefined };
  const inner = isEntry(user["user"]) ? user["user"] : {};
  // client-node would read the file of `token-file` at once.
  const { tokenFile, "token-file": alias, ...rest } = inner;
  const [readEntry] = read(() => newUsers([{ ...user, user: rest }]), options);
  const path = tokenFile ?? alias;
  return { user: readEntry, tokenFile: typeof path === "string" && path !== "" ? path : undefined };
}

/** Throws for what the caller does not allow, and for what is not supported but must not be ignored. */
function refuse(options: KubeconfigOptions, { cluster, user, tokenFile }: KubeconfigEntries): void {
  const refused = (what: string): CredentialsError =>
    new CredentialsError("Refused", `${subjectOf(options)}: the kubeconfig ${what}`);
  if (cluster.skipTLSVerify && options.allowInsecure !== true) {
    throw refused("sets insecure-skip-tls-verify, which is refused; put the CA in certificate-authority-data");
  }
  if (cluster.proxyUrl !== undefined) throw refused("names a proxy-url, which is not supported");
  if (isGiven(user?.authProvider))
    throw refused("uses an auth-provider, which is not supported; use a token, a client certificate or exec");
  if (isGiven(user?.impersonateUser)) throw refused("impersonates a user, which is not supported");
  if (isGiven(user?.exec) && options.allowExec !== true) {
    throw refused(
      "runs a program for its credentials (exec), which is not allowed here; use a token or a client certificate",
    );
  }
  const files = {
    "certificate-authority": isGiven(cluster.caData) ? undefined : cluster.caFile,
    tokenFile: isGiven(user?.token) ? undefined : tokenFile,
    "client-certificate": isGiven(user?.certData) ? undefined : user?.certFile,
    "client-key": isGiven(user?.keyData) ? undefined : user?.keyFile,
  };
  for (const [field, path] of Object.entries(files)) {
    if (isGiven(path) && options.allowFiles === undefined) {
      throw refused(
        `refers to a file (${field}), which is not allowed here; put the content into the kubeconfig (kubectl config view --flatten)`,
      );
    }
  }
}

function credentialsOf(
  { user, tokenFile }: KubeconfigEntries,
  cluster: { server: string; caData?: string; tlsServerName?: string },
  options: KubeconfigOptions,
): Credentials {
  if (user === undefined) return staticCredentials({});
  const clock = options.clock ?? systemClock;
  if (isGiven(user.exec)) return execCredentials(user.name, checkedPlugin(user.exec, options), cluster);
  const onlyFiles =
    isGiven(user.certFile) && isGiven(user.keyFile) && !isGiven(user.certData) && !isGiven(user.keyData);
  if (onlyFiles && !isGiven(user.token) && tokenFile === undefined) {
    return certificateFileCredentials(
      absolute(user.certFile ?? "", options),
      absolute(user.keyFile ?? "", options),
      clock,
    );
  }
  const certificate = certificateOf(user, options);
  if (isGiven(user.token))
    return staticCredentials({ authorization: `Bearer ${checkedToken(user.token, options)}`, certificate });
  if (tokenFile !== undefined) return tokenFileCredentials(absolute(tokenFile, options), clock, certificate);
  if (isGiven(user.username)) {
    const basic = Buffer.from(`${user.username}:${user.password ?? ""}`).toString("base64");
    return staticCredentials({ authorization: `Basic ${basic}`, certificate });
  }
  return staticCredentials({ certificate });
}

function certificateOf(user: User, options: KubeconfigOptions): ClientCertificate | undefined {
  const cert = pem(user.certData, user.certFile, "client-certificate", options);
  const key = pem(user.keyData, user.keyFile, "client-key", options);
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw invalid(options, "the kubeconfig has only one of client certificate and client key");
  return { cert, key };
}

function checkedPlugin(exec: unknown, options: KubeconfigOptions): ExecPlugin {
  const { command, args, env } = isEntry(exec) ? exec : {};
  if (typeof command !== "string" || command === "") throw invalid(options, "exec names no command");
  if (args !== undefined && args !== null && !Array.isArray(args)) throw invalid(options, "args of exec is not a list");
  if (env !== undefined && env !== null && !Array.isArray(env)) throw invalid(options, "env of exec is not a list");
  const path = command.includes("/") ? absolute(command, options) : command;
  const { args: _args, env: _env, ...rest } = exec as ExecPlugin;
  return {
    ...rest,
    command: path,
    args: (args as string[] | null) ?? [],
    env: (env as ExecPlugin["env"] | null) ?? [],
  };
}

/** Characters that no header can hold were pasted wrongly. */
function checkedToken(token: string, options: KubeconfigOptions): string {
  const trimmed = token.trim();
  if (!/^[\x21-\x7e]+$/.test(trimmed))
    throw invalid(options, "the token holds spaces, line breaks or other characters that no token has");
  return trimmed;
}

function pem(
  base64: string | undefined,
  file: string | undefined,
  what: string,
  options: KubeconfigOptions,
): string | undefined {
  if (isGiven(base64)) {
    const text = Buffer.from(base64, "base64").toString("utf8");
    if (!text.includes("-----BEGIN ")) throw invalid(options, `${what}-data is not base64 of a PEM text`);
    return text;
  }
  if (!isGiven(file)) return undefined;
  const path = absolute(file, options);
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = codeOf(error);
    throw new CredentialsError(
      "Unavailable",
      `${subjectOf(options)}: the ${what} file ${path} cannot be read (${code})`,
      error,
    );
  }
}

function absolute(path: string, options: KubeconfigOptions): string {
  return isAbsolute(path) ? path : join(options.allowFiles?.relativeTo ?? ".", path);
}

type Entry = Record<string, unknown>;

/** A hundred clusters fit; a YAML parser needs seconds for much longer texts. */
const LONGEST_TEXT = 512 * 1024;
const LISTS = ["clusters", "contexts", "users"] as const;

/** Top object of a kubeconfig, whose lists hold maps with a name. Messages begin with `subject`, end with `advice`. */
export function parseKubeconfig(text: string, subject: string, advice = ""): Entry {
  const parsed = parseKubeconfigPart(text, subject, advice);
  if (Array.isArray(parsed["clusters"])) return parsed;
  throw new CredentialsError("InvalidKubeconfig", `${subject}: ${NO_KUBECONFIG}${advice}`);
}

const NO_KUBECONFIG = "this is not a kubeconfig (no list of clusters)";

/** For one of several files: another one may contain the clusters. */
export function parseKubeconfigPart(text: string, subject: string, advice = ""): Entry {
  const refused = (what: string): CredentialsError =>
    new CredentialsError("InvalidKubeconfig", `${subject}: ${what}${advice}`);
  if (text.length > LONGEST_TEXT) throw refused(`the kubeconfig is longer than ${LONGEST_TEXT} characters`);
  const { value: parsed, broken } = valueOf(text);
  if (broken !== undefined) throw refused(`the kubeconfig is no YAML${broken}`);
  if (!isEntry(parsed)) throw refused(NO_KUBECONFIG);
  const deep = excess(parsed);
  if (deep !== undefined) throw refused(`the kubeconfig ${deep}`);
  for (const field of LISTS) {
    const list = parsed[field] ?? [];
    if (!Array.isArray(list)) throw refused(`${field} of the kubeconfig is not a list`);
    const wrong = list.findIndex((entry) => !isEntry(entry) || typeof entry["name"] !== "string");
    if (wrong >= 0) throw refused(`${field}[${wrong}] of the kubeconfig is no entry with a name`);
  }
  return parsed;
}

/** The whole message must fit into a condition, behind the name of a cluster. */
const MISTAKES: Partial<Record<NonNullable<YamlError["code"]>, string>> = {
  TAB_AS_INDENT: ": a tab indents it, not spaces",
  BAD_INDENT: ": wrong indent or brackets",
  MISSING_CHAR: ": a quote, ] } or : is missing",
};

/** Value of a YAML text, or the position of an error, after which the parser would only guess. */
function valueOf(text: string): { value?: unknown; broken?: string } {
  try {
    // Only the first document counts, as in kubectl. Aliases could make a small text huge.
    return { value: parseYaml(text, { aliased: 0 }) };
  } catch (error) {
    if (!(error instanceof YamlError)) return { broken: "" };
    // The parser's message quotes the text.
    const mistake = error.code === undefined ? "" : (MISTAKES[error.code] ?? "");
    return { broken: ` at line ${error.line}, column ${error.column}${mistake}` };
  }
}

/** Server address of the current context; undefined if the text names none. */
export function serverOfKubeconfig(text: string): string | undefined {
  let file: Entry;
  try {
    file = parseKubeconfig(text, "");
  } catch (error) {
    if (error instanceof CredentialsError) return undefined;
    throw error;
  }
  const wanted = file["current-context"];
  const context = typeof wanted === "string" ? named(file["contexts"], wanted)?.["context"] : undefined;
  const name = isEntry(context) ? context["cluster"] : undefined;
  const cluster = typeof name === "string" ? named(file["clusters"], name)?.["cluster"] : undefined;
  const server = isEntry(cluster) ? cluster["server"] : undefined;
  return typeof server === "string" ? server : undefined;
}

function named(list: unknown, name: string): Entry | undefined {
  return Array.isArray(list)
    ? list.find((entry): entry is Entry => isEntry(entry) && entry["name"] === name)
    : undefined;
}

function isEntry(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isGiven<T>(value: T | undefined | null | ""): value is T & {} {
  return value !== undefined && value !== null && value !== "";
}

function read<T>(reader: () => T, options: KubeconfigOptions): T {
  try {
    return reader();
  } catch (error) {
    // client-node's messages contain only the name of the missing field.
    throw invalid(options, error instanceof Error ? error.message : "it cannot be read");
  }
}

function invalid(options: KubeconfigOptions, what: string): CredentialsError {
  return new CredentialsError("InvalidKubeconfig", `${subjectOf(options)}: ${what}`);
}

function adviceOf({ file }: KubeconfigOptions): string {
  return file === undefined ? "" : `; choose another file with ${file.flag}`;
}

function subjectOf({ cluster, file }: KubeconfigOptions): string {
  return file?.called ?? `cluster ${cluster}`;
}
