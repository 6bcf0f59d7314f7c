import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { ObjectRef } from "../metadata/meta.ts";
import { DNS_SUBDOMAIN } from "../schema/patterns.ts";
import { bindingName } from "./resourcebinding.ts";

const ref = (apiVersion: string, kind: string, name: string): ObjectRef => ({ apiVersion, kind, name });

describe("the name of a binding", () => {
  test.each([
    ["mysqlcluster.mysql.presslabs.org.my-db", ref("mysql.presslabs.org/v1alpha1", "MysqlCluster", "my-db")],
    ["configmap.my-config", ref("v1", "ConfigMap", "my-config")],
    ["deployment.apps.web", ref("apps/v1", "Deployment", "web")],
    [
      "customresourcedefinition.apiextensions.k8s.io.mysqlclusters.mysql.presslabs.org",
      ref("apiextensions.k8s.io/v1", "CustomResourceDefinition", "mysqlclusters.mysql.presslabs.org"),
    ],
  ])("%s is the kind, the group and the name", (want, of) => expect(bindingName(of)).toBe(want));

  test.each([
    [
      "characters that names of objects may not have",
      ref("rbac.authorization.k8s.io/v1", "ClusterRole", "system:Node-"),
      "clusterrole.rbac.authorization.k8s.io.system-ode-",
    ],
    [
      "a name that could be another object's as well",
      ref("v1", "ConfigMap", "kube-root-ca.crt"),
      "configmap.kube-root-ca.crt-",
    ],
    [
      "the same in a group without dots",
      ref("apps/v1", "Deployment", "example.com.web"),
      "deployment.apps.example.com.web-",
    ],
  ])("%s ends in a hash", (_what, of, begins) => {
    expect(bindingName(of).startsWith(begins)).toBe(true);
    expect(bindingName(of)).toMatch(/-[0-9a-f]{16}$/);
  });

  test("is the same in every version of the kind, and stays the same", () => {
    const long = "a".repeat(253);
    expect(bindingName(ref("g.io/v1", "Kind", long))).toBe(bindingName(ref("g.io/v2", "Kind", long)));
    expect(bindingName(ref("v1", "ConfigMap", "kube-root-ca.crt"))).toBe("configmap.kube-root-ca.crt-abe75a3ce6862da3");
  });

  const dnsName = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,6}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,6}[a-z0-9])?){0,3}$/);
  const anyName = fc.oneof(dnsName, fc.string({ minLength: 1, maxLength: 300 }));
  const anyRef = fc.record({
    apiVersion: fc.constantFrom("v1", "apps/v1", "mysql.presslabs.org/v1", "apps.example.com/v1"),
    kind: fc.constantFrom("ConfigMap", "Deployment", "MysqlCluster"),
    name: anyName,
  });

  test.prop([anyRef])("may be the name of an object", (of) => {
    const name = bindingName(of);
    expect(name).toMatch(DNS_SUBDOMAIN);
    expect(name.length).toBeLessThanOrEqual(253);
  });

  test.prop([anyRef, anyRef])("is of one object only", (one, other) => {
    const isSame = one.kind === other.kind && one.name === other.name && one.apiVersion === other.apiVersion;
    expect(bindingName(one) === bindingName(other)).toBe(isSame);
  });
});
