import {
  crdNameOf,
  defined,
  kindKey,
  type KubeObject,
  type MemberCluster,
  type ObjectRef,
  type OverridePolicy,
  type OwnerRef,
  parseApiVersion,
  type Placement,
  refKey,
  refOf,
  type ResourceBinding,
} from "../../../apis/index.ts";
import { withTheirNeeds } from "../../../desiredstate/index.ts";
import { type KindTerms, kindTerms, ScalePaths } from "../../../hub/index.ts";
import {
  type Dependency,
  dependencyKindOf,
  groupKindOf,
  hubKindOf,
  isCustomGroup,
  isRendered,
} from "../../../interpreter/index.ts";
import { createLogger } from "../../../observability/index.ts";
import {
  apiVersionOf,
  type Client,
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  CLUSTERRESOURCEBINDINGS,
  CRDS,
  DEMOAPPLICATIONS,
  Discovery,
  lacksRight,
  isMissing,
  knownType,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  NAMESPACES,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  RESOURCEBINDINGS,
  type ResourceType,
  SECRETS,
  systemClock,
  listAll,
} from "../../../runtime/index.ts";
import { allOf, atOnce, CommandError, type Connection, find, notInstalled } from "../../shared/index.ts";
import { declaredNeeds } from "./asks.ts";
import { type HiddenKind, hiddenNote } from "./hidden.ts";
import { put, type PlannerHubState } from "./hubState.ts";

/** Up to this many objects of one kind and namespace are read one by one; more are read as a list. */
const FEW = 4;
/** Helm keeps whole releases in Secrets; no object refers to them. */
const NO_RELEASES = "type!=helm.sh/release.v1";

/** Reads the facts for plans from a hub, with the rights of the person who asks. */
export class HubReader {
  /** Facts that the rights do not allow to read, one sentence each. */
  readonly notes = new Set<string>();
  readonly #hub: Connection;
  readonly #signal: AbortSignal;
  readonly #discovery: Discovery;
  readonly #scales: ScalePaths;
  readonly #fromFiles: string | undefined;

  /** `fromFiles`: the command that gives the same answer without a hub, for a person whose rights do not suffice. */
  constructor(hub: Connection, signal: AbortSignal, fromFiles?: string) {
    this.#hub = hub;
    this.#signal = signal;
    this.#fromFiles = fromFiles;
    this.#discovery = new Discovery(hub.client, systemClock);
    this.#scales = new ScalePaths({ client: hub.client, logger: createLogger({ level: "silent" }) });
  }

  get client(): Client {
    return this.#hub.client;
  }

  /**
   * Reads every policy and cluster that affects objects of the namespace. Without a namespace all namespaces count, or
   * `home` if the rights reach no further. Cluster-scoped kinds that the person may not read become `hidden` in the
   * state. Throws {@link CommandError} if the person may not read a namespaced kind.
   */
  async readPolicies(state: PlannerHubState, namespace: string | undefined, home?: string): Promise<void> {
    if (namespace === undefined && home !== undefined && (await this.#listInstalled(PLACEMENTS)) === undefined) {
      this.notes.add(`Your rights do not reach every namespace: only objects of ${home} are considered.`);
      await this.readPolicies(state, home);
      state.isPartial = true;
      return;
    }
    const [hubId, placements, overrides, clusterPlacements, clusterOverrides, clusters] = await allOf([
      this.#hubId(),
      this.#policies(PLACEMENTS, namespace),
      this.#policies(OVERRIDEPOLICIES, namespace),
      this.#ofTheHub(CLUSTERPLACEMENTS, "clusterplacements", state),
      this.#ofTheHub(CLUSTEROVERRIDEPOLICIES, "clusteroverridepolicies", state),
      this.#ofTheHub(MEMBERCLUSTERS, "memberclusters", state),
    ]);
    state.hubId = hubId;
    state.placements = [...placements, ...clusterPlacements] as unknown as Placement[];
    state.overrides = [...overrides, ...clusterOverrides] as unknown as OverridePolicy[];
    state.clusters = clusters as unknown as MemberCluster[];
    const note = hiddenNote(state.hidden);
    if (note !== undefined) this.notes.add(note);
  }

  async #ofTheHub(type: ResourceType, kind: HiddenKind, { hidden }: PlannerHubState): Promise<KubeObject[]> {
    const items = await this.#listInstalled(type);
    if (items === undefined) hidden.add(kind);
    return items ?? [];
  }

