/** What somebody with rights in one namespace tries, to learn of others by the query API. */

export const OWN = "team-own";
export const OTHERS = "team-hidden";
/** A namespace in which there is nothing. */
export const EMPTY = "team-empty";

const ROW = "DemoApplication.paas.cmft.com:payroll";
const of = (namespace: string, resource: string): string => `/namespaces/${namespace}/${resource}`;

export interface Attempt {
  what: string;
  /** Below the path of the group, unless it names another one from the root with a double slash. */
  path: string;
  headers?: Record<string, string>;
  code: number;
  /** `watcher` may list MemberClusters, too. */
  by?: "watcher";
}

export const ATTEMPTS: readonly Attempt[] = [
  ...["federatedobjects", "placedobjects", "causes", "transitions"].map((resource) => ({
    what: `the list of ${resource}, and its totals`,
    path: `/${resource}`,
    code: 200,
  })),
  { what: "the counts of clusters", path: "/fleetclusters", code: 200, by: "watcher" },
  { what: "the counts of one cluster", path: "/fleetclusters/shanghai-1", code: 200, by: "watcher" },
  { what: "names of clusters", path: "/fleetclusters", code: 403 },
  { what: "the name of one cluster", path: "/fleetclusters/singapore-1", code: 403 },
  { what: "the rows of a cluster on which he has nothing", path: "/placedobjects?cluster=singapore-1", code: 200 },
  { what: "the rows of a region", path: "/placedobjects?region=ap-southeast-1", code: 200 },
  { what: "the list of their namespace", path: of(OTHERS, "federatedobjects"), code: 403 },
  { what: "the list of their namespace, by parameter", path: `/placedobjects?namespace=${OTHERS}`, code: 403 },
  { what: "both namespaces at once", path: `/federatedobjects?namespace=${OWN},${OTHERS}`, code: 200 },
  { what: "causes of their namespace", path: of(OTHERS, "causes"), code: 403 },
  { what: "causes by their reason", path: "/causes?reason=ImagePullBackOff", code: 200 },
  { what: "transitions of their namespace", path: of(OTHERS, "transitions"), code: 403 },
  { what: "transitions of the fleet, the youngest", path: "/transitions?changedSince=5m&limit=500", code: 200 },
  { what: "their object", path: of(OTHERS, `federatedobjects/${ROW}`), code: 403 },
  { what: "their object on a cluster", path: of(OTHERS, `placedobjects/${ROW}:singapore-1`), code: 403 },
  { what: "their object, whole", path: of(OTHERS, `federatedobjects/${ROW}/full`), code: 403 },
  { what: "their logs", path: of(OTHERS, `placedobjects/${ROW}:singapore-1/log`), code: 403 },
  { what: "their pods", path: of(OTHERS, `placedobjects/${ROW}:singapore-1/pods`), code: 403 },
  { what: "their Events", path: of(OTHERS, `placedobjects/${ROW}:singapore-1/events`), code: 403 },
  {
    what: "his object on their cluster",
    path: of(OWN, `placedobjects/DemoApplication.paas.cmft.com:shop:singapore-1`),
    code: 404,
  },
  { what: "a kind in his namespace that he may not list", path: of(OWN, "federatedobjects?kind=Secret"), code: 200 },
  { what: "an object of that kind", path: of(OWN, "federatedobjects/Secret:hidden"), code: 403 },
  { what: "an object of that kind, whole", path: of(OWN, "federatedobjects/Secret:hidden/full"), code: 403 },
  { what: "an object outside of namespaces", path: "/federatedobjects/Namespace:team-hidden", code: 403 },
  ...["namespace", "reason", "cluster", "region", "kind", "policy"].map((dimension) => ({
    what: `groups by ${dimension}`,
    path: `/placedobjects?groupBy=${dimension}`,
    code: 200,
  })),
  { what: "an expression that picks them", path: "/federatedobjects?cel=object.name.startsWith('payr')", code: 200 },
  {
    what: "an expression that fails on them",
    path: "/federatedobjects?cel=object.name != 'payroll' || 1/0 == 1",
    code: 200,
  },
  {
    what: "an expression that is costly on them",
    path: `/placedobjects?cel=${"object.name.contains('b') || ".repeat(20)}true`,
    code: 200,
  },
  {
    what: "an expression about a field that is not there",
    path: "/federatedobjects?cel=object.payroll == 'x'",
    code: 400,
  },
  { what: "an expression that cannot be read", path: "/federatedobjects?cel=object.name ==", code: 400 },
  { what: "an order by a field", path: "/placedobjects?sort=-cluster&limit=1", code: 200 },
  { what: "fields", path: "/placedobjects?fields=name,cluster,message", code: 200 },
  { what: "the first characters of a name", path: "/federatedobjects?name=payr", code: 200 },
  { what: "a label", path: "/federatedobjects?labelSelector=tier=hidden", code: 200 },
  { what: "a label that all others lack", path: "/federatedobjects?labelSelector=!tier", code: 200 },
  { what: "a policy", path: "/federatedobjects?policy=Placement/hidden", code: 200 },
  { what: "a wait", path: "/placedobjects?waitingFor=contact,dependency,capacity", code: 200 },
  { what: "what is old", path: "/placedobjects?olderThan=1ms&state=Degraded,Failed,Unknown", code: 200 },
  { what: "a selector of fields", path: `/federatedobjects?fieldSelector=metadata.name=${ROW}`, code: 200 },
  {
    what: "a list as of a version of long ago",
    path: "/federatedobjects?resourceVersion=1&resourceVersionMatch=Exact",
    code: 200,
  },
  {
    what: "a watch from a version that he invents",
    path: "/federatedobjects?watch=true&resourceVersion=123456789&timeoutSeconds=1",
    code: 410,
  },
  {
    what: "a page that he invents",
    path: "/federatedobjects?limit=1&continue=11111111-1111-4111-8111-111111111111.MQ",
    code: 410,
  },
  {
    what: "columns of a table",
    path: "/placedobjects",
    headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
    code: 200,
  },
  { what: "the description", path: "//openapi/v3/apis/query.federation.paas.cmft.com/v1alpha1", code: 200 },
  { what: "discovery", path: "//apis", code: 200 },
  {
    what: "the administrator's name in Impersonate-User",
    path: "/federatedobjects",
    headers: { "impersonate-user": "admin", "impersonate-group": "system:masters" },
    code: 403,
  },
  {
    what: "a group in Impersonate-Group alone",
    path: "/federatedobjects",
    headers: { "impersonate-group": "system:masters" },
    code: 403,
  },
  {
    what: "a name in X-Remote-User beside his token",
    path: "/federatedobjects",
    headers: { "x-remote-user": "admin", "x-remote-group": "system:masters" },
    code: 200,
  },
  {
    what: "a name in X-Remote-User without a token",
    path: "/federatedobjects",
    headers: { authorization: "", "x-remote-user": "admin", "x-remote-group": "system:masters" },
    code: 401,
  },
  {
    what: "the mark of a manager that passes requests on",
    path: "/federatedobjects",
    headers: { "x-meridian-passed-on": "1" },
    code: 200,
  },
  {
    what: "that mark, with a name",
    path: "/federatedobjects",
    headers: { "x-meridian-passed-on": "1", "impersonate-user": "admin" },
    code: 403,
  },
  {
    what: "another path that a proxy may see otherwise",
    path: `/namespaces/${OWN}/federatedobjects/..%2F..%2F${OTHERS}%2Ffederatedobjects`,
    code: 404,
  },
];

/** Requests whose answers are the same whatever there is: the hub must be asked the same, or the time would tell. */
export const QUESTIONS: readonly { what: string; path: (namespace: string) => string }[] = [
  { what: "a list", path: (namespace) => of(namespace, "federatedobjects") },
  { what: "an object", path: (namespace) => of(namespace, `federatedobjects/${ROW}`) },
  { what: "a whole object", path: (namespace) => of(namespace, `federatedobjects/${ROW}/full`) },
  { what: "a pair", path: (namespace) => of(namespace, `placedobjects/${ROW}:singapore-1`) },
  { what: "a log", path: (namespace) => of(namespace, `placedobjects/${ROW}:singapore-1/log`) },
  { what: "causes", path: (namespace) => of(namespace, "causes") },
];
