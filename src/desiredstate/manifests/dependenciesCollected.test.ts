import { describe, expect, test } from "vitest";
import { hashOf, type KubeObject, refKey } from "../../apis/index.ts";
import type { Dependency } from "../../interpreter/index.ts";
import { collectDependencies } from "./dependencies.ts";
import { mark, ownerRefOf, ownerText } from "../rows/marks.ts";
import type { Needs } from "../snapshot.ts";
import { app } from "../testing/builders.ts";

const marking = { hubId: "hub-uid", ownerText: ownerText(ownerRefOf(app())), policy: "Delete" as const };
const object = (kind: string, name: string, content: object = { data: { a: "1" } }): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, namespace: "default" },
  ...content,
});
const need = (kind: string, name: string, more: Partial<Dependency> = {}): Dependency => ({
  ref: { apiVersion: "v1", kind, namespace: "default", name },
  optional: false,
  readByPods: true,
  ...more,
});
const has = (...objects: KubeObject[]) =>
  new Map(objects.map((one) => [refKey({ ...one, namespace: "default", name: one.metadata.name }), one]));
const conf = object("ConfigMap", "conf");
const secret = object("Secret", "database");
const contentHash = hashOf([{ a: "1" }, undefined, undefined]);
const CONF = "/ConfigMap/default/conf";
const SECRET = "/Secret/default/database";
const NOTHING = {
  objects: [],
  hash: undefined,
  hashes: undefined,
  warning: undefined,
  denial: undefined,
  refusal: undefined,
};
const collected = (needs: Needs, more: Partial<Parameters<typeof collectDependencies>[1]> = {}) =>
  collectDependencies(needs, { dependencies: has(conf, secret), ...more }, marking);
const both = { dependencies: [need("Secret", "database"), need("ConfigMap", "conf")] };

describe("what goes along with an object", () => {
  test("is all that it needs, by name, and the hash of what its pods read", () => {
    const pods = hashOf([
      [CONF, contentHash],
      [SECRET, contentHash],
    ]);
    expect(collected(both)).toEqual({
      ...NOTHING,
      objects: [mark(conf, "dependency", marking), mark(secret, "dependency", marking)],
      hash: pods,
      hashes: { all: pods, pods },
    });
  });

  test("is told apart by whether pods read it", () => {
    const needs = { dependencies: [need("Secret", "database", { readByPods: false }), need("ConfigMap", "conf")] };
    const { hash, hashes } = collected(needs);
    expect(hash).toBe(hashOf([[CONF, contentHash]]));
    expect(hashes).toEqual({
      all: hashOf([
        [CONF, contentHash],
        [SECRET, contentHash],
      ]),
      pods: hash,
    });
    const unread = collected({ dependencies: [need("Secret", "database", { readByPods: false })] });
    expect(unread.hash).toBeUndefined();
    expect(unread.hashes).toStrictEqual({ all: hashOf([[SECRET, contentHash]]) });
  });

  test("is nothing where it needs nothing, but for what is wrong with what it declares", () => {
    const problem = { reason: "DependencyUnresolved", message: "m" };
    expect(collected({ dependencies: [] })).toStrictEqual(NOTHING);
    expect(collected({ dependencies: [], problem })).toStrictEqual({ ...NOTHING, warning: problem });
    expect(collected({ ...both, problem }).warning).toEqual(problem);
    expect(collected({ dependencies: [need("Secret", "absent")], problem }).warning).toEqual({
      reason: "DependencyMissing",
      message: "not on the hub: Secret absent",
    });
  });

  test("is not what is optional and absent", () => {
    expect(collected({ dependencies: [need("Secret", "absent", { optional: true })] })).toEqual(NOTHING);
  });
});

