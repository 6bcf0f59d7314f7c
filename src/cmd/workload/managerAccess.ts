import { crdNameOf, FEDERATION_GROUP, KINDS, type KubeObject, PAAS_GROUP } from "../../apis/index.ts";
import { rightsOn } from "../../hub/index.ts";
import { renderedHubKinds, renderedMemberKinds } from "../../interpreter/index.ts";

/**
 * The account of a manager that is installed without the chart. test/chart/managerAccess.test.ts compares the rights
 * with the chart's.
 */

/** Labels of every object that install makes: uninstall removes only objects with these labels. */
export const INSTALLED_LABELS = {
  "app.kubernetes.io/managed-by": "meridian-install",
  "app.kubernetes.io/part-of": "meridian",
} as const;
export const INSTALLED_SELECTOR = Object.entries(INSTALLED_LABELS)
  .map(([key, value]) => `${key}=${value}`)
  .join(",");

export function isInstalled({ metadata }: Pick<KubeObject, "metadata">): boolean {
  return Object.entries(INSTALLED_LABELS).every(([key, value]) => metadata.labels?.[key] === value);
}

/** Name of the ServiceAccount, and of the role and binding in its namespace. */
export const MANAGER_ACCOUNT = "meridian-manager";

export interface ManagerAccess {
  /** Meridian's own namespace on the hub. */
  namespace: string;
  leaseName: string;
  /** Name of the webhook configurations; absent: the manager serves no webhooks. */
  webhookConfiguration?: string;
  localMember: boolean;
  /** Namespaces whose Secrets applications may refer to. */
  secretsOf: readonly string[];
  /** Kinds that policies place, besides Meridian's own. */
  kinds?: readonly HubKindAccess[];
}

export interface HubKindAccess {
  group: string;
  plural: string;
  /** True if `aggregateStatus` writes into the status of these objects. */
  status: boolean;
}

/** A rule of RBAC. */
export interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

const RBAC = "rbac.authorization.k8s.io";
const FOLLOW = ["list", "watch"];
const BINDINGS = ["clusterresourcebindings", "resourcebindings"];
const POLICIES = ["clusteroverridepolicies", "clusterplacements", "overridepolicies", "placements"];

/** Cluster-scoped names contain the namespace, so that two installations on one hub do not share objects. */
export function clusterRoleName({ namespace }: Pick<ManagerAccess, "namespace">): string {
  return `${MANAGER_ACCOUNT}-${namespace}`;
}

export function installedNamespace(name: string): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { ...INSTALLED_LABELS } } };
}

/** All objects except the namespace, in the order of creation. */
export function managerObjects(access: ManagerAccess): KubeObject[] {
  const { namespace, secretsOf } = access;
  const account = {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: MANAGER_ACCOUNT, namespace, labels: { ...INSTALLED_LABELS } },
    automountServiceAccountToken: false,
  };
  const secrets: PolicyRule[] = [{ apiGroups: [""], resources: ["secrets"], verbs: FOLLOW }];
  return [
    account,
    ...roleAndBinding("ClusterRole", { name: clusterRoleName(access) }, clusterRules(access), namespace),
    ...roleAndBinding("Role", { name: MANAGER_ACCOUNT, namespace }, namespaceRules(access), namespace),
    ...secretsOf.flatMap((team) =>
      roleAndBinding("Role", { name: `${clusterRoleName(access)}-secrets`, namespace: team }, secrets, namespace),
    ),
    ...tenantRoles(access),
  ];
}

/**
 * Adds Meridian's kinds to Kubernetes' `view`, `edit` and `admin`. Members and cluster-scoped policies belong to the
 * platform alone, and no role may delete a whole collection.
 */
function tenantRoles(access: ManagerAccess): KubeObject[] {
  const policies = { apiGroups: [FEDERATION_GROUP], resources: ["manifestbundles", "overridepolicies", "placements"] };
  const applications = (...resources: string[]) => ({ apiGroups: [PAAS_GROUP], resources });
  const [read, write] = [
    ["get", "list", "watch"],
    ["create", "delete", "patch", "update"],
  ] as const;
  const role = (name: "view" | "edit", into: readonly string[], rules: PolicyRule[]): KubeObject => ({
    apiVersion: `${RBAC}/v1`,
    kind: "ClusterRole",
    metadata: {
      name: `${clusterRoleName(access)}-${name}`,
      labels: {
        ...INSTALLED_LABELS,
        ...Object.fromEntries(into.map((one) => [`${RBAC}/aggregate-to-${one}`, "true"])),
      },
    },
    rules,
  });
  return [
    role(
      "view",
      ["view"],
      [
        { ...applications("demoapplications"), verbs: [...read] },
        { ...applications("demoapplications/scale", "demoapplications/status"), verbs: ["get"] },
        { apiGroups: [FEDERATION_GROUP], resources: ["resourcebindings"], verbs: [...read] },
        { ...policies, verbs: [...read] },
      ],
    ),
    role(
      "edit",
      ["edit", "admin"],
      [
        { ...applications("demoapplications"), verbs: [...write] },
        { ...applications("demoapplications/scale"), verbs: ["patch", "update"] },
        { ...policies, verbs: [...write] },
      ],
    ),
  ];
}

