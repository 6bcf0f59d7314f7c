import {
  type FederatedStatus,
  FIELD_MANAGER,
  type KubeObject,
  MANAGED_BY_LABEL,
  OBJECT_FINALIZER,
  parseApiVersion,
} from "../../../src/apis/index.ts";
import { collectionPath, objectPath, pathOf } from "../../e2e/objects.ts";
import type { FleetMember } from "../../envtest/index.ts";
import { AT_A_TIME, type BareClient, inParallel } from "../bareClient.ts";
import type { FloorFigures } from "../figures.ts";
import { FLOOR_NAMESPACE, floorBodies, HASH, marked } from "../workload.ts";
import type { KindWorkload } from "./workload.ts";

const APPLY = `?fieldManager=${FIELD_MANAGER}&force=true`;
const JSON_PATCH_FINALIZER = JSON.stringify({ metadata: { finalizers: null } });

interface FloorMember {
  client: BareClient;
  member: FleetMember;
}

/** The same writes as Meridian's for one of these kinds, sent by a bare loop that knows all answers beforehand. Leaves nothing behind. */
export class KindFloor {
  readonly #workload: KindWorkload;
  readonly #hub: BareClient;
  readonly #members: readonly FloorMember[];
  readonly #claim: string;

  constructor(workload: KindWorkload, hub: BareClient, members: readonly FloorMember[]) {
    this.#workload = workload;
    this.#hub = hub;
    this.#members = members;
    this.#claim = floorBodies.finalizer(members.map(({ member }) => member.name));
  }

  async measure(names: readonly string[]): Promise<FloorFigures> {
    const membersSeconds = await timed(() => all(names, (name) => this.#applyAll(name, 1)));
    const updateMembersSeconds = await timed(() => all(names, (name) => this.#applyChanged(name, 2)));
    await this.#removeAll(names);
    const fullSeconds = await timed(() => this.#create(names));
    const updateSeconds = await timed(() => this.#update(names));
    const uids = await this.#uids();
    const deleteSeconds = await timed(() => this.#delete(names, uids));
    return { membersSeconds, fullSeconds, updateMembersSeconds, updateSeconds, deleteSeconds };
  }

  #create(names: readonly string[]): Promise<void> {
    const { kind, object } = this.#workload;
    return this.#throughHub(
      names,
      (name) =>
        this.#hub.send(
          "POST",
          collectionPath(kind, FLOOR_NAMESPACE),
          "json",
          JSON.stringify(object(FLOOR_NAMESPACE, name, 1)),
        ),
      async (name) => {
        await this.#hub.send("PATCH", this.#path(name), "merge-patch", this.#claim);
        if (this.#isBound)
          await this.#hub.send("PATCH", this.#toldPath(name) + APPLY, "apply-patch", this.#binding(name));
        await this.#applyAll(name, 1);
        await this.#writeStatus(name, 1);
      },
    );
  }

  #update(names: readonly string[]): Promise<void> {
    const { change } = this.#workload;
    return this.#throughHub(
      names,
      (name) => this.#hub.send("PATCH", this.#path(name), "merge-patch", JSON.stringify(change(name, 2))),
      async (name) => {
        await this.#applyChanged(name, 2);
        await this.#writeStatus(name, 2);
      },
    );
  }

  #delete(names: readonly string[], uids: Uids): Promise<void> {
    return this.#throughHub(
      names,
      (name) => this.#hub.send("DELETE", this.#path(name)),
      async (name) => {
        await this.#deleteCopies(name, uids);
        if (this.#isBound) {
          await this.#hub.send("PATCH", this.#toldPath(name), "merge-patch", JSON_PATCH_FINALIZER);
          await this.#hub.send("DELETE", this.#toldPath(name));
        }
        await this.#hub.send("PATCH", this.#path(name), "merge-patch", floorBodies.noFinalizer);
      },
    );
  }

  /** Whether the status stands in an object of its own. */
  get #isBound(): boolean {
    return this.#workload.told.kind !== this.#workload.kind;
  }

  #path(name: string): string {
    return objectPath(this.#workload.kind, FLOOR_NAMESPACE, name);
  }

