import { runCommandLine } from "../index.ts";

/** What a command has written, and its exit code. */
export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** `meridian` with these arguments in this process, as in a pipeline: without a terminal, and with no more of an environment than is given. */
export async function runMeridian(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const written = { out: "", err: "" };
  const terminal = {
    out: (text: string) => void (written.out += text),
    err: (text: string) => void (written.err += text),
    color: false,
    interactive: false,
  };
  const code = await runCommandLine([...args], { terminal, signal: new AbortController().signal, env: { ...env } });
  return { code, ...written };
}