function roleAndBinding(
  kind: "ClusterRole" | "Role",
  name: { name: string; namespace?: string },
  rules: PolicyRule[],
  accountNamespace: string,
): KubeObject[] {
  const metadata = { ...name, labels: { ...INSTALLED_LABELS } };
  return [
    { apiVersion: `${RBAC}/v1`, kind, metadata, rules },
    {
      apiVersion: `${RBAC}/v1`,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: RBAC, kind, name: name.name },
      subjects: [{ kind: "ServiceAccount", namespace: accountNamespace, name: MANAGER_ACCOUNT }],
    },
  ];
}

function clusterRules({ webhookConfiguration, localMember, kinds = [] }: ManagerAccess): PolicyRule[] {
  const written = kinds.filter(({ status }) => status);
  return [
    ...rightsOn(renderedHubKinds(), [...FOLLOW, "patch"]),
    { apiGroups: [FEDERATION_GROUP], resources: ["memberclusters"], verbs: [...FOLLOW, "patch"] },
    { apiGroups: [FEDERATION_GROUP], resources: POLICIES, verbs: FOLLOW },
    // The manager creates bindings by server-side apply.
    { apiGroups: [FEDERATION_GROUP], resources: BINDINGS, verbs: [...FOLLOW, "create", "patch", "delete"] },
    ...rightsOn(
      renderedHubKinds().map((kind) => ({ ...kind, plural: `${kind.plural}/status` })),
      ["patch"],
    ),
    {
      apiGroups: [FEDERATION_GROUP],
      resources: ["memberclusters", ...BINDINGS, ...POLICIES].toSorted().map((plural) => `${plural}/status`),
      verbs: ["patch"],
    },
    { apiGroups: ["apps"], resources: ["controllerrevisions"], verbs: ["get", "list", "create", "delete"] },
    // The UID of kube-system is the hub's identity. Labels and annotations of a namespace limit the applications in it.
    { apiGroups: [""], resources: ["namespaces"], verbs: ["get", ...FOLLOW] },
    { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
    // To find out if an object of any kind is being deleted because its kind is being deleted.
    { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get"] },
    // Dependencies that go along with objects. Secrets are granted namespace by namespace.
    { apiGroups: [""], resources: ["configmaps", "persistentvolumeclaims", "serviceaccounts"], verbs: FOLLOW },
    // The query API asks who sends a query, and what the hub lets this user read.
    { apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews", "tokenreviews"], verbs: ["create"] },
    { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
    ...rightsOn(kinds, ["get", ...FOLLOW, "patch"]),
    ...rightsOn(
      written.map(({ group, plural }) => ({ group, plural: `${plural}/status` })),
      ["patch"],
    ),
    ...(webhookConfiguration === undefined ? [] : webhookRules(webhookConfiguration)),
    ...(localMember ? localRules() : []),
  ];
}

function webhookRules(configuration: string): PolicyRule[] {
  const crds = { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"] };
  const ofSeveralVersions = KINDS.filter(({ versions }) => versions.length > 1);
  return [
    // The manager creates its webhook configurations by server-side apply, which RBAC can limit to one name.
    {
      apiGroups: ["admissionregistration.k8s.io"],
      resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
      resourceNames: [configuration],
      verbs: [...FOLLOW, "create", "patch"],
    },
    // The URL and CA bundle of the conversion webhook, in Meridian's own CRDs only.
    { ...crds, resourceNames: KINDS.map(crdNameOf).toSorted(), verbs: [...FOLLOW, "patch"] },
    // Written once every object is stored in the present version.
    {
      apiGroups: crds.apiGroups,
      resources: ["customresourcedefinitions/status"],
      resourceNames: ofSeveralVersions.map(crdNameOf).toSorted(),
      verbs: ["patch"],
    },
  ];
}

/** Kinds that applications become on the hub itself. Their ConfigMaps and Secrets are already on the hub. */
function localRules(): PolicyRule[] {
  return [
    ...rightsOn(renderedMemberKinds(), ["get", ...FOLLOW, "create", "patch", "delete"]),
    { apiGroups: [""], resources: ["nodes", "pods"], verbs: ["list"] },
  ];
}

function namespaceRules({ leaseName, webhookConfiguration }: ManagerAccess): PolicyRule[] {
  const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
  return [
    { apiGroups: [""], resources: ["secrets"], verbs: ["get", ...FOLLOW, "patch"] },
    // The webhooks' authority. RBAC cannot restrict a create to a name.
    ...(webhookConfiguration === undefined ? [] : [{ apiGroups: [""], resources: ["secrets"], verbs: ["create"] }]),
    { ...leases, resourceNames: [leaseName], verbs: ["get", ...FOLLOW, "patch"] },
    { ...leases, verbs: ["create"] },
  ];
}
