import { access, constants, stat } from "node:fs/promises";
import { type Client, isNotFound, NAMESPACES } from "../../runtime/index.ts";
import { CommandError } from "../shared/index.ts";
import type { ManagerOptions } from "./verb.ts";

/** A hub out of reach must not delay `/healthz`; the manager waits for the hub elsewhere. */
const ANSWER_WITHIN_MS = 5_000;

/**
 * Throws {@link CommandError} for files and folders that are missing or unreadable: later the manager could only log
 * that.
 */
export async function checkFiles({
  prometheus,
  webhooks,
}: Pick<ManagerOptions, "prometheus" | "webhooks">): Promise<void> {
  const { caFile, tokenFile } = prometheus ?? {};
  if (caFile !== undefined) await checkFile("--prometheus-ca-file", caFile);
  if (tokenFile !== undefined) await checkFile("--prometheus-token-file", tokenFile);
  if (webhooks?.certDir !== undefined) await checkFolder("--webhook-cert-dir", webhooks.certDir);
}

async function checkFile(flag: string, file: string): Promise<void> {
  const found = await look(flag, file);
  if (found.isDirectory()) throw new CommandError(`${flag} ${file} is a folder: name a file in it`);
}

/** The files in it may come later. */
async function checkFolder(flag: string, folder: string): Promise<void> {
  const found = await look(flag, folder);
  if (!found.isDirectory())
    throw new CommandError(`${flag} ${folder} is no folder: name the folder with tls.crt and tls.key`);
}

async function look(flag: string, path: string) {
  try {
    await access(path, constants.R_OK);
    return await stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "does not exist" : `cannot be read (${code ?? "unknown error"})`;
    throw new CommandError(`${flag} ${path} ${why}: name another path, or mount or create this one first`);
  }
}

/**
 * Throws {@link CommandError} for a namespace that does not exist: the manager could hold no Lease there, nor find a
 * Secret.
 */
export async function checkNamespaces(
  client: Client,
  { namespace, membersNamespace = namespace }: Pick<ManagerOptions, "namespace" | "membersNamespace">,
  signal: AbortSignal,
): Promise<void> {
  await checkNamespace(client, "--namespace", namespace, signal);
  if (membersNamespace !== namespace) await checkNamespace(client, "--members-namespace", membersNamespace, signal);
}

async function checkNamespace(client: Client, flag: string, name: string, signal: AbortSignal): Promise<void> {
  const enough = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
  try {
    await client.get(NAMESPACES, undefined, name, { metadataOnly: true, signal: enough });
  } catch (error) {
    // Any other error is no mistake in the options: the hub is out of reach, or rights are still missing.
    if (!isNotFound(error)) return;
    throw new CommandError(
      `the hub has no namespace ${name}: choose another with ${flag}, or create it with \`kubectl create namespace ${name}\`; where Meridian is not installed yet, \`meridian install\` creates its own`,
    );
  }
}
