import { z } from "zod";
import { type KubeObject } from "../metadata/index.ts";
import { atLeastOneOf, withRules } from "../schema/index.ts";

/** Size limits of a bundle. */
export const BUNDLE_BOUNDS = {
  /** Manifests, listed and compressed ones together. */
  manifests: 2_000,
  /** Characters of `compressed`: etcd's limit for one object, less room for a status. */
  compressed: 1_200_000,
  /** Bytes of `compressed` after unpacking. Unpacking stops at this limit. */
  unpacked: 8 * 1024 * 1024,
} as const;

/** Maximum number of entries in `manifests`. A larger bundle uses `compressed`. */
const MOST_LISTED = 500;

/**
 * Any object. The schema does not check its fields: {@link judgeManifests} decides whether the object may be sent, and
 * the member decides whether its fields are valid.
 */
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

/**
 * The spec of a bundle as caches keep it: all manifests in one list. Code that reads bundles from a server unpacks them
 * once. So planning and rendering need no decompression, and `unreadable` tells them when unpacking failed.
 */
export interface UnpackedSpec {
  manifests: readonly KubeObject[];
  /** Number of manifests that come from the list in the bundle. The others were compressed. */
  listed: number;
  /** Reason why `compressed` could not be unpacked. */
  unreadable?: string;
}
