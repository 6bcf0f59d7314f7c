import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const secrets = z.object({
  adminToken: z.string().min(1),
  /** Signs the tokens of ServiceAccounts. */
  serviceAccountKeyPem: z.string(),
  port: z.number().int(),
  /** Absent when the cluster shares an authority with others. */
  authority: z.object({ certPem: z.string(), keyPem: z.string() }).optional(),
});

/** Secrets that a cluster keeps over a restart, so that kubeconfigs and tokens stay valid. */
export type Secrets = z.infer<typeof secrets>;

const FILE = "secrets.json";

/** Undefined when the folder holds no secrets yet. Throws when the file cannot be read. */
export async function readSecrets(directory: string): Promise<Secrets | undefined> {
  const path = join(directory, FILE);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return secrets.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${path} is damaged; remove it, and the cluster gets new keys`, { cause });
  }
}

/** Only the owner may read the file. */
export async function writeSecrets(directory: string, values: Secrets): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, FILE);
  await writeFile(`${path}.new`, JSON.stringify(values), { mode: 0o600 });
  await rename(`${path}.new`, path);
}
