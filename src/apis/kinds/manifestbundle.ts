import { z } from "zod";
import { type KubeObject } from "../metadata/index.ts";
import { atLeastOneOf, withRules } from "../schema/index.ts";

/** How much a bundle may hold. */
export const BUNDLE_BOUNDS = {
  /** Manifests, listed and compressed ones together. */
  manifests: 2_000,
  /** Characters of `compressed`: what etcd takes of one object, less room for a status. */
  compressed: 1_200_000,
  /** Bytes of what `compressed` unpacks to. Nothing beyond is unpacked. */
  unpacked: 8 * 1024 * 1024,
} as const;

/** As many may be listed; more of them go into `compressed`. */
const MOST_LISTED = 500;

/** Any object. What the fields mean, and whether the object may be sent at all, is for {@link judgeManifests} and the member to say. */
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
 * The spec of a bundle as caches keep it: every manifest in one list. Whoever reads bundles from a server unpacks them once; what plans
 * and renders needs no compression, and never sees a bundle that could not be unpacked without being told so.
 */
export interface UnpackedSpec {
  manifests: readonly KubeObject[];
  /** How many of them were listed; the others were compressed. */
  listed: number;
  /** Why `compressed` could not be unpacked. */
  unreadable?: string;
}
