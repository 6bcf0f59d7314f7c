import { FIELD_MANAGER, type KubeObject, MANAGED_BY_LABEL, OWNER_ANNOTATION } from "../../apis/index.ts";
import { memberRights } from "../../hub/index.ts";
import { type GrantedKind, POWERFUL_GROUPS } from "./grantedKinds.ts";
import { JOINED_TO_LABEL, type MemberAccess } from "./memberAccess.ts";

/**
 * The ValidatingAdmissionPolicy for a hub's account on a member: limits on writes that RBAC cannot express. The account
 * writes only the hub's own objects, none in protected namespaces, no service account tokens, and no kinds that give
 * power. Admission does not see reads. Pure.
 */

const API_GROUP = "admissionregistration.k8s.io";
const API_VERSION = `${API_GROUP}/v1`;

/** Reviews are sent as writes and store nothing. */
const QUESTIONS = ["authentication.k8s.io", "authorization.k8s.io"];
const TOKEN_TYPES = ["bootstrap.kubernetes.io/token", "kubernetes.io/service-account-token"];
const TOKEN_ANNOTATION = "kubernetes.io/service-account.name";
/** Every cluster makes these for itself. */
const OF_THE_CLUSTER = [
  "services/kubernetes",
  "endpoints/kubernetes",
  "endpointslices/kubernetes",
  "serviceaccounts/default",
  "configmaps/kube-root-ca.crt",
];

/** The policy and its binding, which the ClusterRole of join owns. */
export function accessGuard(access: MemberAccess, clusterRoleUid: string): KubeObject[] {
  const { name, hubId } = access;
  const owner = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name, uid: clusterRoleUid };
  const metadata = { name, labels: { [JOINED_TO_LABEL]: hubId }, ownerReferences: [owner] };
  return [
    {
      apiVersion: API_VERSION,
      kind: "ValidatingAdmissionPolicy",
      metadata,
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          resourceRules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"], scope: "*" }],
        },
        matchConditions: [
          { name: "account-of-the-hub", expression: `request.userInfo.username == ${text(userOf(access))}` },
          { name: "not-everyday", expression: `!${everyday(access)}` },
        ],
        variables: variables(access),
        validations: validations(access),
      },
    },
    {
      apiVersion: API_VERSION,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata,
      spec: { policyName: name, validationActions: ["Deny"] },
    },
  ];
}

/** User name of the account on a member. */
export function userOf({ namespace, name }: MemberAccess): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/**
 * Condition for writes that every validation accepts, as nearly all are. Evaluated first, because an API server
 * prepares the object anew for each part of a policy: a write costs the server a sixth less. Conditions cannot use
 * variables.
 */
function everyday(access: MemberAccess): string {
  const { hubId, namespaces } = access;
  const [group, resource] = ["request.resource.group", "request.resource.resource"];
  return all(
    'has(request.namespace) && request.namespace != "" && !request.namespace.startsWith("kube-")',
    `!(request.namespace in ${list(named(access))})`,
    ...(namespaces === undefined ? [] : [`request.namespace in ${list(namespaces)}`]),
    '(!has(request.subResource) || request.subResource == "")',
    `!(${resource} in ["namespaces","secrets"]) && !(${group} in ${list(POWERFUL_GROUPS)})`,
    any('request.operation == "DELETE"', marked("object", hubId)),
    any('request.operation == "CREATE"', marked("oldObject", hubId)),
  );
}

/** Protected namespaces beside `kube-*`. */
function named({ namespace, protectedNamespaces = [] }: MemberAccess): string[] {
  return [...new Set([namespace, ...protectedNamespaces])].filter((one) => !one.startsWith("kube-"));
}

function variables({ namespace, name, hubId }: MemberAccess): { name: string; expression: string }[] {
  return [
    { name: "group", expression: "request.resource.group" },
    { name: "resource", expression: "request.resource.resource" },
    { name: "name", expression: 'has(request.name) ? request.name : ""' },
    { name: "subresource", expression: 'has(request.subResource) ? request.subResource : ""' },
    {
      name: "place",
      expression: [
        'variables.group == "" && variables.resource == "namespaces"',
        '? (variables.name != "" ? variables.name : (object != null && has(object.metadata.name) ? object.metadata.name : ""))',
        ': (has(request.namespace) ? request.namespace : "")',
      ].join(" "),
    },
    {
      // The account may renew its token and remove itself.
      name: "own",
      expression: any(
        all(
          'request.operation == "CREATE"',
          'variables.group == "" && variables.resource == "serviceaccounts" && variables.subresource == "token"',
          `variables.place == ${text(namespace)}`,
          `variables.name == ${text(name)}`,
        ),
        all(
          'request.operation == "DELETE"',
          any(
            `variables.resource == "namespaces" && variables.name == ${text(namespace)}`,
            `variables.resource in ["clusterroles", "serviceaccounts"] && variables.name == ${text(name)} && variables.place in ["", ${text(namespace)}]`,
          ),
        ),
      ),
    },
    { name: "marked", expression: marked("object", hubId) },
    {
      name: "wasMarked",
      expression: `oldObject != null && has(oldObject.metadata) && ${any(labelled("oldObject", hubId), annotated("oldObject"))}`,
    },
  ];
}

