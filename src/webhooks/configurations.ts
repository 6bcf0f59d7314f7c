import {
  FEDERATION_GROUP,
  FEDERATION_VERSION,
  FIRST_RECORD_ANNOTATION,
  isBinding,
  type KindDefinition,
  KINDS,
  type KubeObject,
  PAAS_GROUP,
  ROLLOUT_APPROVALS_ANNOTATION,
  sameValue,
  trimEnd,
} from "../apis/index.ts";
/** Address at which the API server reaches the webhooks: a Service of its cluster, or a URL. */
export type WebhookTarget =
  | { kind: "Service"; namespace: string; name: string; port: number }
  /** `https://host:port`, without a path. */
  | { kind: "Url"; url: string };

export const PATHS = { approve: "/approve", convert: "/convert", mutate: "/mutate", validate: "/validate" } as const;

export interface ClientConfig {
  service?: { namespace: string; name: string; path: string; port: number };
  url?: string;
  /** Base64. */
  caBundle?: string;
}

export function clientConfigOf(target: WebhookTarget, path: string, caBundle: string | undefined): ClientConfig {
  const bundle = caBundle === undefined ? {} : { caBundle: Buffer.from(caBundle).toString("base64") };
  if (target.kind === "Url") return { url: `${trimEnd(target.url, "/")}${path}`, ...bundle };
  const { namespace, name, port } = target;
  return { service: { namespace, name, path, port }, ...bundle };
}

