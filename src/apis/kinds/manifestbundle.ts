import { z } from "zod";
import { type KubeObject } from "../metadata/index.ts";
import { atLeastOneOf, withRules } from "../schema/index.ts";

export const BUNDLE_BOUNDS = {
  /** Manifests, listed and compressed ones together. */
  manifests: 2_000,
  /** Characters of `compressed`: etcd's limit for one object, less room for a status. */
  compressed: 1_200_000,
  /** Bytes; unpacking stops here. */
  unpacked: 8 * 1024 * 1024,
} as const;

/** A larger bundle uses `compressed`. */
const MOST_LISTED = 500;

/** {@link judgeManifests} decides whether the object may be sent, and the member whether its fields are valid. */
const manifest = z
  .looseObject({
    apiVersion: z.string().min(1).max(317),
    kind: z.string().min(1).max(63),
    metadata: z.looseObject({}),
  })
  .meta({ "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true });

export const manifestBundleSpec = withRules(
  z.object({
    manifests: z
      .array(manifest)
      .max(MOST_LISTED)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .optional()
      .describe(
        "The objects for the members, as they are to be applied. Without a namespace an object goes into that of the bundle.",
      ),
    compressed: z
      .string()
      .min(1)
      .max(BUNDLE_BOUNDS.compressed)
      .regex(/^[A-Za-z0-9+/]+={0,2}$/, "must be base64 without line breaks")
      .optional()
      .describe(
        "More of them, where the list would be larger than one object may be: base64 of gzip of a JSON list, as `meridian bundle create` writes it. Unpacked at most 8 MiB.",
      ),
  }),
  atLeastOneOf("manifests", "compressed"),
);

/** The spec of a bundle as caches keep it: unpacked once, with all manifests in one list. */
export interface UnpackedSpec {
  manifests: readonly KubeObject[];
  /** How many come from the list in the bundle; the others were compressed. */
  listed: number;
  /** Why `compressed` could not be unpacked. */
  unreadable?: string;
}
