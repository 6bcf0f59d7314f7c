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

/** Answer to a list: the objects, or why there are none. */
export type Listed = KubeObject[] | "Denied" | "NotServed";

/** A selection of objects, and how they are read: `mostPages` bounds lists of which the beginning is enough. */
export interface ReadOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  metadataOnly?: boolean;
  /** Objects per page. */
  limit?: number;
  mostPages?: number;
}

/**
 * Reads the hub with the rights of the person who asks. A missing right and a kind that the hub does not serve are
 * answers; every other failure is thrown. `notes` collects sentences about what the rights do not show.
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

  /** Lists the selection. The items name their kind, which the items of a list on the wire do not. */
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
      return unanswered(error);
    }
  }

  /** Lists objects of a kind of Meridian's own; undefined if denied. Throws if Meridian is not installed. */
  async listInstalled(type: ResourceType, options?: ReadOptions): Promise<KubeObject[] | undefined> {
    const listed = await this.list(type, options);
    if (listed === "NotServed") throw await this.notInstalled(type);
    return listed === "Denied" ? undefined : listed;
  }

  /** As {@link HubReader.listInstalled}, for a list without which there is no answer. Throws if denied. */
  async listRequired(type: ResourceType, options: ReadOptions = {}): Promise<KubeObject[]> {
    const items = await this.listInstalled(type, options);
    if (items === undefined) throw this.denied(type, options.namespace);
    return items;
  }

  /** The live object; undefined if it does not exist or the hub does not serve its kind. */
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

  /** The kind that a person named by its singular, plural or short name; `group` if the person named the group, too. */
  async typeNamed(kind: string, group: string | undefined): Promise<ResourceType | undefined> {
    const found = (await this.#discovery.list()).find(
      (one) =>
        (one.kind.toLowerCase() === kind || one.plural === kind || one.shortNames?.includes(kind) === true) &&
        (group === undefined || one.group === group),
    );
    return found === undefined ? undefined : knownType(found);
  }

  /** The error for a hub that does not serve this kind of Meridian's. */
  async notInstalled(type: ResourceType): Promise<CommandError> {
    return await notInstalled(type.plural, this.hub, this.signal);
  }

  /** As {@link HubReader.notInstalled}; undefined if the hub serves the kind. */
  async notServed(type: ResourceType): Promise<CommandError | undefined> {
    const served = await this.typeOf({ apiVersion: apiVersionOf(type), kind: type.kind });
    return served === undefined ? await this.notInstalled(type) : undefined;
  }

  /** The error for a list without which there is no answer. */
  denied(type: ResourceType, namespace: string | undefined): CommandError {
    const kind = type.group === "" ? "" : ` (group ${type.group})`;
    const elsewhere = namespace === undefined ? "" : "give -n NAMESPACE of one that your rights reach, or ";
    return new CommandError(
      `your rights on ${describeWhere(this.hub.where)} do not show ${type.plural}${within(namespace)}: ${elsewhere}ask its administrator for ${rightToList([type])}${kind}`,
    );
  }

  /** Notes a missing right and what follows from it. */
  noteDenied(verb: "list" | "read", what: string, namespace: string | undefined, consequence: string): void {
    this.notes.add(`You may not ${verb} ${what}${within(namespace)} on the hub${consequence}`);
  }
}

/** ` in namespace NAME`; empty for the whole cluster. */
export function within(namespace: string | undefined): string {
  return namespace === undefined ? "" : ` in namespace ${namespace}`;
}

/** Sentences on kinds that the rights do not show end so: the person learns whom to ask for what. */
export function rightToList(kinds: readonly ResourceType[]): string {
  return `the right to list and watch ${new Intl.ListFormat("en-GB").format(kinds.map(({ plural }) => plural))}`;
}

function unanswered(error: unknown): "Denied" | "NotServed" {
  if (lacksRight(error)) return "Denied";
  if (isMissing(error)) return "NotServed";
  throw error;
}
