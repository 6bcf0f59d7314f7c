import { defined } from "../../apis/index.ts";
import { createServer } from "node:net";
import { CommandError } from "../shared/index.ts";

export interface Listening {
  port: number;
  /** Absent: every address. */
  host?: string;
  /** What listens: `webhooks`, say. */
  what: string;
  /** Options that choose another port and another address. */
  flag: string;
  hostFlag?: string;
}

/** Throws {@link CommandError} that names the option to change, when the port cannot be used. */
export async function checkPort(wanted: Listening): Promise<void> {
  if (wanted.port === 0) return;
  const server = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ port: wanted.port, ...defined({ host: wanted.host }) }, resolve);
  try {
    await promise;
  } catch (error) {
    throw asCommandError(error, wanted);
  }
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  await closed.promise;
}

export function asCommandError(error: unknown, { port, host, what, flag, hostFlag }: Listening): CommandError {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? "unknown error";
  const where = host === undefined ? `port ${port}` : `port ${port} of ${host}`;
  switch (code) {
    case "EADDRINUSE":
      return new CommandError(
        `${where}, for ${what}, is taken by another program: choose another with ${flag}, or end that program`,
      );
    case "EACCES":
      return new CommandError(
        `${where}, for ${what}, may not be used by this user: choose one above 1023 with ${flag}`,
      );
    default:
      return new CommandError(
        `${where}, for ${what}, cannot be listened on (${code}): choose an address of this machine with ${hostFlag ?? flag}`,
      );
  }
}
