import { gunzipSync } from "node:zlib";
import { BUNDLE_BOUNDS, isRecord, type KubeObject, type UnpackedSpec } from "../apis/index.ts";

/**
 * Unpacks bundles at the boundary: where an object of the hub comes in, in the caches and in the webhooks. What plans and renders is pure, and
 * so never sees compressed text; and since a cache keeps what was unpacked, a bundle is unpacked once for each change of its spec, and not
 * once for each plan. What is unpacked is bounded in size before anything looks at it, so that a small text which unpacks to a large
 * one costs no more than a bundle may.
 */

const TOO_LARGE = `unpacks to more than ${BUNDLE_BOUNDS.unpacked / 1024 / 1024} MiB; make several bundles of it`;
const NOT_GZIP = "is not base64 of gzip; `meridian bundle create` writes it";
const NOT_A_LIST = "unpacks to something else than a JSON list of manifests; `meridian bundle create` writes it";

/** What the spec of a bundle holds, the compressed manifests after those that are listed. */
export function unpackBundle(spec: unknown): UnpackedSpec {
  const { manifests, compressed } = (isRecord(spec) ? spec : {}) as { manifests?: unknown; compressed?: unknown };
  const listed = (Array.isArray(manifests) ? manifests : []) as KubeObject[];
  if (compressed === undefined) return { manifests: listed, listed: listed.length };
  const unpacked = unpack(compressed);
  return typeof unpacked === "string"
    ? { manifests: listed, listed: listed.length, unreadable: unpacked }
    : { manifests: [...listed, ...unpacked], listed: listed.length };
}

/** The manifests, or why they cannot be read. */
function unpack(compressed: unknown): KubeObject[] | string {
  if (typeof compressed !== "string") return NOT_GZIP;
  if (compressed.length > BUNDLE_BOUNDS.compressed) return `is longer than ${BUNDLE_BOUNDS.compressed} characters`;
  let text: string;
  try {
    const bytes = Buffer.from(compressed, "base64");
    text = gunzipSync(bytes, { maxOutputLength: BUNDLE_BOUNDS.unpacked }).toString("utf8");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? TOO_LARGE : NOT_GZIP;
  }
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? (parsed as KubeObject[]) : NOT_A_LIST;
  } catch {
    // The parser's own words quote the text, which may hold a Secret.
    return NOT_A_LIST;
  }
}

/** Unpacks the bundles of one cache, each again only when its compressed text has changed. */
export class BundleContents {
  readonly #known = new Map<string, { compressed: unknown; spec: UnpackedSpec }>();

  /** The bundle as it is kept: with an {@link UnpackedSpec}. */
  unpacked(bundle: KubeObject): KubeObject {
    const given = isRecord(bundle["spec"]) ? bundle["spec"] : {};
    const { uid = "" } = bundle.metadata;
    const { compressed } = given;
    if (compressed === undefined) {
      this.#known.delete(uid);
      return { ...bundle, spec: unpackBundle(given) };
    }
    const known = this.#known.get(uid);
    const listed = Array.isArray(given["manifests"]) ? given["manifests"].length : 0;
    if (known?.compressed === compressed && listed === 0 && known.spec.listed === 0)
      return { ...bundle, spec: known.spec };
    const spec = unpackBundle(given);
    this.#known.set(uid, { compressed, spec });
    return { ...bundle, spec };
  }

  /** That bundle is gone. */
  forget({ metadata }: KubeObject): void {
    this.#known.delete(metadata.uid ?? "");
  }
}
