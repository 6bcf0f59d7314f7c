import { readFileSync, statSync } from "node:fs";
import { type Clock, CredentialsError } from "../core/index.ts";
import type { ClientCertificate, Credentials } from "./types.ts";

/** A kubelet rewrites tokens at 80 % of their life. */
const RECHECK_MS = 60_000;

export function staticCredentials(given: {
  authorization?: string | undefined;
  certificate?: ClientCertificate | undefined;
}): Credentials {
  const authorization = Promise.resolve(given.authorization);
  const certificate = Promise.resolve(given.certificate);
  return { authorization: () => authorization, clientCertificate: () => certificate };
}

/** Content of a file, read again after a change. */
class WatchedFile {
  readonly #path: string;
  readonly #clock: Clock;
  #content = "";
  #version = "";
  #checked = Number.NEGATIVE_INFINITY;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  read(): string {
    const now = this.#clock.monotonic();
    if (now - this.#checked >= RECHECK_MS) {
      const { mtimeMs, size, ino } = statSync(this.#path);
      const version = `${mtimeMs}/${size}/${ino}`;
      if (version !== this.#version) this.#content = readFileSync(this.#path, "utf8").trim();
      this.#version = version;
      this.#checked = now;
    }
    return this.#content;
  }

  /** The next call reads the file again. */
  expire(): void {
    this.#checked = Number.NEGATIVE_INFINITY;
    this.#version = "";
  }
}

/** A bearer token from a file that another program renews. */
export function tokenFileCredentials(path: string, clock: Clock, certificate?: ClientCertificate): Credentials {
  const file = new WatchedFile(path, clock);
  const authorization = async (): Promise<string> => {
    const token = readOrExplain(file, path, "token");
    if (token === "") throw new CredentialsError("Unavailable", `the token file ${path} is empty`);
    return `Bearer ${token}`;
  };
  return {
    authorization,
    clientCertificate: async () => certificate,
    invalidate: (rejected) => {
      file.expire();
      try {
        return `Bearer ${file.read()}` !== rejected;
      } catch {
        // The next authorization() says what is wrong with the file.
        return true;
      }
    },
  };
}

/** A client certificate and key from files that another program renews, read together. */
export function certificateFileCredentials(certPath: string, keyPath: string, clock: Clock): Credentials {
  const cert = new WatchedFile(certPath, clock);
  const key = new WatchedFile(keyPath, clock);
  let current: ClientCertificate | undefined;
  return {
    authorization: async () => undefined,
    clientCertificate: async () => {
      const next = {
        cert: readOrExplain(cert, certPath, "client certificate"),
        key: readOrExplain(key, keyPath, "client key"),
      };
      if (current === undefined || current.cert !== next.cert || current.key !== next.key) current = next;
      return current;
    },
    invalidate: () => {
      const before = current;
      cert.expire();
      key.expire();
      try {
        return before?.cert !== cert.read();
      } catch {
        // The next clientCertificate() says what is wrong with the file.
        return true;
      }
    },
  };
}

function readOrExplain(file: WatchedFile, path: string, what: string): string {
  try {
    return file.read();
  } catch (error) {
    const code = codeOf(error);
    throw new CredentialsError("Unavailable", `the ${what} file ${path} cannot be read (${code})`, error);
  }
}

/** Code of a failed file operation, such as `ENOENT`. */
export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown error";
}
