import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../types.ts";
import { ServiceAllocations } from "../index.ts";
import { create, created, rulesOf, service, TestEnvironment, update } from "../testing/objects.ts";

const spec = (object: KubeObject) => object["spec"] as Record<string, unknown> & { ports: Record<string, unknown>[] };

describe("Services", () => {
  test("give back what a refused request took", () => {
    const env = new TestEnvironment();
    const wanted = service({ clusterIP: "10.96.7.7" });
    create(wanted, env);
    env.refused();
    expect(create(wanted, env).errors).toEqual([]);
  });

  test("are remembered when the cluster starts again", () => {
    const live = created(service({ type: "NodePort" }));
    const services = new ServiceAllocations();
    rulesOf(live).rules.onRestore?.(live, { services });
    expect(services.takeClusterIP(String(spec(live)["clusterIP"]))).toBe("in use");
    expect(services.takeNodePort(Number(spec(live).ports[0]?.["nodePort"]))).toBe("in use");
  });

  test("lose their node port when they become ClusterIP, after the write and not before", () => {
    const env = new TestEnvironment();
    const live = created(service({ type: "NodePort", ports: [{ port: 80, nodePort: 30_002 }] }), env);
    const { object, errors } = update(live, (next) => (spec(next)["type"] = "ClusterIP"), env);
    expect(errors).toEqual([]);
    expect(spec(object).ports[0]).not.toHaveProperty("nodePort");
    expect(env.services.takeNodePort(30_002)).toBe("in use");
    env.stored();
    expect(env.services.takeNodePort(30_002)).toBe("taken");
  });
});

describe("ServiceAllocations", () => {
  test("give each address and port once, until there is none", () => {
    const allocations = new ServiceAllocations({
      clusterIPs: "10.0.0.0/28",
      nodePorts: { first: 30_000, last: 30_003 },
    });
    const addresses = Array.from({ length: 14 }, () => allocations.takeAnyClusterIP());
    expect(new Set(addresses).size).toBe(14);
    expect(addresses).not.toContain(undefined);
    expect(addresses).not.toContain("10.0.0.0");
    expect(addresses).not.toContain("10.0.0.15");
    expect(allocations.takeAnyClusterIP()).toBeUndefined();
    const ports = Array.from({ length: 4 }, () => allocations.takeAnyNodePort());
    expect(new Set(ports)).toEqual(new Set([30_000, 30_001, 30_002, 30_003]));
    expect(allocations.takeAnyNodePort()).toBeUndefined();
    allocations.releaseNodePort(30_001);
    expect(allocations.takeAnyNodePort()).toBe(30_001);
  });

  test("refuse what lies outside", () => {
    const allocations = new ServiceAllocations({ clusterIPs: "10.0.0.0/24" });
    expect(
      ["10.0.1.1", "10.0.0.0", "10.0.0.255", "x", "::1"].map((address) => allocations.takeClusterIP(address)),
    ).toEqual(Array.from({ length: 5 }, () => "out of range"));
    expect(allocations.takeNodePort(80)).toBe("out of range");
    expect(() => new ServiceAllocations({ clusterIPs: "x" })).toThrow("x is no network for cluster IPs");
  });
});
