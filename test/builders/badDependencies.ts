import type { BadRow } from "./badObject.ts";
import { clusterPlacementObject, placementObject as placement } from "./policyObjects.ts";

/** Placements that must be refused for what they declare of the needs of their objects. */
export const BAD_DEPENDENCIES: readonly BadRow[] = [
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
  ].map((path): BadRow => [
    `a dependency at the path "${path}"`,
    placement({ dependencies: { fields: [{ kind: "Secret", path }] } }),
    "spec.dependencies.fields[0].path",
  ]),
  [
    "a dependency of a kind that never goes along",
    clusterPlacementObject({ dependencies: { fields: [{ kind: "Role", path: "spec.role" }] } }),
    "spec.dependencies.fields[0].kind",
  ],
  [
    "declared dependencies that are not to go along",
    placement({ dependencies: { mode: "None", fields: [{ kind: "Secret", path: "spec.secretName" }] } }),
    "spec.dependencies.fields",
  ],
  [
    "a dependency that is declared twice",
    placement({
      dependencies: {
        fields: [
          { kind: "Secret", path: "spec.secretName" },
          { kind: "Secret", path: "spec.secretName" },
        ],
      },
    }),
    "spec.dependencies.fields[1]",
  ],
];