function validations(access: MemberAccess): object[] {
  const { hubId, namespaces, kinds = [] } = access;
  const questions = `variables.group in ${list(QUESTIONS)}`;
  return [
    {
      expression: any(
        "variables.own",
        `!(variables.place.startsWith("kube-") || variables.place in ${list(named(access))})`,
        ...allowedInProtected(access),
      ),
      message:
        "a hub writes nothing into a protected namespace: kube-*, but for what join --allow-protected names, Meridian's own, and those of join --protected-namespace",
    },
    ...(namespaces === undefined
      ? []
      : [
          {
            expression: any("variables.own", questions, `variables.place in ${list(namespaces)}`),
            message: "a hub writes only into the namespaces that were granted to it",
          },
        ]),
    {
      expression: any("variables.own", 'variables.subresource == ""', questions),
      message: "a hub writes whole objects, and asks for no token but its own",
    },
    {
      expression: any(
        'variables.group != "" || variables.resource != "secrets" || object == null',
        all(
          `!(has(object.type) && object.type in ${list(TOKEN_TYPES)})`,
          `!(has(object.metadata.annotations) && ${text(TOKEN_ANNOTATION)} in object.metadata.annotations)`,
        ),
      ),
      message: "a hub writes no Secret that holds the token of a service account",
    },
    {
      expression: any("variables.own", powerless(kinds)),
      message: "a hub writes nothing that gives rights or changes the API",
    },
    {
      expression: any(
        "variables.own",
        questions,
        "variables.marked",
        'request.operation in ["UPDATE", "DELETE"] && variables.wasMarked',
      ),
      message: `a hub writes only objects with its label ${MANAGED_BY_LABEL}=${hubId}`,
    },
    {
      expression: any('request.operation != "UPDATE"', "variables.own", questions, "variables.wasMarked", adoptable()),
      message: "a hub writes nothing over what belongs to the cluster, to another hub or to a controller",
    },
  ].map((validation) => ({ ...validation, reason: "Forbidden" }));
}

/** Never the namespace object itself, nor namespaces that are protected by name. */
function allowedInProtected(access: MemberAccess): string[] {
  const { allowProtected = [], namespace, protectedNamespaces = [] } = access;
  if (allowProtected.length === 0) return [];
  const kind = 'variables.resource + (variables.group == "" ? "" : "." + variables.group)';
  return [
    all(
      `!(variables.place in ${list([namespace, ...protectedNamespaces])})`,
      `(variables.place + "/" + ${kind}) in ${list(allowProtected)}`,
      'variables.resource != "namespaces"',
    ),
  ];
}

function powerless(kinds: readonly GrantedKind[]): string {
  const granted = memberRights(kinds).flatMap(({ apiGroups, resources }) =>
    apiGroups
      .filter((group) => POWERFUL_GROUPS.includes(group))
      .flatMap((group) => resources.map((resource) => `${group}/${resource}`)),
  );
  const forbidden = `!(variables.group in ${list(POWERFUL_GROUPS)})`;
  return granted.length === 0
    ? forbidden
    : any(forbidden, `(variables.group + "/" + variables.resource) in ${list(granted)}`);
}

/**
 * Objects of others that a Placement may adopt. Meridian itself never adopts the ones excluded here. Whoever labels a
 * Namespace could delete it with its content, or open it to privileged pods.
 */
function adoptable(): string {
  const metadata = "oldObject.metadata";
  const [labels, annotations] = [`${metadata}.labels`, `${metadata}.annotations`];
  const applied = `one.manager == ${text(FIELD_MANAGER)} && one.operation == "Apply"`;
  return all(
    "oldObject != null && has(oldObject.metadata)",
    '!(variables.group == "" && variables.resource == "namespaces")',
    `!((variables.resource + "/" + variables.name) in ${list(OF_THE_CLUSTER)})`,
    `!(variables.name.startsWith("system:") || variables.name.startsWith("system-"))`,
    `!(has(${labels}) && (${text(JOINED_TO_LABEL)} in ${labels} || "kubernetes.io/bootstrapping" in ${labels}))`,
    `!(has(${annotations}) && "apf.kubernetes.io/autoupdate-spec" in ${annotations})`,
    `!(has(${labels}) && ${text(MANAGED_BY_LABEL)} in ${labels} && has(${metadata}.managedFields) && ${metadata}.managedFields.exists(one, ${applied}))`,
    `!(has(${metadata}.ownerReferences) && ${metadata}.ownerReferences.exists(one, has(one.controller) && one.controller))`,
  );
}

function marked(object: string, hubId: string): string {
  return all(`${object} != null`, `has(${object}.metadata)`, labelled(object, hubId));
}

function labelled(object: string, hubId: string): string {
  const labels = `${object}.metadata.labels`;
  return `(has(${labels}) && ${text(MANAGED_BY_LABEL)} in ${labels} && ${labels}[${text(MANAGED_BY_LABEL)}] == ${text(hubId)})`;
}

/** If somebody took the label off, the annotation still names the owner. */
function annotated(object: string): string {
  const [labels, annotations] = [`${object}.metadata.labels`, `${object}.metadata.annotations`];
  return all(
    `has(${annotations}) && ${text(OWNER_ANNOTATION)} in ${annotations}`,
    `!(has(${labels}) && ${text(MANAGED_BY_LABEL)} in ${labels})`,
  );
}

const any = (...terms: string[]): string => `(${terms.join(" || ")})`;
const all = (...terms: string[]): string => `(${terms.join(" && ")})`;

/** CEL accepts JSON's syntax for strings and lists. */
const text = (value: string): string => JSON.stringify(value);
const list = (values: readonly string[]): string => JSON.stringify(values);
