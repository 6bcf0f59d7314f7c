import type { KubeObject } from "../apis/index.ts";
import type { Logger } from "../observability/index.ts";
import type { CredentialStore, MemberSecret } from "../ports/index.ts";
import { type Client, type Clock, Informer, isConflict, isNotFound, SECRETS } from "../runtime/index.ts";

export interface MemberSecretsOptions {
  client: Client;
  /** The only namespace that members' Secrets are read from. */
  namespace: string;
  clock: Clock;
  logger: Logger;
}

/** The members' credentials in Secrets of the hub. */
export class MemberSecrets implements CredentialStore {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #secrets: Informer<MemberSecret>;

  constructor({ client, namespace, clock, logger }: MemberSecretsOptions) {
    this.#client = client;
    this.#namespace = namespace;
    this.#secrets = new Informer<MemberSecret>({
      name: "member-secrets",
      client,
      type: SECRETS,
      namespace,
      // Helm keeps its releases in the same namespace, a megabyte each.
      fieldSelector: "type!=helm.sh/release.v1",
      transform: memberSecret,
      clock,
      logger,
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#secrets.run(signal);
  }

  waitForSync(signal: AbortSignal): Promise<void> {
    return this.#secrets.waitForSync(signal);
  }

  onChange(handler: (name: string) => void): Disposable {
    return this.#secrets.onEvent(({ object }) => handler(object.name));
  }

  get(name: string): MemberSecret | undefined {
    return this.#secrets.get(`${this.#namespace}/${name}`);
  }

  async lookUp(name: string, signal: AbortSignal): Promise<MemberSecret | undefined> {
    try {
      this.#secrets.observe(await this.#client.get(SECRETS, this.#namespace, name, { signal }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return this.get(name);
  }

  async renew(renewed: MemberSecret, signal: AbortSignal): Promise<"Stored" | "Conflict"> {
    const { name, resourceVersion, annotations, data } = renewed;
    const patch = { metadata: { resourceVersion, annotations }, data };
    try {
      await this.#client.patch(SECRETS, this.#namespace, name, "application/merge-patch+json", patch, { signal });
    } catch (error) {
      if (isConflict(error)) return "Conflict";
      throw error;
    }
    return "Stored";
  }
}

function memberSecret(object: KubeObject): MemberSecret {
  const { name, resourceVersion = "", annotations = {} } = object.metadata;
  return { name, resourceVersion, annotations, data: (object["data"] ?? {}) as Record<string, string> };
}
