import { IMAGE, type KubeObject } from "../../apis/index.ts";
import { podTemplateOf } from "./podTemplates.ts";
import { listOf } from "../values.ts";

/** Containers of which the images are told. */
const MOST_IMAGES = 8;
/** As long as an image may be on the hub. */
const LONGEST = 1024;

/**
 * The images of the containers of an object with pods, each once. A member may hold anything there: what is no image is left out, and so is what
 * comes after a bounded number of them.
 */
export function imagesOf(object: KubeObject): readonly string[] {
  const images = new Set<string>();
  for (const { image } of listOf(podTemplateOf(object)?.spec["containers"])) {
    if (images.size === MOST_IMAGES) break;
    if (typeof image === "string" && image.length <= LONGEST && IMAGE.test(image)) images.add(image);
  }
  return [...images];
}