  /** Reads the objects of the kinds, as far as the rights allow. */
  async readObjects(
    state: PlannerHubState,
    types: readonly ResourceType[],
    namespace: string | undefined,
  ): Promise<void> {
    for (const type of types) {
      if (namespace !== undefined && !type.namespaced) continue;
      const isOwn = isRendered({ apiVersion: apiVersionOf(type), kind: type.kind });
      const items = await (isOwn ? this.#listInstalled(type, namespace) : this.#list(type, namespace));
      if (items === undefined)
        this.notes.add(
          `You may not list ${type.plural}${within(namespace)} on the hub, so none of them are considered.`,
        );
      for (const item of items ?? []) put(state, item);
    }
  }

  /** Reads the replica paths of custom kinds from their CRDs. */
  async readScales(state: PlannerHubState, types: readonly ResourceType[]): Promise<void> {
    await atOnce(types, async (type) => {
      const { scale } = await this.#scales.of(type, this.#signal);
      if (scale !== undefined) state.scales.set(kindKey(type), scale);
    });
  }

  /** Reads the deletion terms from the CRDs of kinds of which an object (or a drained cluster) is being deleted. */
  async readKindTerms(state: PlannerHubState): Promise<void> {
    const isDrained = state.clusters.some(
      ({ metadata, spec }) => metadata.deletionTimestamp !== undefined && spec.deletionPolicy === "Drain",
    );
    const types = new Map(isDrained ? [[kindKey(MEMBERCLUSTERS), MEMBERCLUSTERS]] : []);
    for (const object of state.objects.values()) {
      const { group, kind } = groupKindOf(object);
      if (object.metadata.deletionTimestamp === undefined || !isCustomGroup(group) || types.has(`${group}/${kind}`))
        continue;
      const type = await this.typeOf(object);
      if (type !== undefined) types.set(kindKey(type), type);
    }
    const terms = new Map<string, KindTerms>();
    for (const [name, type] of types) {
      const crd = await this.find(CRDS, undefined, crdNameOf(type)).catch(denied);
      if (crd !== "Denied") terms.set(name, kindTerms(type, crd?.metadata ?? "Gone"));
      else
        this.notes.add(`You may not read the CRD of ${type.plural}: whether it holds deletions of them is not known.`);
    }
    state.kindTerms = terms;
  }

  /** Every kind whose objects are placed: kinds that Meridian renders, and kinds that policies select. */
  async placedKinds(policies: readonly Placement[]): Promise<ResourceType[]> {
    const types = new Map([[kindKey(DEMOAPPLICATIONS), DEMOAPPLICATIONS]]);
    // An older installation has no ManifestBundles.
    const bundles = await this.typeOf({ apiVersion: apiVersionOf(MANIFESTBUNDLES), kind: MANIFESTBUNDLES.kind });
    if (bundles !== undefined) types.set(kindKey(bundles), bundles);
    for (const { spec } of policies) {
      for (const { apiVersion, kind } of spec.resourceSelectors) {
        const { group } = parseApiVersion(apiVersion);
        if (types.has(kindKey({ group, kind })) || hubKindOf(group, kind) !== undefined) continue;
        const type = await this.typeOf({ apiVersion, kind });
        if (type !== undefined) types.set(kindKey({ group, kind }), type);
      }
    }
    return [...types.values()];
  }

  /** Undefined for kinds that the hub does not serve. */
  async typeOf({ apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">): Promise<ResourceType | undefined> {
    const { group, version } = parseApiVersion(apiVersion);
    const served = await this.#discovery.list();
    const same = served.filter((one) => one.group === group && one.kind === kind);
    const type = same.find((one) => one.version === version) ?? same[0];
    return type === undefined ? undefined : knownType(type);
  }

  /**
   * A {@link CommandError} for an object that is missing because the hub does not serve its kind; undefined if the hub
   * serves the kind.
   */
  async notServed(type: ResourceType): Promise<CommandError | undefined> {
    const served = await this.typeOf({ apiVersion: apiVersionOf(type), kind: type.kind });
    return served === undefined ? await notInstalled(type.plural, this.#hub, this.#signal) : undefined;
  }

  /** The kind that a person named by its singular, plural or short name; `group` if the person named the group, too. */
  async typeNamed(kind: string, group: string | undefined): Promise<ResourceType | undefined> {
    const served = await this.#discovery.list();
    const found = served.find(
      (one) =>
        (one.kind.toLowerCase() === kind || one.plural === kind || one.shortNames?.includes(kind) === true) &&
        (group === undefined || one.group === group),
    );
    return found === undefined ? undefined : knownType(found);
  }

  /**
   * Existence of the object with this UID on the hub, and the resourceVersion of the answer; undefined if the person
   * may not read it.
   */
  async owner(owner: OwnerRef): Promise<{ exists: boolean; resourceVersion: string } | undefined> {
    const type = await this.typeOf(owner);
    if (type === undefined) return undefined;
    try {
      const { items, resourceVersion } = await this.client.list(type, {
        ...(owner.namespace === undefined ? {} : { namespace: owner.namespace }),
        fieldSelector: `metadata.name=${owner.name}`,
        metadataOnly: true,
        signal: this.#signal,
      });
      return { exists: items.some(({ metadata }) => metadata.uid === owner.uid), resourceVersion };
    } catch (error) {
      if (lacksRight(error)) return undefined;
      throw error;
    }
  }

  /** The live object on the hub; undefined if it does not exist. */
  async find(type: ResourceType, namespace: string | undefined, name: string): Promise<KubeObject | undefined> {
    const found = await find(this.client, type, namespace, name, this.#signal);
    return found === undefined ? undefined : { ...found, apiVersion: apiVersionOf(type), kind: type.kind };
  }

  /** Reads labels and annotations of the objects' namespaces, and the bindings of propagated objects. */
  async readSurroundings(
    state: PlannerHubState,
    objects: readonly KubeObject[] = [...state.objects.values()],
  ): Promise<void> {
    const names = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
    await this.#readNamespaces(
      state,
      [...names].filter((name) => !state.namespaces.has(name)),
    );
    const sentAsTheyAre = objects.filter((object) => !isRendered(object));
    const homes = new Set(sentAsTheyAre.map(({ metadata }) => metadata.namespace));
    for (const home of homes) {
      const type = home === undefined ? CLUSTERRESOURCEBINDINGS : RESOURCEBINDINGS;
      const items = await this.#list(type, home).catch(absent);
      if (items === undefined)
        this.notes.add(
          `You may not list ${type.plural}${within(home)}, so where objects that are sent as they are run now is not known.`,
        );
      for (const item of (items ?? []) as unknown as ResourceBinding[]) put(state, item as unknown as KubeObject);
    }
  }

  /**
   * Reads the dependencies of the objects. A dependency that the person may not read is noted, and counts as unchanged.
   */
  async readDependencies(state: PlannerHubState, objects: readonly KubeObject[]): Promise<void> {
    const wanted = new Map<string, Dependency>();
    for (const object of objects) for (const one of declaredNeeds(state, object)) wanted.set(refKey(one.ref), one);
    await this.#readAll(state, [...wanted.values()]);
    // Only now the dependencies of these dependencies are known.
    const more = withTheirNeeds([...wanted.values()], state.dependencies);
    await this.#readAll(
      state,
      more.filter(({ ref }) => !wanted.has(refKey(ref))),
    );
  }

  async #readAll(state: PlannerHubState, wanted: readonly Dependency[]): Promise<void> {
    const unknown = wanted.filter(({ ref }) => !state.dependencies.has(refKey(ref)));
    const groups = Map.groupBy(unknown, ({ ref }) => `${ref.kind}/${ref.namespace ?? ""}`);
    await atOnce([...groups.values()], async (group) => {
      const [first] = group;
      const kind = first === undefined ? undefined : dependencyKindOf(first.ref);
      if (first === undefined || kind === undefined) return;
      const type = knownType(kind);
      const { namespace } = first.ref;
      const listed = group.length > FEW ? await this.#list(type, namespace) : undefined;
      if (listed !== undefined) {
        for (const item of listed) state.dependencies.set(refKey(refOf(item)), item);
        return;
      }
      for (const { ref } of group) {
        const found = await this.find(type, namespace, ref.name).catch(denied);
        if (found === "Denied") {
          state.unreadable.add(refKey(ref));
          this.notes.add(
            `You may not read ${type.plural}${within(namespace)} on the hub: ${ref.kind} ${ref.name} is taken to stay as it is.`,
          );
        } else if (found !== undefined) state.dependencies.set(refKey(ref), found);
      }
    });
    // Stand-ins for unreadable dependencies: the same before and after, so that no change follows from them.
    for (const { ref } of unknown) {
      const { apiVersion, kind, namespace, name } = ref;
      if (!state.unreadable.has(refKey(ref))) continue;
      const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
      state.dependencies.set(refKey(ref), { apiVersion, kind, metadata });
    }
  }

  async #readNamespaces(state: PlannerHubState, names: readonly string[]): Promise<void> {
    const listed = names.length > FEW ? await this.#list(NAMESPACES, undefined) : undefined;
    if (listed !== undefined) {
      for (const { metadata } of listed) state.namespaces.set(metadata.name, metadata);
      return;
    }
    await atOnce(names, async (name) => {
      const found = await this.find(NAMESPACES, undefined, name).catch(denied);
      if (found === "Denied")
        this.notes.add(
          `You may not read the namespace ${name}: that its labels and annotations change nothing is assumed.`,
        );
      else if (found !== undefined) state.namespaces.set(name, found.metadata);
    });
  }

