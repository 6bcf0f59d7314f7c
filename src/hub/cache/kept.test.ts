import { expect, test } from "vitest";
import { objectIndexers, withoutBookkeeping } from "./kept.ts";

const service = { apiVersion: "v1", kind: "Service", metadata: { name: "a" } };

test("an object without kubectl's record keeps a map of annotations, which a patch asks for", () => {
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "{}" };
  const metadata = { name: "a", annotations, managedFields: [{}] };
  expect(withoutBookkeeping({ ...service, metadata })).toStrictEqual({
    ...service,
    metadata: { name: "a", annotations: {} },
  });
  expect(withoutBookkeeping(service)).toStrictEqual(service);
});

test.each<[spec: unknown, want: string[]]>([
  [{ ports: [{ port: 80, nodePort: 30080 }, { port: 81 }, { port: 82, nodePort: "30082" }] }, ["30080"]],
  [{ ports: {} }, []],
  [undefined, []],
])("an object is found by the node ports in %j", (spec, want) => {
  expect(objectIndexers["nodePort"]?.({ ...service, spec })).toEqual(want);
});
