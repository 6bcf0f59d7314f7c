import { IMAGE, type KubeObject } from "../../apis/index.ts";
import { podTemplateOf } from "./podTemplates.ts";
import { listOf } from "../values.ts";

const MOST_IMAGES = 8;
const LONGEST = 1024;

/** Each once. A member object may hold anything, so malformed images and those beyond the limit are left out. */
export function imagesOf(object: KubeObject): readonly string[] {
  const images = new Set<string>();
  for (const { image } of listOf(podTemplateOf(object)?.spec["containers"])) {
    if (images.size === MOST_IMAGES) break;
    if (typeof image === "string" && image.length <= LONGEST && IMAGE.test(image)) images.add(image);
  }
  return [...images];
}
