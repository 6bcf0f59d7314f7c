import { defined, type KubeObject, type ObjectRef, parseApiVersion } from "../../apis/index.ts";
import {
  apiVersionOf,
  type Client,
  Discovery,
  isMissing,
  knownType,
  lacksRight,
  listAll,
  type ResourceType,
  systemClock,
} from "../../runtime/index.ts";
import { type Connection, find, notInstalled } from "./connection.ts";
import { CommandError } from "./outcome.ts";
import { describeWhere } from "./whereabouts.ts";

/** The objects, or why there are none. */
export type Listed = KubeObject[] | "Denied" | "NotServed";

/** What is read, and how: `mostPages` bounds lists of which the beginning is enough. */
export interface ReadOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  metadataOnly?: boolean;
  limit?: number;
  mostPages?: number;
}

/**
 * Reads the hub with the person's rights. A missing right and an unserved kind are answers; other failures are thrown.
 * `notes`: sentences about what the rights do not show.
 */
export class HubReader {
  readonly notes = new Set<string>();
  readonly hub: Pick<Connection, "client" | "where">;
  readonly signal: AbortSignal;
  readonly #discovery: Discovery;

  constructor(hub: Pick<Connection, "client" | "where">, signal: AbortSignal) {
    this.hub = hub;
    this.signal = signal;
    this.#discovery = new Discovery(hub.client, systemClock);
  }

  get client(): Client {
    return this.hub.client;
  }

  /** The items name their kind, which items of a list on the wire do not. */
  async list(
    type: ResourceType,
    { namespace, labelSelector, fieldSelector, ...how }: ReadOptions = {},
  ): Promise<Listed> {
    const kind = { apiVersion: apiVersionOf(type), kind: type.kind };
    try {
      const selection = { client: this.client, type, ...defined({ namespace, labelSelector, fieldSelector }) };
      const items = await listAll(selection, { signal: this.signal, ...how });
      return items.map((item) => ({ ...item, ...kind }));
    } catch (error) {
      if (lacksRight(error)) return "Denied";
      if (isMissing(error)) return "NotServed";
      throw error;
    }
  }

  /** For a kind of Meridian's own; undefined if denied. Throws if Meridian is not installed. */
  async listInstalled(type: ResourceType, options?: ReadOptions): Promise<KubeObject[] | undefined> {
    const listed = await this.list(type, options);
    if (listed === "NotServed") throw await this.notInstalled(type);
    return listed === "Denied" ? undefined : listed;
  }

  /** As {@link HubReader.listInstalled}; throws if denied. */
  async listRequired(type: ResourceType, options: ReadOptions = {}): Promise<KubeObject[]> {
    const items = await this.listInstalled(type, options);
    if (items === undefined) throw this.denied(type, options.namespace);
    return items;
  }

  /** Undefined if there is no such object or kind. */
  async find(type: ResourceType, namespace: string | undefined, name: string): Promise<KubeObject | undefined> {
    const found = await find(this.client, type, namespace, name, this.signal);
    return found === undefined ? undefined : { ...found, apiVersion: apiVersionOf(type), kind: type.kind };
  }

  /** As {@link HubReader.find}; a missing right is an answer. */
  async findReadable(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
  ): Promise<KubeObject | "Denied" | undefined> {
    try {
      return await this.find(type, namespace, name);
    } catch (error) {
      if (lacksRight(error)) return "Denied";
      throw error;
    }
  }

  /** Undefined for kinds that the hub does not serve. */
  async typeOf({ apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">): Promise<ResourceType | undefined> {
    const { group, version } = parseApiVersion(apiVersion);
    const same = (await this.#discovery.list()).filter((one) => one.group === group && one.kind === kind);
    const type = same.find((one) => one.version === version) ?? same[0];
    return type === undefined ? undefined : knownType(type);
  }

  /** The kind of this singular, plural or short name; `group` if the person named it, too. */
  async typeNamed(kind: string, group: string | undefined): Promise<ResourceType | undefined> {
    const found = (await this.#discovery.list()).find(
      (one) =>
        (one.kind.toLowerCase() === kind || one.plural === kind || one.shortNames?.includes(kind) === true) &&
        (group === undefined || one.group === group),
    );
    return found === undefined ? undefined : knownType(found);
  }

  async notInstalled(type: ResourceType): Promise<CommandError> {
    return await notInstalled(type.plural, this.hub, this.signal);
  }

  /** As {@link HubReader.notInstalled}; undefined if the hub serves the kind. */
  async notServed(type: ResourceType): Promise<CommandError | undefined> {
    const served = await this.typeOf({ apiVersion: apiVersionOf(type), kind: type.kind });
    return served === undefined ? await this.notInstalled(type) : undefined;
  }

  denied(type: ResourceType, namespace: string | undefined): CommandError {
    const kind = type.group === "" ? "" : ` (group ${type.group})`;
    const elsewhere = namespace === undefined ? "" : "give -n NAMESPACE of one that your rights reach, or ";
    return new CommandError(
      `your rights on ${describeWhere(this.hub.where)} do not show ${type.plural}${within(namespace)}: ${elsewhere}ask its administrator for ${rightToList([type])}${kind}`,
    );
  }

  noteDenied(verb: "list" | "read", what: string, namespace: string | undefined, consequence: string): void {
    this.notes.add(`You may not ${verb} ${what}${within(namespace)} on the hub${consequence}`);
  }
}

/** ` in namespace NAME`; empty for the whole cluster. */
export function within(namespace: string | undefined): string {
  return namespace === undefined ? "" : ` in namespace ${namespace}`;
}

/** Ends sentences on kinds that the rights do not show: whom to ask for what. */
export function rightToList(kinds: readonly ResourceType[]): string {
  return `the right to list and watch ${new Intl.ListFormat("en-GB").format(kinds.map(({ plural }) => plural))}`;
}
