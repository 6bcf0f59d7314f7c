import {
  crdNameOf,
  defined,
  kindKey,
  type KubeObject,
  type MemberCluster,
  type OverridePolicy,
  type OwnerRef,
  parseApiVersion,
  type Placement,
  refKey,
  refOf,
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
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  CLUSTERRESOURCEBINDINGS,
  CRDS,
  DEMOAPPLICATIONS,
  lacksRight,
  knownType,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  NAMESPACES,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  RESOURCEBINDINGS,
  type ResourceType,
  SECRETS,
} from "../../../runtime/index.ts";
import {
  allOf,
  atOnce,
  CommandError,
  type Connection,
  HubReader,
  type Listed,
  type ReadOptions,
  within,
} from "../../shared/index.ts";
import { declaredNeeds } from "./asks.ts";
import { type HiddenKind, hiddenNote } from "./hidden.ts";
import { put, type PlannerHubState } from "./hubState.ts";

/** Up to this many objects of one kind and namespace are read one by one; more are read as a list. */
const FEW = 4;
/** Helm keeps whole releases in Secrets; no object refers to them. */
const NO_RELEASES = "type!=helm.sh/release.v1";

/** Reads the facts for plans from a hub, with the rights of the person who asks. */
export class HubStateReader extends HubReader {
  readonly #scales: ScalePaths;
  readonly #fromFiles: string;

  /** `fromFiles`: the command that gives the same answer without a hub, for a person whose rights do not suffice. */
  constructor(hub: Connection, signal: AbortSignal, fromFiles: string) {
    super(hub, signal);
    this.#fromFiles = fromFiles;
    this.#scales = new ScalePaths({ client: hub.client, logger: createLogger({ level: "silent" }) });
  }

  /**
   * Cluster-scoped kinds that the person may not read become `hidden` in the state. Throws {@link CommandError} if the
   * person may not read a namespaced kind. `home`: the namespace if the rights reach no further.
   */
  async readPolicies(state: PlannerHubState, namespace: string | undefined, home?: string): Promise<void> {
    if (namespace === undefined && home !== undefined && (await this.listInstalled(PLACEMENTS)) === undefined) {
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
    const items = await this.listInstalled(type);
    if (items === undefined) hidden.add(kind);
    return items ?? [];
  }

  async readObjects(
    state: PlannerHubState,
    types: readonly ResourceType[],
    namespace: string | undefined,
  ): Promise<void> {
    for (const type of types) {
      if (namespace !== undefined && !type.namespaced) continue;
      const isOwn = isRendered({ apiVersion: apiVersionOf(type), kind: type.kind });
      const listed = await this.list(type, ofNamespace(type, namespace));
      if (listed === "NotServed" && isOwn) throw await this.notInstalled(type);
      if (listed === "Denied") this.noteDenied("list", type.plural, namespace, ", so none of them are considered.");
      for (const item of itemsOf(listed)) put(state, item);
    }
  }

  async readScales(state: PlannerHubState, types: readonly ResourceType[]): Promise<void> {
    await atOnce(types, async (type) => {
      const { scale } = await this.#scales.of(type, this.signal);
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
      const crd = await this.findReadable(CRDS, undefined, crdNameOf(type));
      if (crd !== "Denied") terms.set(name, kindTerms(type, crd?.metadata ?? "Gone"));
      else
        this.noteDenied(
          "read",
          `the CRD of ${type.plural}`,
          undefined,
          ": whether it holds deletions of them is not known.",
        );
    }
    state.kindTerms = terms;
  }

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

  /** Undefined if the person may not read the object. */
  async owner(owner: OwnerRef): Promise<{ exists: boolean; resourceVersion: string } | undefined> {
    const type = await this.typeOf(owner);
    if (type === undefined) return undefined;
    try {
      const { items, resourceVersion } = await this.client.list(type, {
        ...defined({ namespace: owner.namespace }),
        fieldSelector: `metadata.name=${owner.name}`,
        metadataOnly: true,
        signal: this.signal,
      });
      return { exists: items.some(({ metadata }) => metadata.uid === owner.uid), resourceVersion };
    } catch (error) {
      if (lacksRight(error)) return undefined;
      throw error;
    }
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
      const listed = await this.list(type, ofNamespace(type, home));
      if (listed === "Denied")
        this.noteDenied(
          "list",
          type.plural,
          home,
          ", so where objects that are sent as they are run now is not known.",
        );
      for (const item of itemsOf(listed)) put(state, item);
    }
  }

  /** A dependency that the person may not read is noted, and counts as unchanged. */
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
      const listed = group.length > FEW ? await this.list(type, ofNamespace(type, namespace)) : "Denied";
      if (listed !== "Denied") {
        for (const item of itemsOf(listed)) state.dependencies.set(refKey(refOf(item)), item);
        return;
      }
      for (const { ref } of group) {
        const found = await this.findReadable(type, namespace, ref.name);
        if (found === "Denied") {
          state.unreadable.add(refKey(ref));
          const consequence = `: ${ref.kind} ${ref.name} is taken to stay as it is.`;
          this.noteDenied("read", type.plural, namespace, consequence);
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
    const listed = names.length > FEW ? await this.list(NAMESPACES) : "Denied";
    if (listed !== "Denied") {
      for (const { metadata } of itemsOf(listed)) state.namespaces.set(metadata.name, metadata);
      return;
    }
    await atOnce(names, async (name) => {
      const found = await this.findReadable(NAMESPACES, undefined, name);
      if (found === "Denied")
        this.noteDenied(
          "read",
          `the namespace ${name}`,
          undefined,
          ": that its labels and annotations change nothing is assumed.",
        );
      else if (found !== undefined) state.namespaces.set(name, found.metadata);
    });
  }

  /** Empty if the person may not read it: then copies on members cannot be recognised. */
  async #hubId(): Promise<string> {
    const found = await this.findReadable(NAMESPACES, undefined, "kube-system");
    return found === "Denied" ? "" : (found?.metadata.uid ?? "");
  }

  async #policies(type: ResourceType, namespace: string | undefined): Promise<KubeObject[]> {
    const items = await this.listInstalled(type, defined({ namespace }));
    if (items !== undefined) return items;
    throw new CommandError(
      `your rights on the hub do not show ${type.plural}${within(namespace)}: what they decide would be a guess; ask its administrator for the right to list placements and overridepolicies there (group ${type.group}), or answer from files with \`${this.#fromFiles}\``,
    );
  }
}

function ofNamespace(type: ResourceType, namespace: string | undefined): ReadOptions {
  return { ...defined({ namespace }), ...(type === SECRETS ? { fieldSelector: NO_RELEASES } : {}) };
}

/** A kind that the hub does not serve, or does not show, has no objects for this reader. */
function itemsOf(listed: Listed): KubeObject[] {
  return typeof listed === "string" ? [] : listed;
}
