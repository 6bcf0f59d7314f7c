import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../src/apis/index.ts";
import { DEMOAPPLICATIONS, DEPLOYMENTS, PLACEMENTS, type ResourceType, SERVICES } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import type { Member } from "./member.ts";

interface Port {
  name?: string;
  port?: number;
  containerPort?: number;
  targetPort?: number | string;
  protocol?: string;
}

interface Container {
  name: string;
  image: string;
  env?: { name: string; value?: string }[];
  ports?: Port[];
}

const shop = demoApplication("shop")
  .replica(2)
  .port(80, { name: "http", targetPort: 8080 })
  .port(443, { name: "https", targetPort: 8443 })
  .env("MODE", "live")
  .env("LEVEL", "info");

async function withShop(): Promise<{ federation: TestFederation; member: Member }> {
  const federation = await TestFederation.start("shanghai");
  await federation.apply(PLACEMENTS, placement("all"));
  await federation.apply(DEMOAPPLICATIONS, shop);
  await federation.untilAvailable("shop");
  return { federation, member: federation.member("shanghai") };
}

const portsOf = (object: KubeObject) => (object["spec"] as { ports: Port[] }).ports;
const containersOf = (object: KubeObject) =>
  (object["spec"] as { template: { spec: { containers: Container[] } } }).template.spec.containers;
const envOf = (object: KubeObject) => containersOf(object)[0]?.env ?? [];
const containerPortsOf = (object: KubeObject) => containersOf(object)[0]?.ports ?? [];

function remove<T>(list: T[], which: (item: T) => boolean): void {
  const index = list.findIndex(which);
  if (index < 0) throw new Error("there is no such item");
  list.splice(index, 1);
}

function change<T extends object>(list: T[], which: (item: T) => boolean, fields: Partial<T>): void {
  const found = list.find(which);
  if (found === undefined) throw new Error("there is no such item");
  Object.assign(found, fields);
}