  /**
   * The hub's ID; empty if the person may not read it. Without the ID nothing can be compared with copies on members.
   */
  async #hubId(): Promise<string> {
    const found = await this.find(NAMESPACES, undefined, "kube-system").catch(denied);
    return found === "Denied" ? "" : (found?.metadata.uid ?? "");
  }

  async #policies(type: ResourceType, namespace: string | undefined): Promise<KubeObject[]> {
    const items = await this.#listInstalled(type, namespace);
    if (items !== undefined) return items;
    const otherwise = this.#fromFiles === undefined ? "" : `, or answer from files with \`${this.#fromFiles}\``;
    throw new CommandError(
      `your rights on the hub do not show ${type.plural}${within(namespace)}: what they decide would be a guess; ask its administrator for the right to list placements and overridepolicies there (group ${type.group})${otherwise}`,
    );
  }

  /** As {@link HubReader.#list}, for a kind of Meridian's own. */
  async #listInstalled(type: ResourceType, namespace?: string): Promise<KubeObject[] | undefined> {
    try {
      return await this.#list(type, namespace);
    } catch (error) {
      if (isMissing(error)) throw await notInstalled(type.plural, this.#hub, this.#signal);
      throw error;
    }
  }

  /** Undefined when the person may not list the kind. */
  async #list(type: ResourceType, namespace: string | undefined): Promise<KubeObject[] | undefined> {
    const kind = { apiVersion: apiVersionOf(type), kind: type.kind };
    const selected = {
      ...defined({ namespace }),
      ...(type === SECRETS ? { fieldSelector: NO_RELEASES } : {}),
    };
    try {
      const items = await listAll({ client: this.client, type, ...selected }, { signal: this.#signal });
      // The items of a list do not contain their kind.
      return items.map((item) => ({ ...item, ...kind }));
    } catch (error) {
      if (lacksRight(error)) return undefined;
      throw error;
    }
  }
}

function within(namespace: string | undefined): string {
  return namespace === undefined ? "" : ` in namespace ${namespace}`;
}

function denied(error: unknown): "Denied" {
  if (lacksRight(error)) return "Denied";
  throw error;
}

function absent(error: unknown): undefined {
  if (isMissing(error)) return undefined;
  throw error;
}
