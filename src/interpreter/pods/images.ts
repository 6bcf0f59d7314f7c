import { IMAGE, type KubeObject } from "../../apis/index.ts";
import { podTemplateOf } from "./podTemplates.ts";
import { listOf } from "../values.ts";

/** Most images to report. */
const MOST_IMAGES = 8;
/** Longest image on the hub. */
const LONGEST = 1024;

/**
 * Images of an object's containers, each once. A member object may hold anything: malformed images are left out, and so
 * are images beyond the limit.
 */
export function imagesOf(object: KubeObject): readonly string[] {
  const images = new Set<string>();
  for (const { image } of listOf(podTemplateOf(object)?.spec["containers"])) {
    if (images.size === MOST_IMAGES) break;
    if (typeof image === "string" && image.length <= LONGEST && IMAGE.test(image)) images.add(image);
  }
  return [...images];
}
