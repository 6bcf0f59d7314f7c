import { z } from "zod";
import { command, envVars } from "./container.ts";
import { FEDERATION_GROUP, type ObjectMeta } from "../metadata/index.ts";
import {
  atLeastOneOf,
  clusterSelector,
  IMAGE_DIGEST,
  IMAGE_REGISTRY,
  IMAGE_REPOSITORY,
  IMAGE_TAG,
  JSON_POINTER,
  KIND,
  LABEL_KEYS_RULE,
  labelMap,
  PROTECTED_POINTER,
  resourceSelectors,
  withRules,
} from "../schema/index.ts";
import type { PolicyStatus } from "./placement.ts";

const pointer = z.string().min(1).max(384).regex(JSON_POINTER, "must be a JSON pointer, such as /spec/type");
const protectedPattern = PROTECTED_POINTER.source.replaceAll("\\/", "/");

/** RFC 6902 operation. `kind` selects the rendered objects to patch; all of them when absent. */
export const patchOperation = withRules(
  z
    .object({
      kind: z.string().min(1).max(63).regex(KIND, "must be a kind, such as Deployment").optional(),
      op: z.enum(["add", "remove", "replace", "move", "copy", "test"]),
      path: pointer,
      from: pointer.optional(),
      value: z.unknown().meta({ "x-kubernetes-preserve-unknown-fields": true, nullable: true }).optional(),
    })
    // CEL cannot read a field without a type, so the schema says when `value` is required.
    .superRefine(({ op, value }, context) => {
      if (value === undefined && (op === "add" || op === "replace" || op === "test")) {
        context.addIssue({
          code: "custom",
          path: ["value"],
          message: `op ${op} needs a value; give one, or use op remove`,
        });
      }
    })
    .meta({
      // The server reports the branch that fits best. Both branches name their operations, so that this is the branch
      // that lacks `value`.
      anyOf: [
        { required: ["value"], properties: { op: { enum: ["add", "replace", "test"] } } },
        { properties: { op: { enum: ["remove", "move", "copy"] } } },
      ],
    }),
  {
    rule: "!(self.op in ['move', 'copy']) || has(self.from)",
    message: "from: op move and copy need it; give the path of the value",
    field: "from",
    holds: ({ op, from }) => !["move", "copy"].includes(op) || from !== undefined,
  },
  {
    rule: "!has(self.from) || self.op in ['move', 'copy']",
    message: "from: remove it; only op move and copy take it",
    field: "from",
    holds: ({ op, from }) => from === undefined || ["move", "copy"].includes(op),
  },
  {
    rule: `self.op == 'test' || !self.path.matches('${protectedPattern}')`,
    message:
      "path: an override may not change what an object is called, whose it is or what the server keeps of it; choose another path",
    field: "path",
    holds: ({ op, path }) => op === "test" || !PROTECTED_POINTER.test(path),
  },
  {
    rule: `self.op != 'move' || !has(self.from) || !self.from.matches('${protectedPattern}')`,
    message:
      "from: an override may not take away what an object is called, whose it is or what the server keeps of it; choose another path",
    field: "from",
    holds: ({ op, from }) => op !== "move" || from === undefined || !PROTECTED_POINTER.test(from),
  },
);

const imageOverride = withRules(
  z.object({
    registry: z
      .string()
      .min(1)
      .max(253)
      .regex(IMAGE_REGISTRY, "must be a host, with a port where it needs one")
      .optional(),
    repository: z.string().min(1).max(255).regex(IMAGE_REPOSITORY, "must be a repository, such as team/web").optional(),
    tag: z.string().min(1).max(128).regex(IMAGE_TAG, "must be a tag, such as 1.27").optional(),
    digest: z.string().min(1).max(255).regex(IMAGE_DIGEST, "must be a digest, such as sha256:...").optional(),
  }),
  atLeastOneOf("registry", "repository", "tag", "digest"),
);

const OWN_KEYS = `${FEDERATION_GROUP}/`;

const notOurs = {
  rule: `self.all(key, !key.startsWith('${OWN_KEYS}'))`,
  message: `keys that begin with ${OWN_KEYS} are Meridian's own; remove them`,
  holds: (value: Readonly<Record<string, string>>) => Object.keys(value).every((key) => !key.startsWith(OWN_KEYS)),
};

export const overrideRule = withRules(
  z.object({
    targetClusters: clusterSelector.optional().describe("Absent: every cluster."),
    replicas: z.int().min(0).max(1000).optional().describe("Wins over replicaScheduling of the Placement."),
    image: imageOverride
      .optional()
      .describe("Replaces parts of the image of the main container; `registry` of every container and init container."),
    command: command.optional(),
    args: command.optional(),
    env: envVars.optional().describe("Added to the main container; replaces variables of the same name."),
    labels: withRules(labelMap, notOurs).optional(),
    annotations: withRules(
      z.record(z.string(), z.string().max(65536)).meta({ maxProperties: 32 }),
      LABEL_KEYS_RULE,
      notOurs,
    ).optional(),
    patches: z.array(patchOperation).min(1).max(32).optional(),
  }),
  atLeastOneOf("replicas", "image", "command", "args", "env", "labels", "annotations", "patches"),
);

export const overridePolicySpec = z.object({
  resourceSelectors,
  rules: z.array(overrideRule).min(1).max(64).describe("All that fit a cluster are applied, in order; the later wins."),
});

export type PatchOperation = z.infer<typeof patchOperation>;
export type OverrideRule = z.infer<typeof overrideRule>;
export type OverridePolicySpec = z.infer<typeof overridePolicySpec>;

export interface OverridePolicy {
  apiVersion: string;
  kind: "OverridePolicy" | "ClusterOverridePolicy";
  metadata: ObjectMeta;
  spec: OverridePolicySpec;
  status?: PolicyStatus;
}
