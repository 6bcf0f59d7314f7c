import { createPrivateKey, X509Certificate } from "node:crypto";
import { watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CertifiedKey } from "../../certificates/index.ts";
import type { Logger } from "../../observability/index.ts";
import type { Clock } from "../../runtime/index.ts";
import { rest } from "../rest.ts";
import { bundleOf } from "./bundle.ts";
import type { Certificates, CertificateSource } from "./types.ts";

export interface FileCertificatesOptions {
  /**
   * Folder with `tls.crt`, `tls.key` and, if the authority is known, `ca.crt`. cert-manager's Secrets have these files.
   */
  folder: string;
  clock: Clock;
  logger: Logger;
}

/** A mounted Secret changes by one rename, which the file system usually reports at once. */
const LOOK_EVERY_MS = 30_000;

/** Certificates in a folder that somebody else renews, such as cert-manager. An incomplete set of files is not used. */
export class FileCertificates implements CertificateSource {
  readonly #options: FileCertificatesOptions;
  #wake = Promise.withResolvers<void>();

  constructor(options: FileCertificatesOptions) {
    this.#options = options;
  }

  published(): void {
    // Nothing to do: somebody else decides when the files change.
  }

  async run(use: (certificates: Certificates) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { folder, clock, logger } = this.#options;
    let shown: Certificates | undefined;
    let waits = false;
    const watcher = watch(folder, () => this.#wake.resolve());
    // The folder itself was replaced; the regular check finds the new one.
    watcher.on("error", (error) =>
      logger.warn({ err: error }, "the folder of the webhook certificates is not watched"),
    );
    try {
      while (!signal.aborted) {
        this.#wake = Promise.withResolvers<void>();
        try {
          const found = await readFiles(folder);
          if (shown === undefined || !same(shown, found)) {
            await use(found);
            shown = found;
            logger.info({ folder }, "webhook certificates read");
          }
        } catch (error) {
          if (signal.aborted) break;
          // Nothing is wrong yet: mounting or issuing the certificates may take time.
          const isAwaited = shown === undefined && isMissing(error);
          if (isAwaited && !waits)
            logger.warn(
              { folder, event_reason: "WebhookCertificatesAwaited" },
              "tls.crt and tls.key are not in the folder of the webhook certificates yet; the webhooks are served once they are",
            );
          waits = isAwaited;
          if (!isAwaited)
            logger.error({ err: error, folder }, "webhook certificates could not be read; the ones before stay in use");
        }
        await rest(clock, LOOK_EVERY_MS, this.#wake.promise, signal);
      }
    } finally {
      watcher.close();
    }
  }
}

/** Throws when a file is missing or the key does not belong to the certificate. */
async function readFiles(folder: string): Promise<Certificates> {
  const [certPem, keyPem, ca] = await Promise.all([
    readFile(join(folder, "tls.crt"), "utf8"),
    readFile(join(folder, "tls.key"), "utf8"),
    readOptional(join(folder, "ca.crt")),
  ]);
  const serving: CertifiedKey = { certPem, keyPem };
  if (!new X509Certificate(certPem).checkPrivateKey(createPrivateKey(keyPem))) {
    throw new Error("tls.key does not belong to tls.crt");
  }
  return { serving, bundle: ca === undefined || ca.trim() === "" ? undefined : bundleOf([ca]) };
}

async function readOptional(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function same(a: Certificates, b: Certificates): boolean {
  return a.serving.certPem === b.serving.certPem && a.serving.keyPem === b.serving.keyPem && a.bundle === b.bundle;
}