/** The spec with the items of keyed lists in one order: in which they stand says nothing. */
function specOf(object: KubeObject): unknown {
  return JSON.parse(JSON.stringify(object["spec"]), (key, value: unknown) =>
    Array.isArray(value) && /^(ports|env|containers)$/.test(key)
      ? value.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : value,
  ) as unknown;
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

interface Edit {
  name: string;
  type: ResourceType;
  edit: (object: KubeObject) => void;
  /** What the Event names. */
  note: string;
}

const HEALED: Edit[] = [
  {
    name: "where a port of the Service leads",
    type: SERVICES,
    edit: (service) => change(portsOf(service), ({ port }) => port === 443, { targetPort: 9443 }),
    note: "shanghai: Service shop spec.ports[port=443,protocol=TCP].targetPort changed by kubectl; put back",
  },
  {
    name: "an env entry that is taken out",
    type: DEPLOYMENTS,
    edit: (deployment) => remove(envOf(deployment), ({ name }) => name === "LEVEL"),
    note: "shanghai: Deployment shop spec.template.spec.containers[name=shop].env[name=LEVEL]; put back",
  },
  {
    name: "the name of a container port",
    type: DEPLOYMENTS,
    edit: (deployment) =>
      change(containerPortsOf(deployment), ({ containerPort }) => containerPort === 8443, { name: "tls" }),
    note: "shanghai: Deployment shop spec.template.spec.containers[name=shop].ports[containerPort=8443,protocol=TCP].name changed",
  },
];

/** Where a number is the key, the changed item is somebody else's, and stands in the way of ours by its name. */
const RENUMBERED: Edit[] = [
  {
    name: "a port of the Service",
    type: SERVICES,
    edit: (service) => change(portsOf(service), ({ port }) => port === 443, { port: 444 }),
    note: "shanghai: Service shop spec.ports[port=443,protocol=TCP] changed by kubectl; put back",
  },
];

const LEFT_ALONE: Omit<Edit, "note">[] = [
  {
    name: "another port of the Service",
    type: SERVICES,
    edit: (service) => void portsOf(service).push({ name: "admin", port: 9000, targetPort: 9000, protocol: "TCP" }),
  },
  {
    name: "a sidecar container",
    type: DEPLOYMENTS,
    edit: (deployment) => void containersOf(deployment).push({ name: "proxy", image: "envoy:1.34" }),
  },
];

describe("what is put back", () => {
  test.each(HEALED)("$name, by one write, and recorded", async ({ type, edit, note }) => {
    const { federation, member } = await withShop();
    await using _federation = federation;
    const { server, writes } = member;
    const before = specOf(server.get(type, "default", "shop"));
    await server.edit(type, "default", "shop", edit);
    expect(specOf(server.get(type, "default", "shop"))).not.toEqual(before);
    await federation.until(() => same(specOf(server.get(type, "default", "shop")), before));
    await federation.pass(5_000);
    expect(member.writes.slice(writes.length)).toEqual([`apply ${type.plural}`]);
    expect(federation.events).toContainEqual(
      expect.objectContaining({ reason: "DriftHealed", note: expect.stringContaining(note) as unknown }),
    );
  });

  test.each(RENUMBERED)("the number of $name, and recorded", async ({ type, edit, note }) => {
    const { federation, member } = await withShop();
    await using _federation = federation;
    const { server, writes } = member;
    const before = specOf(server.get(type, "default", "shop"));
    await server.edit(type, "default", "shop", edit);
    await federation.until(() => same(specOf(server.get(type, "default", "shop")), before));
    await federation.pass(20_000);
    expect(specOf(server.get(type, "default", "shop"))).toEqual(before);
    expect(member.writes.length - writes.length).toBeLessThanOrEqual(4);
    expect(federation.events).toContainEqual(
      expect.objectContaining({ reason: "DriftHealed", note: expect.stringContaining(note) as unknown }),
    );
  });
});

describe("what is somebody else's", () => {
  test.each(LEFT_ALONE)("$name is left alone, and no reason to write", async ({ type, edit }) => {
    const { federation, member } = await withShop();
    await using _federation = federation;
    const { writes } = member;
    const { generation } = await member.server.edit(type, "default", "shop", edit).then(({ metadata }) => metadata);
    const after = specOf(member.server.get(type, "default", "shop"));
    await federation.pass(20_000);
    expect(specOf(member.server.get(type, "default", "shop"))).toEqual(after);
    expect(member.server.get(type, "default", "shop").metadata.generation).toBe(generation);
    expect(member.writes.slice(writes.length)).toEqual([]);
    expect(federation.events.map(({ reason }) => reason)).not.toContain("DriftHealed");
  });

  test("stays when what is ours beside it is put back, changed and taken out", async () => {
    const { federation, member } = await withShop();
    await using _federation = federation;
    const { server } = member;
    const live = () => server.get(DEPLOYMENTS, "default", "shop");
    const env = () => envOf(live()).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    await server.edit(DEPLOYMENTS, "default", "shop", (deployment) => {
      change(envOf(deployment), ({ name }) => name === "MODE", { value: "test" });
      envOf(deployment).push({ name: "PROXY", value: "http://proxy" });
      containersOf(deployment).push({ name: "proxy", image: "envoy:1.34" });
    });
    const proxy = { name: "PROXY", value: "http://proxy" };
    const ours = (mode: string) => [{ name: "LEVEL", value: "info" }, { name: "MODE", value: mode }, proxy];
    await federation.until(() => same(env(), ours("live")));

    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2).env("MODE", "idle"));
    await federation.until(() => same(env(), [{ name: "MODE", value: "idle" }, proxy]));
    await federation.untilAvailable("shop");
    expect(
      containersOf(live())
        .map(({ name, image }) => `${name} ${image}`)
        .toSorted(),
    ).toEqual(["proxy envoy:1.34", "shop nginx:1.27"]);
  });
});
