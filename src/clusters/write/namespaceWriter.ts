import { POD_SECURITY_ANNOTATION } from "../../apis/index.ts";
import { NAMESPACES } from "../../runtime/index.ts";
import {
  carriedLabels,
  type Emptiness,
  inspectNamespace,
  type Labels,
  type MemberNamespaces,
  type ObservedObject,
  textOf,
} from "../model/index.ts";
import type { MemberSession } from "../types.ts";
import { changeMetadata } from "./metadataPatch.ts";

/** Requests of a lane for the namespaces of one member, through one session. Each method throws the client's errors. */
export class NamespaceWriter {
  readonly #session: Pick<MemberSession, "client" | "discovery" | "signal">;
  readonly #namespaces: Pick<MemberNamespaces, "remove">;

  constructor(
    session: Pick<MemberSession, "client" | "discovery" | "signal">,
    namespaces: Pick<MemberNamespaces, "remove">,
  ) {
    this.#session = session;
    this.#namespaces = namespaces;
  }

  inspect(name: string): Promise<Emptiness> {
    const { client, discovery, signal } = this.#session;
    return inspectNamespace(client, discovery, name, signal);
  }

  /** Deletes this version of the namespace. False when the namespace has changed meanwhile. */
  delete(name: string, { uid, resourceVersion }: ObservedObject): Promise<boolean> {
    return this.#namespaces.remove({ name, uid, resourceVersion }, this.#session.signal);
  }

  /** Writes the labels, and removes those that Meridian wrote before and the hub no longer has. */
  async label(name: string, wanted: Labels): Promise<void> {
    const { client, signal } = this.#session;
    await changeMetadata(client, NAMESPACES, { name }, signal, ({ metadata }) => {
      const before = carriedLabels(metadata.annotations?.[POD_SECURITY_ANNOTATION]);
      const gone = Object.keys(before).filter((label) => !Object.hasOwn(wanted, label));
      const labels = { ...Object.fromEntries(gone.map((label) => [label, null])), ...wanted };
      const { uid, resourceVersion } = metadata;
      return { metadata: { uid, resourceVersion, labels, annotations: { [POD_SECURITY_ANNOTATION]: textOf(wanted) } } };
    });
  }
}
