import { defined } from "../../apis/index.ts";
import { Agent, request } from "undici";
import { WebhookCallError } from "./errors.ts";
import { httpFailure, transportFailure } from "./callFailures.ts";
import { type Target, urlText } from "./target.ts";

const HEADERS = {
  "user-agent": "kube-apiserver-admission",
  accept: "application/json, */*",
  "content-type": "application/json",
};

/** Milliseconds that an idle connection is kept. */
const KEEP_ALIVE = 30_000;

/** Posts reviews to webhooks and reuses connections. Follows no redirects. */
export class WebhookCaller implements AsyncDisposable {
  readonly #agents = new Map<string, Agent>();

  /**
   * The webhook's answer, parsed. Throws a {@link WebhookCallError} when no answer arrives within `seconds`, or the
   * answer is no JSON.
   */
  async post(target: Target, body: unknown, seconds: number, signal: AbortSignal | undefined): Promise<unknown> {
    const timeout = AbortSignal.timeout(seconds * 1000);
    const { address, url } = target;
    const destination = new URL(url);
    if (address !== undefined) {
      destination.hostname = address.host;
      destination.port = String(address.port);
    }
    try {
      const response = await request(destination, {
        method: "POST",
        dispatcher: this.#agent(target),
        headers: { ...HEADERS, host: url.host },
        body: JSON.stringify(body),
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      });
      const text = await response.body.text();
      if (response.statusCode < 200 || response.statusCode >= 300) {
        throw new WebhookCallError(httpFailure(response.statusCode, text));
      }
      return parse(text, response.statusCode, response.headers["content-type"]);
    } catch (error) {
      if (error instanceof WebhookCallError) throw error;
      const why = timeout.aborted ? "context deadline exceeded" : transportFailure(error, destination);
      throw new WebhookCallError(`Post ${JSON.stringify(urlText(target))}: ${why}`, { cause: error });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const agents = [...this.#agents.values()];
    this.#agents.clear();
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  #agent({ ca, serverName }: Target): Agent {
    const key = JSON.stringify([ca, serverName]);
    let agent = this.#agents.get(key);
    if (agent === undefined) {
      agent = new Agent({
        keepAliveTimeout: KEEP_ALIVE,
        connect: defined({ ca, servername: serverName }),
      });
      this.#agents.set(key, agent);
    }
    return agent;
  }
}

function parse(text: string, status: number, type: string | string[] | undefined): unknown {
  if (text === "") {
    throw new WebhookCallError(`0-length response with status code: ${status} and content type: ${String(type ?? "")}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new WebhookCallError(`couldn't get version/kind; json parse error: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
