import { describe, expect, test } from "vitest";
import {
  ALLOWED_SERVICE_ACCOUNTS_ANNOTATION,
  type KubeObject,
  parseApiVersion,
  type Placement,
  type PlacementSpec,
} from "../../apis/index.ts";
import { type HubKind, placeableKindOf } from "../../interpreter/index.ts";
import { needsOf as needsOfKind } from "./needs.ts";
import { namespaceTerms } from "../podSecurity/index.ts";
import { app, clusterPlacement, placement, rows, shanghai, targetOf } from "../testing/builders.ts";
import type { Target } from "../types.ts";

/** As a person has written it: all of its content is that person's. */
function written(object: KubeObject): KubeObject {
  const beside = new Set(["apiVersion", "kind", "metadata", "status"]);
  const content = Object.keys(object).filter((key) => !beside.has(key));
  const fieldsV1 = Object.fromEntries(content.map((key) => [`f:${key}`, {}]));
  const entry = { manager: "kubectl", operation: "Update" as const, apiVersion: object.apiVersion, fieldsV1 };
  return { ...object, metadata: { ...object.metadata, managedFields: [entry] } };
}
const secret = (name: string, more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "default" },
  data: { a: "b25l" },
  ...more,
});
const account = (name: string, ...pull: string[]): KubeObject => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name, namespace: "default" },
  imagePullSecrets: pull.map((one) => ({ name: one })),
});
const claim: KubeObject = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "default" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};
const database = (spec: object = { secretName: "my-db-secret" }, metadata: object = {}): KubeObject => ({
  apiVersion: "mysql.presslabs.org/v1alpha1",
  kind: "MysqlCluster",
  metadata: { name: "my-db", namespace: "default", uid: "db", ...metadata },
  spec,
});
const deployment = (spec: object): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default", uid: "web" },
  spec: { replicas: 1, template: { spec: { containers: [{ name: "web", image: "nginx" }], ...spec } } },
});
const selects = (object: KubeObject): Pick<PlacementSpec, "resourceSelectors"> => ({
  resourceSelectors: [{ apiVersion: object.apiVersion, kind: object.kind }],
});
const SECRET_NAME: PlacementSpec["dependencies"] = {
  mode: "Auto",
  fields: [{ kind: "Secret", path: "spec.secretName" }],
};

const kindOf = ({ apiVersion, kind }: KubeObject): HubKind => placeableKindOf(parseApiVersion(apiVersion).group, kind);
const needsOf = (object: KubeObject, by: Placement | undefined, runs = false) =>
  needsOfKind(kindOf(object), object, by, runs);

const names = (object: KubeObject, spec: Partial<PlacementSpec> | undefined, runs = false): string[] =>
  needsOf(
    object,
    spec === undefined ? undefined : placement("p", { ...selects(object), ...spec }),
    runs,
  ).dependencies.map(({ ref }) => `${ref.kind}/${ref.name}`);

describe("what an object needs", () => {
  const web = deployment({ serviceAccountName: "web" });

  test("is what it refers to, and what its policy declares", () => {
    expect(names(web, {})).toEqual(["ServiceAccount/web"]);
    expect(names(database(), {})).toEqual([]);
    expect(names(database(), { dependencies: SECRET_NAME })).toEqual(["Secret/my-db-secret"]);
    const both = deployment({ imagePullSecrets: [{ name: "s" }] });
    const fields = [
      { kind: "Secret" as const, path: "spec.template.spec.imagePullSecrets[].name" },
      { kind: "ConfigMap" as const, path: "spec.template.spec.containers[].name" },
    ];
    expect(names(both, { dependencies: { mode: "Auto", fields } })).toEqual(["Secret/s", "ConfigMap/web"]);
  });

  test("is nothing with mode None, and so nothing is looked for", () => {
    expect(names(web, { dependencies: { mode: "None" } })).toEqual([]);
    expect(names(app({ envFrom: [{ secretRef: { name: "s" } }] }), { dependencies: { mode: "None" } })).toEqual([]);
  });

  test("is nothing of an object that is sent as it is and goes nowhere, until it runs somewhere", () => {
    expect(names(web, undefined)).toEqual([]);
    expect(names(web, undefined, true)).toEqual(["ServiceAccount/web"]);
    expect(names(app({ envFrom: [{ secretRef: { name: "s" } }] }), undefined)).toEqual(["Secret/s"]);
  });
});

