import { FIELD_MANAGER, type KubeObject, type ObjectRef, refKey } from "../../apis/index.ts";
import type { AuditTrail, MemberWrite, WriteCause } from "../../observability/index.ts";
import {
  type Client,
  type Clock,
  isApiError,
  NotLeaderError,
  type ResourceType,
  TransportError,
} from "../../runtime/index.ts";

export interface WriteAuditOptions {
  cluster: string;
  trail: Pick<AuditTrail, "wrote">;
  clock: Clock;
}

type Known = Pick<MemberWrite, "verb" | "object"> & Partial<Pick<MemberWrite, "subresource" | "fieldManager">>;

/** The audit trail of one member: knows why a worker writes, and records the requests of a client. */
export class WriteAudit {
  readonly #options: WriteAuditOptions;
  /** By key of the member object. A worker does one thing at a time with an object. */
  readonly #causes = new Map<string, WriteCause>();

  constructor(options: WriteAuditOptions) {
    this.#options = options;
  }

  /** Until disposed of, requests for the object have this cause. */
  begin(ref: ObjectRef, cause: WriteCause): Disposable {
    const key = refKey(ref);
    this.#causes.set(key, cause);
    return {
      [Symbol.dispose]: () => {
        if (this.#causes.get(key) === cause) this.#causes.delete(key);
      },
    };
  }

  /** The client of a session, whose writes are recorded. Its reads and its end are those of the given client. */
  of(client: Client, clusterUid: string): Client {
    const recorded = <T>(known: Known, request: Promise<T>): Promise<T> => this.#recorded(clusterUid, known, request);
    return {
      cluster: client.cluster,
      ...(client.address === undefined ? {} : { address: client.address }),
      get: client.get.bind(client),
      list: client.list.bind(client),
      watch: client.watch.bind(client),
      raw: client.raw.bind(client),
      stream: client.stream.bind(client),
      create: (type, object, options) =>
        recorded({ verb: "create", object: refIn(type, object.metadata) }, client.create(type, object, options)),
      apply: (type, object, options = {}) => {
        const request = client.apply(type, object, options);
        if (options.dryRun === true) return request;
        const { fieldManager = FIELD_MANAGER } = options;
        return recorded({ verb: "apply", object: refIn(type, object.metadata), fieldManager }, request);
      },
      applyStatus: (type, object, options = {}) => {
        const { fieldManager = FIELD_MANAGER } = options;
        const known = { object: refIn(type, object.metadata), subresource: "status", fieldManager };
        return recorded({ verb: "apply", ...known }, client.applyStatus(type, object, options));
      },
      patch: (type, namespace, name, patchType, body, options = {}) =>
        recorded(
          { verb: "patch", object: refIn(type, { namespace, name }), subresource: options.subresource },
          client.patch(type, namespace, name, patchType, body, options),
        ),
      delete: (type, namespace, name, options = {}) =>
        recorded(
          { verb: "delete", object: refIn(type, { namespace, name, uid: options.uid }) },
          client.delete(type, namespace, name, options),
        ),
      [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
    };
  }

  async #recorded<T>(clusterUid: string, known: Known, request: Promise<T>): Promise<T> {
    const { cluster, trail, clock } = this.#options;
    const startedAt = clock.monotonic();
    const cause = this.#causes.get(refKey(known.object));
    const end = (outcome: Pick<MemberWrite, "result"> & Partial<MemberWrite>): void =>
      trail.wrote({
        ...{ cluster, clusterUid, fieldManager: FIELD_MANAGER, cause },
        ...known,
        ms: clock.monotonic() - startedAt,
        ...outcome,
      });
    try {
      const answer = await request;
      const { uid, generation } = metadataOf(answer) ?? {};
      end({ result: "success", object: { ...known.object, uid: uid ?? known.object.uid }, generation });
      return answer;
    } catch (error) {
      // The request was not sent.
      if (error instanceof NotLeaderError) throw error;
      if (isApiError(error)) end({ result: "refused", code: error.status, reason: error.reason });
      else end({ result: "unknown", reason: error instanceof TransportError ? error.reason : "InternalError" });
      throw error;
    }
  }
}

function metadataOf(answer: unknown): KubeObject["metadata"] | undefined {
  return typeof answer === "object" && answer !== null && "metadata" in answer
    ? (answer as KubeObject).metadata
    : undefined;
}

function refIn(
  { group, version, kind }: ResourceType,
  { namespace, name, uid }: { namespace?: string | undefined; name: string; uid?: string | undefined },
): MemberWrite["object"] {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return {
    apiVersion,
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
  };
}
