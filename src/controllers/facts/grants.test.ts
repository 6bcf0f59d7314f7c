import { expect, test } from "vitest";
import type { HubCache } from "../../hub/index.ts";
import { whyNotGranted } from "./grants.ts";
import { member } from "../testing/copySources.ts";

const why = expect.objectContaining({ reason: "NamespaceNotGranted" }) as unknown;

test.each<{
  name: string;
  cluster?: string;
  granted?: readonly string[];
  namespace?: string | undefined;
  want: unknown;
}>([
  { name: "in any namespace where the cluster grants all of them", namespace: "shop", want: undefined },
  { name: "in a namespace that the cluster grants", granted: ["shop", "cart"], namespace: "cart", want: undefined },
  { name: "in a namespace that the cluster does not grant", granted: ["shop"], namespace: "cart", want: why },
  { name: "in no namespace where the cluster grants only some", granted: ["shop"], namespace: undefined, want: why },
  { name: "in no namespace where the cluster grants all", namespace: undefined, want: undefined },
  { name: "on a cluster that there is not", cluster: "gone", granted: ["shop"], namespace: "cart", want: undefined },
])("what is $name", ({ cluster = "a", granted, namespace, want }) => {
  const spec = granted === undefined ? {} : { namespaces: [...granted] };
  const clusters = { get: (name: string) => (name === "a" ? member("a", {}, spec) : undefined) };
  expect(whyNotGranted({ clusters } as unknown as Pick<HubCache, "clusters">, cluster, namespace)).toEqual(want);
});