describe("what goes along with an object that is sent as it is", () => {
  const present = (...objects: KubeObject[]): ReadonlyMap<string, KubeObject> =>
    new Map(objects.map((object) => [`/${object.kind}/default/${object.metadata.name}`, written(object)]));
  const placed = (object: KubeObject, spec: Partial<PlacementSpec>, ...there: KubeObject[]): Target =>
    targetOf({
      object: written(object),
      clusters: [shanghai],
      placements: [placement("p", { ...selects(object), ...spec })],
      dependencies: present(...there),
    });
  const warning = (target: Target) => target.clusters[0]?.warning;

  test("a service account with its pull secrets, a claim, a declared Secret", () => {
    const web = deployment({
      serviceAccountName: "default",
      volumes: [{ name: "a", persistentVolumeClaim: { claimName: "data" } }],
    });
    expect(rows(placed(web, {}, claim))).toEqual([
      "Apply shanghai-1 PersistentVolumeClaim/data",
      "Apply shanghai-1 Deployment/web",
    ]);
    expect(rows(placed(database(), { dependencies: SECRET_NAME }, secret("my-db-secret")))).toEqual([
      "Apply shanghai-1 Secret/my-db-secret",
      "Apply shanghai-1 MysqlCluster/my-db",
    ]);
    const widget = { ...deployment({ serviceAccountName: "web" }), apiVersion: "example.com/v1", kind: "Widget" };
    const { objects } = targetOf({
      object: written(widget),
      clusters: [shanghai],
      placements: [placement("p", selects(widget))],
      dependencies: present(account("web", "pull"), secret("pull")),
      terms: namespaceTerms({ name: "default", annotations: { [ALLOWED_SERVICE_ACCOUNTS_ANNOTATION]: "web" } }, false),
    }).clusters[0] ?? { objects: [] };
    expect(objects.map(({ ref, role }) => `${ref.kind}/${ref.name} ${role}`)).toEqual([
      "Secret/pull dependency",
      "ServiceAccount/web dependency",
      "Widget/web rendered",
    ]);
  });

  test("a claim of which nobody knows what a person set in it goes nowhere", () => {
    const web = deployment({ volumes: [{ name: "a", persistentVolumeClaim: { claimName: "data" } }] });
    const { clusters } = targetOf({
      object: written(web),
      clusters: [shanghai],
      placements: [placement("p", selects(web))],
      dependencies: new Map([["/PersistentVolumeClaim/default/data", claim]]),
    });
    expect(clusters[0]?.problem?.message).toContain("managedFields");
    expect(clusters[0]?.objects).toEqual([]);
  });

  test.each([
    ["a list", { secretName: ["a"] }, "dependencies.fields: spec.secretName is a list: write spec.secretName[]"],
    ["no name", { secretName: 7 }, "dependencies.fields: spec.secretName is no name"],
  ])("a declaration that does not fit is told, and stops nothing: %s", (_, spec, message) => {
    const target = placed(database(spec), { dependencies: SECRET_NAME });
    expect(warning(target)).toEqual({ reason: "DependencyUnresolved", message });
    expect(rows(target)).toEqual(["Apply shanghai-1 MysqlCluster/my-db"]);
  });

  test("an object without a namespace brings nothing along, and says so", () => {
    const object = database({ secretName: "s" }, { namespace: undefined });
    const target = targetOf({
      object,
      clusters: [shanghai],
      placements: [clusterPlacement("p", { ...selects(object), dependencies: SECRET_NAME })],
      dependencies: present(secret("s")),
    });
    expect(warning(target)).toEqual({
      reason: "DependencyUnresolved",
      message: "dependencies.fields: MysqlCluster has no namespace in which to look for what it names",
    });
    expect(rows(target).filter((row) => row.includes("Secret"))).toEqual([]);
  });

  test.each([
    ["kubernetes.io/service-account-token", "my-db-secret"],
    ["bootstrap.kubernetes.io/token", "my-db-secret"],
  ])("a Secret with a token goes nowhere, whoever declares it: %s", (type, name) => {
    const target = placed(database({ secretName: name }), { dependencies: SECRET_NAME }, secret(name, { type }));
    expect(target.clusters[0]?.problem?.reason).toBe("NotAllowed");
    expect(rows(target)).toEqual([]);
  });

  test("a release of Helm goes nowhere, and is not taken for missing", () => {
    const target = placed(database({ secretName: "sh.helm.release.v1.web.v1" }), { dependencies: SECRET_NAME });
    expect(target.clusters[0]?.problem).toMatchObject({
      reason: "NotAllowed",
      message: "Secret sh.helm.release.v1.web.v1 holds a Helm release and is never sent to members",
    });
    expect(rows(target)).toEqual([]);
  });
});