/** Names that the certificate must have, so that the API server accepts it for the target. */
export function hostsOf(target: WebhookTarget): string[] {
  if (target.kind === "Url") return [new URL(target.url).hostname.replace(/^\[|\]$/g, "")];
  const { namespace, name } = target;
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`, `${name}.${namespace}`, name];
}

interface Webhook {
  name: string;
  [field: string]: unknown;
}

/**
 * Match condition: no call for an update that changes neither spec, labels nor annotations. The manager's own writes
 * are such updates, so the manager never waits for its own webhooks: not at a first start, not with wrong certificates,
 * not beside another release. Its other requests are judged like anybody's.
 */
const MEANINGFUL = {
  name: "meaningful-changes",
  expression: [
    "request.operation != 'UPDATE'",
    "!has(object.spec) || !has(oldObject.spec) || object.spec != oldObject.spec",
    differs("labels"),
    annotationsDiffer(),
  ].join(" || "),
};

function differs(field: string): string {
  const both = `(has(object.metadata.${field}) && has(oldObject.metadata.${field}) && object.metadata.${field} != oldObject.metadata.${field})`;
  return `has(object.metadata.${field}) != has(oldObject.metadata.${field}) || ${both}`;
}

/**
 * Without the record of an object's clusters, written with the finalizer, and the approvals, which have {@link
 * APPROVING}.
 */
function annotationsDiffer(): string {
  const [now, before] = ["object", "oldObject"].map(
    (one) => `(has(${one}.metadata.annotations) ? ${one}.metadata.annotations : {})`,
  );
  const others = `!(key in ['${FIRST_RECORD_ANNOTATION}', '${ROLLOUT_APPROVALS_ANNOTATION}'])`;
  return [
    `${now}.exists(key, ${others} && !(key in ${before} && ${before}[key] == ${now}[key]))`,
    `${before}.exists(key, ${others} && !(key in ${now}))`,
  ].join(" || ");
}

/**
 * Match condition: the request adds or changes approvals of a rollout. Whole values are compared, since one value in
 * JSON can be written in many ways.
 */
const APPROVING = {
  name: "rollout-approvals",
  expression: (() => {
    const [now, before] = ["object", "oldObject"].map(
      (one) =>
        `(has(${one}.metadata.annotations) && '${ROLLOUT_APPROVALS_ANNOTATION}' in ${one}.metadata.annotations ? ${one}.metadata.annotations['${ROLLOUT_APPROVALS_ANNOTATION}'] : '')`,
    );
    return `${now} != '' && (request.operation == 'CREATE' || ${now} != ${before})`;
  })(),
};

/** The webhook must not hold up the namespaces of the system itself. */
const NOT_SYSTEM = {
  matchExpressions: [
    { key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["kube-system", "kube-node-lease"] },
  ],
};

const COMMON = { admissionReviewVersions: ["v1"], sideEffects: "None", matchPolicy: "Equivalent" } as const;

/** Long enough for a manager that pauses, short enough for a person who waits. */
const TIMEOUT_SECONDS = 5;
/** Everybody waits this long for a call whose failure is ignored. */
const IGNORED_TIMEOUT_SECONDS = 2;

/** Teams deploy bundles, so they are judged like applications, not like policies. */
const BUNDLES = "manifestbundles";

const federationKinds = KINDS.filter((kind) => kind.group === FEDERATION_GROUP && kind.plural !== BUNDLES);
const policies = federationKinds.filter((kind) => !isBinding(kind)).map(({ plural }) => plural);
const bindings = federationKinds.filter((kind) => isBinding(kind)).map(({ plural }) => plural);

interface Rule {
  apiGroups: string[];
  apiVersions: string[];
  resources: string[];
  operations: string[];
  scope: string;
}

function rule(group: string, version: string, resources: string[], ...operations: string[]): Rule {
  return { apiGroups: [group], apiVersions: [version], resources, operations, scope: "*" };
}

const applications = (resources: string[], ...operations: string[]): Rule =>
  rule(PAAS_GROUP, "v1", resources, ...operations);
const bundles = (...operations: string[]): Rule => rule(FEDERATION_GROUP, FEDERATION_VERSION, [BUNDLES], ...operations);
const federation = (...operations: string[]): Rule =>
  rule(FEDERATION_GROUP, FEDERATION_VERSION, policies, ...operations);

/** A failed call is ignored: the manager sets the finalizer itself, and the schema still refuses invalid objects. */
function mutating(target: WebhookTarget, caBundle: string | undefined): Webhook[] {
  return [
    {
      name: `defaulting.${PAAS_GROUP}`,
      ...COMMON,
      clientConfig: clientConfigOf(target, PATHS.mutate, caBundle),
      rules: [
        applications(["demoapplications"], "CREATE", "UPDATE"),
        bundles("CREATE", "UPDATE"),
        federation("CREATE", "UPDATE"),
      ],
      matchConditions: [MEANINGFUL],
      failurePolicy: "Ignore",
      reinvocationPolicy: "Never",
      timeoutSeconds: IGNORED_TIMEOUT_SECONDS,
    },
  ];
}

/** Nobody approves a stage in another person's name. Status and scale cannot change an annotation. */
function approvals(target: WebhookTarget, caBundle: string | undefined): Webhook {
  return {
    name: `approvals.${PAAS_GROUP}`,
    ...COMMON,
    clientConfig: clientConfigOf(target, PATHS.approve, caBundle),
    rules: [
      applications(["demoapplications"], "CREATE", "UPDATE"),
      bundles("CREATE", "UPDATE"),
      rule(FEDERATION_GROUP, FEDERATION_VERSION, bindings, "CREATE", "UPDATE"),
    ],
    matchConditions: [APPROVING],
    failurePolicy: "Fail",
    timeoutSeconds: TIMEOUT_SECONDS,
  };
}

/** Returns whether a live validating configuration calls the webhook for every approval on objects of that kind. */
export function asksAboutApprovals(live: KubeObject | undefined, target: WebhookTarget, kind: KindDefinition): boolean {
  const { clientConfig, matchConditions } = approvals(target, undefined);
  return ((live?.["webhooks"] ?? []) as Partial<Webhook>[]).some(
    (webhook) =>
      (webhook["failurePolicy"] ?? "Fail") === "Fail" &&
      (webhook["matchPolicy"] ?? "Equivalent") === "Equivalent" &&
      isEmpty(webhook["namespaceSelector"]) &&
      isEmpty(webhook["objectSelector"]) &&
      contains(webhook["clientConfig"], clientConfig) &&
      contains(webhook["matchConditions"], matchConditions) &&
      ((webhook["rules"] ?? []) as Partial<Rule>[]).some((one) => covers(one, kind)),
  );
}

function covers({ apiGroups, apiVersions, resources, operations, scope = "*" }: Partial<Rule>, kind: KindDefinition) {
  const has = (list: readonly string[] | undefined, ...wanted: string[]): boolean =>
    list?.includes("*") === true || wanted.every((one) => list?.includes(one) === true);
  const [stored] = kind.versions;
  return (
    has(apiGroups, kind.group) &&
    has(apiVersions, stored.name) &&
    has(resources, kind.plural) &&
    has(operations, "CREATE", "UPDATE") &&
    scope === "*"
  );
}

function isEmpty(selector: unknown): boolean {
  return selector === undefined || sameValue(selector, {});
}

function validating(target: WebhookTarget, caBundle: string | undefined): Webhook[] {
  const clientConfig = clientConfigOf(target, PATHS.validate, caBundle);
  return [
    // Deployments of teams must not wait for us. Without an answer the schema and the status still tell.
    {
      name: `applications.${PAAS_GROUP}`,
      ...COMMON,
      clientConfig,
      rules: [
        applications(["demoapplications"], "CREATE", "UPDATE"),
        applications(["demoapplications/scale"], "UPDATE"),
        bundles("CREATE", "UPDATE"),
      ],
      matchConditions: [MEANINGFUL],
      failurePolicy: "Ignore",
      timeoutSeconds: IGNORED_TIMEOUT_SECONDS,
    },
    // Policies affect other teams, and protection must not end with an outage: a failed call refuses the request.
    {
      name: `federation.${PAAS_GROUP}`,
      ...COMMON,
      clientConfig,
      rules: [federation("CREATE", "UPDATE", "DELETE")],
      matchConditions: [MEANINGFUL],
      failurePolicy: "Fail",
      timeoutSeconds: TIMEOUT_SECONDS,
    },
    approvals(target, caBundle),
    {
      name: `deletion.${PAAS_GROUP}`,
      ...COMMON,
      clientConfig,
      rules: [applications(["demoapplications"], "DELETE"), bundles("DELETE")],
      failurePolicy: "Fail",
      timeoutSeconds: TIMEOUT_SECONDS,
    },
    // Refuses before the rest of the namespace is gone; the objects in it are protected anyway.
    {
      name: `namespaces.${PAAS_GROUP}`,
      ...COMMON,
      clientConfig,
      rules: [rule("", "v1", ["namespaces"], "DELETE")],
      namespaceSelector: NOT_SYSTEM,
      failurePolicy: "Ignore",
      timeoutSeconds: IGNORED_TIMEOUT_SECONDS,
    },
  ];
}

/** The webhook configurations as they are installed without a chart. */
export function webhookConfigurations(name: string, target: WebhookTarget, caBundle?: string): KubeObject[] {
  const apiVersion = "admissionregistration.k8s.io/v1";
  const metadata = { name, labels: { "app.kubernetes.io/part-of": "meridian" } };
  return [
    { apiVersion, kind: "MutatingWebhookConfiguration", metadata, webhooks: mutating(target, caBundle) },
    { apiVersion, kind: "ValidatingWebhookConfiguration", metadata, webhooks: validating(target, caBundle) },
  ];
}

/** `spec.conversion` of every CRD. */
export function conversionOf(target: WebhookTarget, caBundle?: string): object {
  return {
    strategy: "Webhook",
    webhook: {
      conversionReviewVersions: ["v1"],
      clientConfig: clientConfigOf(target, PATHS.convert, caBundle),
    },
  };
}

/**
 * Returns whether `live` has every wanted value; the server adds defaults. Lists must have the same length and order.
 */
export function contains(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(live) && live.length === wanted.length && wanted.every((one, index) => contains(live[index], one))
    );
  }
  if (typeof wanted !== "object" || wanted === null) return live === wanted;
  if (typeof live !== "object" || live === null) return false;
  return Object.entries(wanted).every(([key, value]) => contains((live as Record<string, unknown>)[key], value));
}