describe("what goes to no member", () => {
  test("is refused, the first by name", () => {
    const token = (name: string) => object("Secret", name, { type: "kubernetes.io/service-account-token" });
    const dependencies = has(token("a"), token("b"));
    const needs = { dependencies: [need("Secret", "b"), need("Secret", "a")] };
    expect(collected(needs, { dependencies })).toEqual({
      ...NOTHING,
      refusal: {
        reason: "NotAllowed",
        message: "Secret a holds a token (kubernetes.io/service-account-token) and is never sent to members",
      },
    });
  });

  test("is not a ConfigMap that says it were of such a type, nor one with the name of a release", () => {
    const dependencies = has(
      object("ConfigMap", "c", { type: "kubernetes.io/service-account-token" }),
      object("Secret", "sh.helm.release.v1.web.v1"),
    );
    const needs = { dependencies: [need("ConfigMap", "c"), need("Secret", "sh.helm.release.v1.web.v1")] };
    expect(collected(needs, { dependencies })).toMatchObject({ refusal: undefined, objects: [{}, {}] });
    const absent = collected({ dependencies: [need("ConfigMap", "sh.helm.release.v1.web.v1")] });
    expect(absent.warning?.message).toBe("not on the hub: ConfigMap sh.helm.release.v1.web.v1");
    expect(absent.refusal).toBeUndefined();
  });

  test("is refused before what comes later, and is no reason to leave that out", () => {
    const needs = {
      dependencies: [need("Secret", "sh.helm.release.v1.a.v1"), need("Secret", "sh.helm.release.v1.b.v1")],
    };
    expect(collected(needs).refusal?.message).toContain("sh.helm.release.v1.a.v1");
    const { objects } = collected({ dependencies: [...needs.dependencies, need("ConfigMap", "conf")] });
    expect(objects.map(({ ref }) => ref.name)).toEqual(["conf"]);
  });
});

describe("what may not be read", () => {
  const denied = (...dependencies: Dependency[]): string | undefined =>
    collected({ dependencies }, { unreadable: new Set(dependencies.map(({ ref }) => refKey(ref))) }).denial?.message;

  test("of a namespace is to be allowed there", () => {
    expect(denied(need("ConfigMap", "conf"))).toBe("let the manager list and watch ConfigMaps in default on the hub");
    expect(denied(need("Secret", "database"))).toBe(
      "add default to rbac.secrets.namespaces of the Helm release, or let the manager list and watch Secrets there",
    );
  });

  test("of no namespace is to be allowed on the hub", () => {
    const cluster = (kind: string): Dependency => ({ ...need(kind, "x"), ref: { apiVersion: "v1", kind, name: "x" } });
    expect(denied(cluster("Widget"))).toBe("let the manager list and watch Widgets on the hub");
    expect(denied(cluster("Secret"))).toBe("let the manager list and watch Secrets on the hub");
  });

  test.each([
    [15, /^add n+ to rbac\.secrets\.namespaces of the Helm release, or let the manager list and watch Secrets there$/],
    [63, /^add n{63} to rbac\.secrets\.namespaces of the Helm release$/],
    [50, /^add n{50} to rbac\.secrets\.namespaces of the Helm release \(mode Listed\)$/],
  ])("of a namespace with a name of %i letters is said in as many words as fit", (length, want) => {
    const namespace = "n".repeat(length);
    expect(denied({ ...need("Secret", "x"), ref: { apiVersion: "v1", kind: "Secret", namespace, name: "x" } })).toMatch(
      want,
    );
  });

  test("is not looked for, and the Secret is named before others", () => {
    const unreadable = new Set([CONF, SECRET]);
    expect(collected(both, { unreadable })).toMatchObject({
      objects: [],
      hashes: undefined,
      warning: undefined,
      denial: { reason: "SecretAccessDenied" },
    });
  });
});

describe("what went along with a revision", () => {
  const { hashes } = collected(both);
  if (hashes === undefined) throw new Error("nothing goes along");

  test("is as it was then where nothing has changed", () => {
    expect(collected(both, { recordedHashes: hashes })).toEqual(collected(both));
  });

  test("is read by its pods as it was, whatever has become of it, and its Secrets stay as they are", () => {
    const { objects, hash, hashes: now } = collected(both, { recordedHashes: { all: "other", pods: "then" } });
    expect([hash, now]).toEqual(["then", hashes]);
    expect(objects.map(({ ref, held }) => [ref.kind, held])).toEqual([
      ["ConfigMap", undefined],
      [
        "Secret",
        {
          reason: "RolloutWaiting",
          message: "no revision holds the content of a Secret; the Secret stays as it is until the rollout comes here",
        },
      ],
    ]);
    expect(collected(both, { recordedHashes: { all: "other" } }).hash).toBeUndefined();
    expect(collected({ dependencies: [need("Secret", "absent")] }, { recordedHashes: hashes }).hash).toBe(hashes.pods);
  });
});
