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

/** Of one kind and namespace, so many are read one by one; more of them as a list. */
const FEW = 4;
/** Helm keeps whole releases in Secrets; no object refers to them. */
const NO_RELEASES = "type!=helm.sh/release.v1";

/** Reads what plans rest on from a hub, with the rights of the person who asks. */
export class HubReader {
  /** What the rights did not show, a sentence each. */
  readonly notes = new Set<string>();
  readonly #hub: Connection;
  readonly #signal: AbortSignal;
  readonly #discovery: Discovery;
  readonly #scales: ScalePaths;
  readonly #fromFiles: string | undefined;

  /** `fromFiles`: the command that answers the same without a hub, for whose rights do not suffice. */
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
   * Every policy and cluster that has a say in objects of that namespace; without one, in any, or where the rights do not go that far, of `home`.
   * What of the whole hub the person may not read is `hidden` in that state. Throws {@link CommandError} where it is a kind of the namespace.
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

  /** The objects of the kinds, as far as the rights go. */
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

  /** Where the custom ones of these kinds keep their replicas: their CRDs say it. */
  async readScales(state: PlannerHubState, types: readonly ResourceType[]): Promise<void> {
    await atOnce(types, async (type) => {
      const { scale } = await this.#scales.of(type, this.#signal);
      if (scale !== undefined) state.scales.set(kindKey(type), scale);
    });
  }

  /** What the CRDs of kinds say of deletions, where something of the kind is being deleted: drained clusters, and objects among these. */
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

  /** Every kind whose objects are placed: those that Meridian renders, and those that policies select. */
  async placedKinds(policies: readonly Placement[]): Promise<ResourceType[]> {
    const types = new Map([[kindKey(DEMOAPPLICATIONS), DEMOAPPLICATIONS]]);
    // An older installation has none.
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

  /** {@link CommandError} for an object that is not there, because the hub does not serve its kind; undefined when it does. */
  async notServed(type: ResourceType): Promise<CommandError | undefined> {
    const served = await this.typeOf({ apiVersion: apiVersionOf(type), kind: type.kind });
    return served === undefined ? await notInstalled(type.plural, this.#hub, this.#signal) : undefined;
  }

  /** A kind as a person names it, singular, plural or short; `group` where they name that too. */
  async typeNamed(kind: string, group: string | undefined): Promise<ResourceType | undefined> {
    const served = await this.#discovery.list();
    const found = served.find(
      (one) =>
        (one.kind.toLowerCase() === kind || one.plural === kind || one.shortNames?.includes(kind) === true) &&
        (group === undefined || one.group === group),
    );
    return found === undefined ? undefined : knownType(found);
  }

  /** Whether that life of an object is on the hub now, and at which state of the hub; undefined: nobody here may say. */
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

  /** The object as it stands on the hub; undefined when it is not there. */
  async find(type: ResourceType, namespace: string | undefined, name: string): Promise<KubeObject | undefined> {
    const found = await find(this.client, type, namespace, name, this.#signal);
    return found === undefined ? undefined : { ...found, apiVersion: apiVersionOf(type), kind: type.kind };
  }

  /** Labels and annotations of these namespaces, and what bindings say of objects there that are sent as they are. */
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

  /** What the objects need beside them. What the person may not read is noted, and taken to stay as it is. */
  async readDependencies(state: PlannerHubState, objects: readonly KubeObject[]): Promise<void> {
    const wanted = new Map<string, Dependency>();
    for (const object of objects) for (const one of declaredNeeds(state, object)) wanted.set(refKey(one.ref), one);
    await this.#readAll(state, [...wanted.values()]);
    // What these need in their turn is known only now.
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
    // In place of what nobody may see here: the same before and after, so that nothing follows from it.
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

  /** Empty where the person may not read it: then nothing can be compared with what members hold. */
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

  /** As {@link HubReader.#list}, of a kind of Meridian's own. */
  async #listInstalled(type: ResourceType, namespace?: string): Promise<KubeObject[] | undefined> {
    try {
      return await this.#list(type, namespace);
    } catch (error) {
      if (isMissing(error)) throw await notInstalled(type.plural, this.#hub, this.#signal);
      throw error;
    }
  }

  /** Undefined when the person may not list them. */
  async #list(type: ResourceType, namespace: string | undefined): Promise<KubeObject[] | undefined> {
    const kind = { apiVersion: apiVersionOf(type), kind: type.kind };
    const selected = {
      ...defined({ namespace }),
      ...(type === SECRETS ? { fieldSelector: NO_RELEASES } : {}),
    };
    try {
      const items = await listAll({ client: this.client, type, ...selected }, { signal: this.#signal });
      // The items of a list do not say of what kind they are.
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
