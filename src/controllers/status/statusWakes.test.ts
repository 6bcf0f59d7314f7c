import { describe, expect, test } from "vitest";
import {
  bindingName,
  type KubeObject,
  FEDERATION_API_VERSION,
  refKey,
  refOf,
  REPLICA_BOUNDS_ANNOTATION,
} from "../../apis/index.ts";
import { NAMESPACES, RESOURCEBINDINGS } from "../../runtime/index.ts";
import { absent, applyRow, observation, owner } from "../testing/builders.ts";
import { APP, app } from "../testing/planning.ts";
import { reporting } from "../testing/reporting.ts";

/** A running application, and one without a plan. */
async function running() {
  const all = await reporting({ apps: [app(), app({ name: "other" })] });
  await all.complete();
  const keys = (): string[] => all.woken.map(({ key }) => key);
  /** The keys that contact with the cluster `c` enqueues. */
  const wokenByContact = (): string[] => {
    all.woken.length = 0;
    all.contact("c", {});
    return keys();
  };
  return { ...all, keys, wokenByContact };
}

const SHOP = owner("shop");

describe("contact with a cluster wakes the statuses of the objects", () => {
  test("that a copy there names as its owner", async () => {
    const { observations, wokenByContact } = await running();
    observations.report("c", [observation({ cluster: "c", present: { owner: SHOP } })]);
    expect(wokenByContact()).toEqual([APP]);
  });

  test("and of no others: with nothing there, or that are not planned by this manager", async () => {
    const { assignments, observations, wokenByContact } = await running();
    assignments.replace(refKey(owner("other")), [applyRow({ cluster: "c", owner: owner("other") })]);
    const second = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "other" };
    const third = { ...second, name: "third" };
    const { owner: _, ...unmarked } = observation().present ?? { uid: "", proven: false, deleting: false };
    observations.report("c", [
      absent({ cluster: "c", ref: second, writing: true }),
      { ...observation({ cluster: "c", ref: third }), present: unmarked as never },
    ]);
    expect(wokenByContact()).toEqual([]);
  });
});

test("other bounds of a namespace wake the statuses of its planned objects, and of no others", async () => {
  const { server, settle, keys } = await running();
  server.merge(NAMESPACES, undefined, "default", { metadata: { annotations: { [REPLICA_BOUNDS_ANNOTATION]: "1-1" } } });
  await settle();
  expect(keys()).toEqual([APP]);
});

test("a status that somebody removes is made again, and one that comes is no news", async () => {
  const { server, settle, keys } = await running();
  const object = app();
  const { metadata, apiVersion, kind } = object;
  const name = bindingName(refOf(object));
  const binding: KubeObject = {
    apiVersion: FEDERATION_API_VERSION,
    kind: "ResourceBinding",
    metadata: { namespace: "default", name },
    spec: { resource: { apiVersion, kind, namespace: "default", name: metadata.name, uid: "shop-uid" } },
  };
  server.create(RESOURCEBINDINGS, binding);
  await settle();
  expect(keys()).toEqual([]);
  server.delete(RESOURCEBINDINGS, "default", name);
  await settle();
  expect(keys()).toEqual([APP]);
});
