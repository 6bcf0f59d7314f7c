import {
  FIELD_MANAGER,
  type KubeObject,
  MANAGED_BY_LABEL,
  type OwnerReference,
  OWNER_ANNOTATION,
} from "../../apis/index.ts";
import { memberRights } from "../../hub/index.ts";
import { type GrantedKind, POWERFUL_GROUPS } from "./grantedKinds.ts";
import { JOINED_TO_LABEL, type MemberAccess } from "./memberAccess.ts";

/**
 * What RBAC cannot say of a hub's account on a member: a ValidatingAdmissionPolicy, which join makes and unjoin removes. The policy is about
 * that one account. It keeps the account's writes out of protected namespaces, away from tokens of service accounts and from whatever
 * gives power, and to the hub's own objects. Reading is beyond any admission. Pure: only values come in and go out.
 */

const API_GROUP = "admissionregistration.k8s.io";
const API_VERSION = `${API_GROUP}/v1`;

/** Questions about oneself are written, and store nothing. */
const QUESTIONS = ["authentication.k8s.io", "authorization.k8s.io"];
const TOKEN_TYPES = ["bootstrap.kubernetes.io/token", "kubernetes.io/service-account-token"];
const TOKEN_ANNOTATION = "kubernetes.io/service-account.name";
/** What a cluster makes for itself, and makes again, by resource and name. */
const OF_THE_CLUSTER = [
  "services/kubernetes",
  "endpoints/kubernetes",
  "endpointslices/kubernetes",
  "serviceaccounts/default",
  "configmaps/kube-root-ca.crt",
];

/** Both objects, owned by the ClusterRole of join, in the order of creation. */
export function accessGuard(access: MemberAccess, clusterRoleUid: string): KubeObject[] {
  const { name, hubId } = access;
  const owner: OwnerReference = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    name,
    uid: clusterRoleUid,
  };
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

/** The name under which a member knows the account. */
export function userOf({ namespace, name }: MemberAccess): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/**
 * Writes that every validation lets through, as nearly all are. Said once more as a condition, since an API server prepares the object anew
 * for each part of a policy: asked this first, a write costs the server a sixth less (an update by apply, Kubernetes 1.35). Conditions know no
 * variables.
 */
function everyday(access: MemberAccess): string {
  const { hubId, namespaces } = access;
  const { group, resource } = { group: "request.resource.group", resource: "request.resource.resource" };
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

/** The protected namespaces beside those of Kubernetes. */
function named({ namespace, protectedNamespaces = [] }: MemberAccess): string[] {
  return [...new Set([namespace, ...protectedNamespaces])].filter((one) => !one.startsWith("kube-"));
}

interface Named {
  name: string;
  expression: string;
}

function variables({ namespace, name, hubId }: MemberAccess): Named[] {
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
      // To renew its token, and to remove itself.
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

/** Of a namespace itself nothing is allowed, nor of the namespaces that are protected by name. */
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

/** Kinds of powerful groups that Meridian is to place are granted by name, and so here. */
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
 * What another has, and a hub may take over where a Placement says so: the same as Meridian itself never takes over is left out. A namespace is
 * never taken over: whoever has labelled one could delete it with all that is in it, or open it to privileged pods.
 */
function adoptable(): string {
  const { metadata, labels } = { metadata: "oldObject.metadata", labels: "oldObject.metadata.labels" };
  const annotations = `${metadata}.annotations`;
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

/** Somebody took the label off: the annotation says still whose the object is. */
function annotated(object: string): string {
  const { annotations, labels } = {
    annotations: `${object}.metadata.annotations`,
    labels: `${object}.metadata.labels`,
  };
  return all(
    `has(${annotations}) && ${text(OWNER_ANNOTATION)} in ${annotations}`,
    `!(has(${labels}) && ${text(MANAGED_BY_LABEL)} in ${labels})`,
  );
}

function any(...terms: string[]): string {
  return `(${terms.join(" || ")})`;
}

function all(...terms: string[]): string {
  return `(${terms.join(" && ")})`;
}

/** CEL reads JSON's strings and lists. */
function text(value: string): string {
  return JSON.stringify(value);
}

function list(values: readonly string[]): string {
  return JSON.stringify(values);
}