  #toldPath(name: string): string {
    const { told } = this.#workload;
    return objectPath(told.kind, FLOOR_NAMESPACE, told.name(name));
  }

  /** Starts with the hub, 16 at a time as a person's loop would, and carries each object on as soon as it can. */
  async #throughHub(
    names: readonly string[],
    begin: (name: string) => Promise<void>,
    carryOn: (name: string) => Promise<void>,
  ): Promise<void> {
    const rest: Promise<void>[] = [];
    const failed = Promise.withResolvers<never>();
    const send = async (): Promise<void> => {
      await inParallel(names, AT_A_TIME, async (name) => {
        await begin(name);
        const done = carryOn(name);
        done.catch(failed.reject);
        rest.push(done);
      });
      await Promise.all(rest);
    };
    // The first failure ends it, while requests are still being sent.
    await Promise.race([send(), failed.promise]);
  }

  async #applyAll(name: string, version: number): Promise<void> {
    const phases = this.#workload.copies(FLOOR_NAMESPACE, name, version);
    await Promise.all(
      this.#members.map(async ({ client }) => {
        for (const phase of phases) await Promise.all(phase.map((copy) => this.#apply(client, copy)));
      }),
    );
  }

  async #applyChanged(name: string, version: number): Promise<void> {
    const { copies, changes } = this.#workload;
    const changed = copies(FLOOR_NAMESPACE, name, version)
      .flat()
      .filter(({ kind }) => changes.includes(kind));
    await Promise.all(this.#members.flatMap(({ client }) => changed.map((copy) => this.#apply(client, copy))));
  }

  #apply(client: BareClient, copy: KubeObject): Promise<void> {
    const type = `${parseApiVersion(copy.apiVersion).group}/${copy.kind}`;
    const { labels: marks, annotations } = marked(copy.metadata.name, type, this.#workload);
    const labels = { ...copy.metadata.labels, [MANAGED_BY_LABEL]: marks?.[MANAGED_BY_LABEL] };
    const body = { ...copy, metadata: { ...copy.metadata, labels, annotations } };
    return client.send("PATCH", pathOf(copy) + APPLY, "apply-patch", JSON.stringify(body));
  }

  async #removeAll(names: readonly string[]): Promise<void> {
    const uids = await this.#uids();
    await all(names, (name) => this.#deleteCopies(name, uids));
  }

  /** The last phase first; exactly the objects of these UIDs, as Meridian does it. */
  async #deleteCopies(name: string, uids: Uids): Promise<void> {
    const phases = this.#workload.copies(FLOOR_NAMESPACE, name, 1).toReversed();
    await Promise.all(
      this.#members.map(async ({ client, member }) => {
        for (const phase of phases)
          await Promise.all(
            phase.map((copy) => {
              const uid = uids.get(member.name)?.get(pathOf(copy));
              if (uid === undefined) throw new Error(`${member.name} has no ${pathOf(copy)}`);
              return client.send("DELETE", pathOf(copy), "json", floorBodies.deletion(uid));
            }),
          );
      }),
    );
  }

  async #uids(): Promise<Uids> {
    const kinds = new Set(
      this.#workload
        .copies(FLOOR_NAMESPACE, "any", 1)
        .flat()
        .map(({ kind }) => kind),
    );
    const uids = new Map<string, Map<string, string>>();
    for (const { member } of this.#members) {
      const ofMember = new Map<string, string>();
      for (const kind of kinds) {
        for (const { metadata } of await member.plane.api.list(collectionPath(kind, FLOOR_NAMESPACE)))
          ofMember.set(objectPath(kind, FLOOR_NAMESPACE, metadata.name), metadata.uid ?? "");
      }
      uids.set(member.name, ofMember);
    }
    return uids;
  }

  #binding(name: string): string {
    const { apiVersion, kind, told } = this.#workload;
    const uid = "5b0e8a64-58a9-4d3a-9d5e-1f5c4e0a7c11";
    return JSON.stringify({
      apiVersion: told.apiVersion,
      kind: told.kind,
      metadata: {
        namespace: FLOOR_NAMESPACE,
        name: told.name(name),
        finalizers: [OBJECT_FINALIZER],
      },
      spec: { resource: { apiVersion, kind, namespace: FLOOR_NAMESPACE, name, uid } },
    });
  }

  #writeStatus(name: string, generation: number): Promise<void> {
    const { told } = this.#workload;
    const status = statusOf(
      this.#members.map(({ member }) => member),
      generation,
    );
    const metadata = { name: told.name(name), namespace: FLOOR_NAMESPACE };
    const body = JSON.stringify({ apiVersion: told.apiVersion, kind: told.kind, metadata, status });
    return this.#hub.send("PATCH", `${this.#toldPath(name)}/status${APPLY}`, "apply-patch", body);
  }
}

/** By member and path. */
type Uids = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Of the size and the shape of what Meridian writes. */
function statusOf(members: readonly FleetMember[], observedGeneration: number): FederatedStatus {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const every = `${members.length} of ${members.length} clusters`;
  const condition = (type: string, reason: string, message: string) => ({
    ...{ type, status: "True", reason, message, observedGeneration, lastTransitionTime: now },
  });
  return {
    observedGeneration,
    placement: { kind: "Placement", namespace: FLOOR_NAMESPACE, name: "kinds" },
    conditions: [
      condition("Ready", "AllClustersReady", ""),
      condition("Scheduled", "ClustersSelected", `${every} selected`),
      condition("Applied", "AllClustersApplied", `${every} applied`),
      condition("Available", "AllClustersAvailable", `${every} available`),
      condition("Progressing", "RolledOut", `${every} rolled out`),
      condition("Fresh", "AllClustersFresh", ""),
    ],
    clusters: members.map(({ name, region }) => ({
      ...{
        name,
        region,
        state: "Available",
        replicas: { desired: 0, updated: 0, ready: 0, available: 0 },
        desiredHash: HASH,
        observedHash: HASH,
        observedAt: now,
      },
    })),
  } as unknown as FederatedStatus;
}

async function all(names: readonly string[], each: (name: string) => Promise<unknown>): Promise<void> {
  await Promise.all(names.map(each));
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
