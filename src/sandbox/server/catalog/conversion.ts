import type { Webhooks } from "../../admission/index.ts";
import { prune, withDefaults } from "../../schema/index.ts";
import type { KubeObject } from "../../types.ts";
import type { Endpoint } from "./catalog.ts";

/** Thrown when a synchronous conversion needs a webhook. */
class ConversionNeeded extends Error {
  readonly object: KubeObject;
  readonly apiVersion: string;

  constructor(object: KubeObject, apiVersion: string) {
    super(`a webhook has to convert to ${apiVersion}`);
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

/** Converts objects to the version of a request, and back to the stored version. */
export class Conversion {
  readonly #webhooks: Webhooks;

  constructor(webhooks: Webhooks) {
    this.#webhooks = webhooks;
  }

  /** Returns the same object if it is in that version already. Throws a StatusError when a CRD's webhook fails. */
  async convert(endpoint: Endpoint, object: KubeObject, apiVersion: string): Promise<KubeObject> {
    const converted = this.convertNow(endpoint, object, apiVersion);
    if (converted !== undefined) return converted;
    const [answer] = await this.convertAll(endpoint, [object], apiVersion);
    return answer ?? object;
  }

  /** Converts synchronously; undefined if a webhook is needed. */
  convertNow({ resource, rules }: Endpoint, object: KubeObject, apiVersion: string): KubeObject | undefined {
    if (object.apiVersion === apiVersion) return object;
    if (resource.crd === undefined) return rules.convert?.(object, apiVersion) ?? { ...object, apiVersion };
    if (strategyOf(resource.crd) === "Webhook") return undefined;
    return inSchemaOf(resource, { ...object, apiVersion });
  }

  /** Converts without defaults, for field ownership. */
  #plain({ resource, rules }: Endpoint, object: KubeObject, apiVersion: string): KubeObject | undefined {
    if (object.apiVersion === apiVersion) return object;
    if (resource.crd === undefined) return rules.convert?.(object, apiVersion) ?? { ...object, apiVersion };
    return strategyOf(resource.crd) === "Webhook" ? undefined : { ...object, apiVersion };
  }

  /** Converts with a single webhook call for all objects that need one. Keeps the order. */
  async convertAll(endpoint: Endpoint, objects: readonly KubeObject[], apiVersion: string): Promise<KubeObject[]> {
    const converted = objects.map((object) => this.convertNow(endpoint, object, apiVersion));
    const foreign = objects.filter((_, index) => converted[index] === undefined);
    if (foreign.length === 0) return converted as KubeObject[];
    const { resource } = endpoint;
    const answers = await this.#webhooks.convertObjects(resource, foreign, versionName(apiVersion));
    let next = 0;
    return converted.map((object) => {
      if (object !== undefined) return object;
      const answer = answers[next++];
      if (answer === undefined) throw new Error(`the conversion webhook of ${resource.plural} lost an object`);
      return inSchemaOf(resource, answer);
    });
  }

  /**
   * Runs a pure function that converts synchronously. Each missing webhook conversion is fetched, then the function
   * runs again.
   */
  async during<T>(
    endpoint: Endpoint,
    run: (convert: (object: KubeObject, apiVersion: string) => KubeObject | undefined) => T,
  ): Promise<T> {
    const fetched = new Map<string, KubeObject>();
    const known = new Set(endpoint.resource.versions.map(({ name }) => name));
    for (;;) {
      try {
        return run((object, apiVersion) => {
          if (endpoint.resource.crd !== undefined && !known.has(versionName(apiVersion))) return undefined;
          const now = this.#plain(endpoint, object, apiVersion);
          if (now !== undefined) return now;
          const answer = fetched.get(`${apiVersion} ${JSON.stringify(object)}`);
          if (answer === undefined) throw new ConversionNeeded(object, apiVersion);
          return answer;
        });
      } catch (error) {
        if (!(error instanceof ConversionNeeded)) throw error;
        const { object, apiVersion } = error;
        fetched.set(`${apiVersion} ${JSON.stringify(object)}`, await this.convert(endpoint, object, apiVersion));
      }
    }
  }
}

/**
 * Prunes to the target version, which may have fewer fields. Only the stored version gets defaults, because a server
 * sets them when it reads from storage.
 */
function inSchemaOf(resource: Endpoint["resource"], object: KubeObject): KubeObject {
  const version = resource.versions.find(({ name }) => name === versionName(object.apiVersion));
  if (version === undefined) return object;
  const pruned = prune(version.schema, resource.definitions, object).value;
  return version.storage ? (withDefaults(version.schema, resource.definitions, pruned) as KubeObject) : pruned;
}

function strategyOf(crd: KubeObject): string | undefined {
  const { conversion } = crd["spec"] as { conversion?: { strategy?: string } };
  return conversion?.strategy;
}

function versionName(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}
