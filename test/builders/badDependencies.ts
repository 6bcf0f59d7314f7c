import type { BadObject } from "./badObject.ts";
import { clusterPlacementObject, placementObject as placement } from "./policyObjects.ts";

/** Placements that must be refused for what they declare of the needs of their objects. */
export const BAD_DEPENDENCIES: readonly BadObject[] = [
  ...[
    "status.secretName",
    "metadata.name",
    "kind",
    "spec.",
    "spec..a",
    "spec.users[0].secret",
    "/spec/secret",
    "spec.a[][]",
    "",
  ].map((path) => ({
    name: `a dependency at the path "${path}"`,
    object: placement({ dependencies: { fields: [{ kind: "Secret", path }] } }),
    field: "spec.dependencies.fields[0].path",
  })),
  {
    name: "a dependency of a kind that never goes along",
    object: clusterPlacementObject({ dependencies: { fields: [{ kind: "Role", path: "spec.role" }] } }),
    field: "spec.dependencies.fields[0].kind",
  },
  {
    name: "declared dependencies that are not to go along",
    object: placement({ dependencies: { mode: "None", fields: [{ kind: "Secret", path: "spec.secretName" }] } }),
    field: "spec.dependencies.fields",
  },
  {
    name: "a dependency that is declared twice",
    object: placement({
      dependencies: {
        fields: [
          { kind: "Secret", path: "spec.secretName" },
          { kind: "Secret", path: "spec.secretName" },
        ],
      },
    }),
    field: "spec.dependencies.fields[1]",
  },
];
