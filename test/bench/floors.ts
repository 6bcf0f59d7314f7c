import { collectionPath, objectPath } from "../e2e/objects.ts";
import type { FleetMember } from "../envtest/index.ts";
import { AT_A_TIME, type BareClient, inParallel } from "./bareClient.ts";
import { FIRST_IMAGE, FLOOR_NAMESPACE, floorBodies, SECOND_IMAGE } from "./workload.ts";

const APPLY = "?fieldManager=meridian&force=true";

/**
 * The least that any program could need: the same writes as Meridian's, sent by a bare loop that knows all the answers beforehand, 16 at a
 * time per server. Leaves nothing behind.
 */
export class Floors {
  readonly #hub: BareClient;
  readonly #members: readonly { client: BareClient; member: FleetMember }[];
  readonly #fleetMembers: readonly FleetMember[];
  readonly #claim: string;

  constructor(hub: BareClient, members: readonly FleetMember[], clients: readonly BareClient[]) {
    this.#hub = hub;
    this.#fleetMembers = members;
    this.#claim = floorBodies.finalizer(members.map(({ name }) => name));
    this.#members = members.map((member, index) => ({ member, client: clients[index] as BareClient }));
  }

  /** Seconds for the applies on the members alone. */
  async members(names: readonly string[]): Promise<number> {
    const seconds = await timed(() => all(names, (name) => this.#applyAll(name)));
    await this.#removeFromMembers(names);
    return seconds;
  }

  /** Seconds for everything: on the hub the creation, the finalizer and one status of each application too, and its end. */
  async full(names: readonly string[]): Promise<{ create: number; update: number; delete: number }> {
    const create = await timed(() =>
      this.#throughHub(
        names,
        (name) => this.#hub.send("POST", collection, "json", floorBodies.application(name)),
        async (name) => {
          await this.#hub.send("PATCH", pathOf(name), "merge-patch", this.#claim);
          await this.#applyAll(name);
          await this.#writeStatus(name, 1);
        },
      ),
    );
    const update = await timed(() =>
      this.#throughHub(
        names,
        (name) => this.#hub.send("PATCH", pathOf(name), "merge-patch", floorBodies.image(SECOND_IMAGE)),
        async (name) => {
          await Promise.all(
            this.#members.map(({ client, member }) => this.#applyDeployment(client, member, name, SECOND_IMAGE)),
          );
          await this.#writeStatus(name, 2);
        },
      ),
    );
    const uids = await this.#uids();
    const remove = await timed(() =>
      this.#throughHub(
        names,
        (name) => this.#hub.send("DELETE", pathOf(name)),
        async (name) => {
          await this.#deleteAll(name, uids);
          await this.#hub.send("PATCH", pathOf(name), "merge-patch", floorBodies.noFinalizer);
        },
      ),
    );
    return { create, update, delete: remove };
  }

  /** Seconds for the applies of changed Deployments alone. */
  async updateOfMembers(names: readonly string[]): Promise<number> {
    await all(names, (name) => this.#applyAll(name));
    const seconds = await timed(() =>
      all(names, (name) =>
        Promise.all(
          this.#members.map(({ client, member }) => this.#applyDeployment(client, member, name, SECOND_IMAGE)),
        ),
      ),
    );
    await this.#removeFromMembers(names);
    return seconds;
  }

  /** Starts with the hub, 16 at a time as a person's loop would, and carries each application on as soon as it can. */
  async #throughHub(
    names: readonly string[],
    begin: (name: string) => Promise<void>,
    carryOn: (name: string) => Promise<void>,
  ): Promise<void> {
    const rest: Promise<void>[] = [];
    await inParallel(names, AT_A_TIME, async (name) => {
      await begin(name);
      rest.push(carryOn(name));
    });
    await Promise.all(rest);
  }

  async #applyAll(name: string): Promise<void> {
    await Promise.all(
      this.#members.flatMap(({ client, member }) => [
        this.#applyDeployment(client, member, name, FIRST_IMAGE),
        client.send("PATCH", memberPath("Service", name) + APPLY, "apply-patch", floorBodies.service(name)),
      ]),
    );
  }

  #applyDeployment(client: BareClient, { region }: FleetMember, name: string, image: string): Promise<void> {
    const body = floorBodies.deployment(name, region, image);
    return client.send("PATCH", memberPath("Deployment", name) + APPLY, "apply-patch", body);
  }

  #writeStatus(name: string, generation: number): Promise<void> {
    const body = floorBodies.status(name, this.#fleetMembers, generation);
    return this.#hub.send("PATCH", `${pathOf(name)}/status${APPLY}`, "apply-patch", body);
  }

  async #removeFromMembers(names: readonly string[]): Promise<void> {
    const uids = await this.#uids();
    await all(names, (name) => this.#deleteAll(name, uids));
  }

  /** Exactly the objects of these UIDs and no others of their names, as Meridian does it. */
  async #deleteAll(name: string, uids: Uids): Promise<void> {
    await Promise.all(
      this.#members.flatMap(({ client, member }) =>
        KINDS.map((kind) => {
          const path = memberPath(kind, name);
          const uid = uids.get(member.name)?.get(path);
          if (uid === undefined) throw new Error(`${member.name} has no ${path}`);
          return client.send("DELETE", path, "json", floorBodies.deletion(uid));
        }),
      ),
    );
  }

  async #uids(): Promise<Uids> {
    const uids = new Map<string, Map<string, string>>();
    for (const { member } of this.#members) {
      const ofMember = new Map<string, string>();
      for (const kind of KINDS) {
        for (const { metadata } of await member.plane.api.list(collectionPath(kind, FLOOR_NAMESPACE)))
          ofMember.set(memberPath(kind, metadata.name), metadata.uid ?? "");
      }
      uids.set(member.name, ofMember);
    }
    return uids;
  }
}

const KINDS = ["Deployment", "Service"] as const;

/** By member and path. */
type Uids = ReadonlyMap<string, ReadonlyMap<string, string>>;

const collection = collectionPath("DemoApplication", FLOOR_NAMESPACE);

function pathOf(name: string): string {
  return objectPath("DemoApplication", FLOOR_NAMESPACE, name);
}

function memberPath(kind: string, name: string): string {
  return objectPath(kind, FLOOR_NAMESPACE, name);
}

async function all(names: readonly string[], each: (name: string) => Promise<unknown>): Promise<void> {
  await Promise.all(names.map(each));
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
