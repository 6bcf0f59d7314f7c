import { gunzipSync } from "node:zlib";
import { BUNDLE_BOUNDS, isRecord, type KubeObject, parseJson, type UnpackedSpec } from "../../apis/index.ts";
import { type Clock, JsonTooLargeError, parseJsonInPieces, type Pause, TimeSlice } from "../../runtime/index.ts";
import type { Keeping } from "./hubInformers.ts";
import { withoutBookkeeping } from "./kept.ts";

/**
 * Unpacks bundles where hub objects enter the process: in the caches, in the webhooks and in `meridian plan`. Planning
 * and rendering are pure, and never see compressed text. A cache keeps the unpacked content, so a bundle is unpacked
 * once for each change of its spec, not once for each plan. The unpacked size is bounded before anything reads the
 * content, so a small text that unpacks to a huge text costs no more than the largest bundle. 8 MiB of JSON are parsed
 * in pieces, so no bundle holds the event loop.
 */

/**
 * Bounds of the whole list. A manifest may have as many levels as an object in a call of the webhooks, and the list is
 * one more level. A million values is four times what a list of 8 MiB holds in practice, and needs some 100 MiB of
 * memory at most.
 */
const LIST = { levels: 10_011, values: 1_000_000 } as const;

const TOO_LARGE = `unpacks to more than ${BUNDLE_BOUNDS.unpacked / 1024 / 1024} MiB; make several bundles of it`;
const TOO_MANY = `unpacks to more than ${BUNDLE_BOUNDS.manifests} manifests; make several bundles of it`;
const TOO_COMPLEX = "unpacks to more levels or values than any API server takes; make several bundles of it";
const NOT_GZIP = "is not base64 of gzip; `meridian bundle create` writes it";
const NOT_A_LIST = "unpacks to something else than a JSON list of manifests; `meridian bundle create` writes it";

/** Content of a bundle's compressed text: the manifests, or the reason why they cannot be read. */
export type Unpacked = readonly KubeObject[] | string;

/**
 * Content of a bundle's spec: the listed manifests, then the compressed manifests. `unpacked`: content of the
 * compressed text, if there is one.
 */
export function unpackedSpec(spec: unknown, unpacked: Unpacked = []): UnpackedSpec {
  const { manifests } = (isRecord(spec) ? spec : {}) as { manifests?: unknown };
  const listed = (Array.isArray(manifests) ? manifests : []) as KubeObject[];
  return typeof unpacked === "string"
    ? { manifests: listed, listed: listed.length, unreadable: unpacked }
    : { manifests: [...listed, ...unpacked], listed: listed.length };
}

/** Compressed text in the spec of a bundle, of any type; undefined if there is none. */
export function compressedIn(spec: unknown): unknown {
  return isRecord(spec) ? spec["compressed"] : undefined;
}

/** Unpacks the compressed text of a bundle in time slices. Never rejects. */
export async function unpack(compressed: unknown, clock: Clock): Promise<Unpacked> {
  const bytes = gunzipped(compressed);
  if (typeof bytes === "string") return bytes;
  const slice = TimeSlice.of(clock);
  const pause: Pause = () => (slice.spent ? waited(slice) : undefined);
  try {
    return manifestsIn(await parseJsonInPieces(bytes.toString("utf8"), LIST, pause));
  } catch (error) {
    // The message of the parser quotes the text, which may hold a Secret.
    return error instanceof JsonTooLargeError ? TOO_COMPLEX : NOT_A_LIST;
  }
}

function manifestsIn(list: unknown): Unpacked {
  if (!Array.isArray(list)) return NOT_A_LIST;
  return list.length > BUNDLE_BOUNDS.manifests ? TOO_MANY : (list as KubeObject[]);
}

/** Unzipped JSON, or the reason of the failure. Unzipping 8 MiB takes some 20 ms; only parsing takes long. */
function gunzipped(compressed: unknown): Buffer | string {
  if (typeof compressed !== "string") return NOT_GZIP;
  if (compressed.length > BUNDLE_BOUNDS.compressed) return `is longer than ${BUNDLE_BOUNDS.compressed} characters`;
  try {
    return gunzipSync(Buffer.from(compressed, "base64"), { maxOutputLength: BUNDLE_BOUNDS.unpacked });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? TOO_LARGE : NOT_GZIP;
  }
}

/** As {@link unpackBundle}, but synchronous: for a command without other work. */
export function unpackBundleAtOnce(spec: unknown): UnpackedSpec {
  const compressed = compressedIn(spec);
  if (compressed === undefined) return unpackedSpec(spec);
  const bytes = gunzipped(compressed);
  if (typeof bytes === "string") return unpackedSpec(spec, bytes);
  try {
    return unpackedSpec(spec, manifestsIn(parseJson(bytes.toString("utf8"))));
  } catch {
    return unpackedSpec(spec, NOT_A_LIST);
  }
}

async function waited(slice: TimeSlice): Promise<void> {
  while (slice.spent) await slice.next();
}

/** Content of a bundle's spec, unpacked if compressed. Never rejects. */
export async function unpackBundle(spec: unknown, clock: Clock): Promise<UnpackedSpec> {
  const compressed = compressedIn(spec);
  return unpackedSpec(spec, compressed === undefined ? [] : await unpack(compressed, clock));
}

/**
 * Unpacks the bundles of one cache: the informer awaits `prepare` for each bundle, and keeps the result of `transform`.
 * A bundle is unpacked again only when its compressed text has changed.
 */
export class BundleContents implements Keeping<KubeObject> {
  readonly #clock: Clock;
  readonly #known = new Map<string, { compressed: unknown; unpacked: Unpacked; spec?: UnpackedSpec }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Unpacks the compressed text of a bundle. Undefined if that was done already, or if there is no compressed text.
   */
  readonly prepare = ({ metadata, spec }: KubeObject): Promise<void> | undefined => {
    const { uid = "" } = metadata;
    const compressed = compressedIn(spec);
    if (compressed === undefined || this.#known.get(uid)?.compressed === compressed) return undefined;
    return unpack(compressed, this.#clock).then((unpacked) => void this.#known.set(uid, { compressed, unpacked }));
  };

  /**
   * Returns a prepared bundle as the cache keeps it, with an {@link UnpackedSpec}. If all manifests are compressed, the
   * spec stays the same object until its content changes, so that a comparison with the previous bundle is quick.
   */
  readonly transform = (given: KubeObject): KubeObject => {
    const bundle = withoutBookkeeping(given);
    const { uid = "" } = bundle.metadata;
    const compressed = compressedIn(bundle["spec"]);
    const known = this.#known.get(uid);
    if (compressed === undefined) {
      this.#known.delete(uid);
      return { ...bundle, spec: unpackedSpec(bundle["spec"]) };
    }
    if (known?.compressed !== compressed) throw new Error(`bundle ${bundle.metadata.name} has not been unpacked`);
    const spec = unpackedSpec(bundle["spec"], known.unpacked);
    if (spec.listed > 0) return { ...bundle, spec };
    known.spec ??= spec;
    return { ...bundle, spec: known.spec };
  };

  /** Drops the content of a deleted bundle. */
  forget({ metadata }: KubeObject): void {
    this.#known.delete(metadata.uid ?? "");
  }
}
