import { setTimeout as sleep } from "node:timers/promises";
import { DEFAULT_SYSTEM_NAMESPACE } from "../../src/apis/index.ts";
import type { Federation } from "./federation.ts";

const RBAC = "rbac.authorization.k8s.io";
const PATH = "/apis/query.federation.paas.cmft.com/v1alpha1";

export interface Answer {
  code: number;
  text: string;
}

/** An account of the hub, and the queries that it asks. */
export class Asker {
  readonly #url: () => string;
  readonly #token: string;

  constructor(url: () => string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** A double slash begins a path from the root. */
  addressOf(path: string): string {
    return encodeURI(`${this.#url()}${path.startsWith("//") ? path.slice(1) : `${PATH}${path}`}`).replaceAll(
      "%25",
      "%",
    );
  }

  /** Asks again where this account has asked too often. */
  async ask(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    for (;;) {
      const all = Object.entries({ authorization: `Bearer ${this.#token}`, ...headers });
      const given = Object.fromEntries(all.filter(([, value]) => value !== ""));
      const response = await fetch(this.addressOf(path), { headers: given });
      const text = await response.text();
      if (response.status !== 429) return { code: response.status, text };
      await sleep(1000 * Number(response.headers.get("retry-after") ?? 1));
    }
  }

  /** The code alone, also when this account has asked too often. */
  async codeOf(path: string): Promise<number> {
    const response = await fetch(this.addressOf(path), { headers: { authorization: `Bearer ${this.#token}` } });
    await response.arrayBuffer();
    return response.status;
  }

  /** The lines of a watch from now until `end` resolves, which may read the lines until then. */
  async watched(path: string, end: (lines: () => string) => Promise<unknown>): Promise<string> {
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${this.#token}` };
    const response = await fetch(this.addressOf(path), { headers, signal: stop.signal });
    let text = "";
    const reading = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk as Uint8Array).toString("utf8");
    })().catch(() => undefined);
    await end(() => text);
    stop.abort();
    await reading;
    return text;
  }
}

interface Rules {
  /** Undefined: in the whole hub. */
  namespace?: string;
  rules: object[];
}

/** A ServiceAccount with these rights. */
export async function askerWith(federation: Federation, name: string, rights: readonly Rules[]): Promise<Asker> {
  const namespace = DEFAULT_SYSTEM_NAMESPACE;
  await federation.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } } as never);
  for (const { namespace: where, rules } of rights) {
    const [kind, apiVersion] = [where === undefined ? "ClusterRole" : "Role", `${RBAC}/v1`];
    const metadata = { name, ...(where === undefined ? {} : { namespace: where }) };
    await federation.apply({ apiVersion, kind, metadata, rules } as never);
    await federation.apply({
      ...{ apiVersion, kind: `${kind}Binding`, metadata },
      roleRef: { apiGroup: RBAC, kind, name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    } as never);
  }
  const token = await federation.hub.serviceAccountToken(namespace, name, 3600);
  return new Asker(() => federation.manager.url, token);
}

/** Times and versions go on by themselves. The rest of an answer is of what there is. */
export function timeless(text: string): string {
  return text
    .replaceAll(/"(resourceVersion|continue)":"[^"]*"/g, '"$1":"…"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…")
    .replaceAll(/"\d+(ms|s|m\d*s?)"/g, '"…"');
}
