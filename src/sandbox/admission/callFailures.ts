/** Texts for failed webhook calls. */

/** An answer other than 2xx, with its text. */
export function httpFailure(status: number, text: string): string {
  const body = text.trim();
  return `the server answered ${status}${body === "" ? "" : `: ${body.slice(0, 500)}`}`;
}

/** A call without an answer. */
export function transportFailure(error: unknown, { host }: URL): string {
  const { code = "", message } = error as { code?: string; message: string };
  return `calling ${host}: ${code === "" || message.includes(code) ? message : `${code}: ${message}`}`;
}
