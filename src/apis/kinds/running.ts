import { z } from "zod";
import { count } from "../schema/index.ts";

/** What clusters run beside what the hub wants; bounded, since an object may have many clusters. */

export const MOST_VERSIONS = 10;
/** For the images of one version; a longer text is cut. */
export const LONGEST_IMAGE = 320;

const version = z.object({
  image: z
    .string()
    .max(LONGEST_IMAGE)
    .exactOptional()
    .describe("The image of its containers, several by commas. Absent of what has no pods, or many images."),
  revision: count
    .exactOptional()
    .describe("The revision, as `meridian rollout history NAME` lists it. Absent where nobody knows it."),
});

/** Both in each entry: overrides may want another image on each cluster. */
export const runningThere = version
  .extend({ wanted: version.describe("The version that the hub wants on the cluster.") })
  .describe("The version that the cluster runs, where that is not the one that the hub wants there.");

export const running = z
  .object({
    summary: z
      .string()
      .max(1024)
      .describe(
        "For people. The image that the clusters run; where some clusters run what the hub does not want there: that image or revision, and on how many clusters.",
      ),
    clusters: count.exactOptional().describe("How many clusters run the object. Set along with `differing`."),
    differing: count
      .exactOptional()
      .describe("How many of them run what the hub does not want there. Absent: none does."),
    versions: z
      .array(
        version.extend({
          wanted: z.literal(true).exactOptional().describe("The hub wants that version."),
          clusters: count.describe("How many clusters run it."),
        }),
      )
      .max(MOST_VERSIONS)
      .exactOptional()
      .describe("Set along with `differing`: what is wanted, and then what runs instead, the most frequent first."),
  })
  .meta({ "x-kubernetes-map-type": "atomic" });

/** As people recognize it: image and revision. */
export type Version = z.infer<typeof version>;
/** Versions that one cluster runs beside the wanted one. */
export type RunningThere = z.infer<typeof runningThere>;
export type Running = z.infer<typeof running>;
