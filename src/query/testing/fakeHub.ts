import type { KubeObject } from "../../apis/index.ts";
import type { Client } from "../../runtime/index.ts";

export interface HubUser {
  username: string;
  groups?: string[];
  uid?: string;
}

/** A right to list, or to get a subresource: `resource.group` or `resource/subresource.group`, `*` for every namespace. */
export interface Right {
  user: string;
  resource: string;
  namespace: string;
}

interface AccessReview {
  spec: {
    user: string;
    groups: string[];
    resourceAttributes: { group: string; resource: string; subresource?: string; verb: string; namespace?: string };
  };
}

/** The reviews of a hub, and the objects that the query API reads there. */
export class FakeHub {
  readonly tokens = new Map<string, HubUser>();
  readonly rights: Right[] = [];
  readonly objects = new Map<string, KubeObject>();
  readonly tokenReviews: string[] = [];
  /** As `user verb resource.group/namespace`. */
  readonly accessReviews: string[] = [];
  /** Thrown by every review. */
  failure: Error | undefined;

  get client(): Client {
    return {
      raw: async (_method: string, path: string, { body }: { body: unknown }) => this.#review(path, body),
      list: async (_type: unknown, { namespace, fieldSelector }: { namespace: string; fieldSelector: string }) => {
        const found = this.objects.get(`${namespace}/${fieldSelector.replace("metadata.name=", "")}`);
        return { items: found === undefined ? [] : [found], resourceVersion: "1" };
      },
      get: async (_type: unknown, namespace: string, name: string) => this.objects.get(`${namespace}/${name}`),
    } as unknown as Client;
  }

  /** Gives a user a token and rights to list `resource.group` in these namespaces. */
  user(name: string, rights: Readonly<Record<string, readonly string[]>> = {}, groups: string[] = []): string {
    const token = `token-of-${name}`;
    this.tokens.set(token, { username: name, groups: [...groups, "system:authenticated"] });
    for (const [resource, namespaces] of Object.entries(rights))
      for (const namespace of namespaces) this.rights.push({ user: name, resource, namespace });
    return token;
  }

  revoke(name: string, namespace: string): void {
    const left = this.rights.filter((right) => right.user !== name || right.namespace !== namespace);
    this.rights.splice(0, this.rights.length, ...left);
  }

  #review(path: string, body: unknown): unknown {
    if (this.failure !== undefined) throw this.failure;
    if (path.endsWith("/tokenreviews")) {
      const { token } = (body as { spec: { token: string } }).spec;
      this.tokenReviews.push(token);
      const user = this.tokens.get(token);
      return { status: user === undefined ? { authenticated: false } : { authenticated: true, user } };
    }
    const { user, resourceAttributes } = (body as AccessReview).spec;
    const { group, resource, subresource, verb, namespace } = resourceAttributes;
    const what = `${subresource === undefined ? resource : `${resource}/${subresource}`}.${group}`;
    this.accessReviews.push(`${user} ${verb} ${what}/${namespace ?? "*"}`);
    const allowed = this.rights.some(
      (right) =>
        right.user === user && right.resource === what && (right.namespace === "*" || right.namespace === namespace),
    );
    return { status: { allowed } };
  }
}
