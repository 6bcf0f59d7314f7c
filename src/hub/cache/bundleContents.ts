import { gunzipSync } from "node:zlib";
import { BUNDLE_BOUNDS, isRecord, type KubeObject, parseJson, type UnpackedSpec } from "../../apis/index.ts";
import { type Clock, JsonTooLargeError, parseJsonInPieces, type Pause, TimeSlice } from "../../runtime/index.ts";
import type { Keeping } from "./hubInformers.ts";
import { withoutBookkeeping } from "./kept.ts";

/**
 * Unpacks bundles where hub objects enter the process, so that planning and rendering never see compressed text. A
 * cache unpacks a bundle once for each change of its text. The size is bounded before anything reads the content, and 8
 * MiB of JSON are parsed in pieces, so no bundle holds the event loop.
 */

/**
 * A manifest may have as many levels as an object in a call of the webhooks. A million values is four times what 8 MiB
 * hold in practice, and needs some 100 MiB of memory.
 */
const LIST = { levels: 10_011, values: 1_000_000 } as const;

const TOO_LARGE = `unpacks to more than ${BUNDLE_BOUNDS.unpacked / 1024 / 1024} MiB; make several bundles of it`;
const TOO_MANY = `unpacks to more than ${BUNDLE_BOUNDS.manifests} manifests; make several bundles of it`;
const TOO_COMPLEX = "unpacks to more levels or values than any API server takes; make several bundles of it";
const NOT_GZIP = "is not base64 of gzip; `meridian bundle create` writes it";
const NOT_A_LIST = "unpacks to something else than a JSON list of manifests; `meridian bundle create` writes it";

/** The manifests of a compressed text, or the reason why they cannot be read. */
export type Unpacked = readonly KubeObject[] | string;

/** The listed manifests of a spec, then the compressed ones. */
export function unpackedSpec(spec: unknown, unpacked: Unpacked = []): UnpackedSpec {
  const { manifests } = (isRecord(spec) ? spec : {}) as { manifests?: unknown };
  const listed = (Array.isArray(manifests) ? manifests : []) as KubeObject[];
  return typeof unpacked === "string"
    ? { manifests: listed, listed: listed.length, unreadable: unpacked }
    : { manifests: [...listed, ...unpacked], listed: listed.length };
}

/** Compressed contents, of any type; undefined if there are none. */
export function compressedIn(spec: unknown): unknown {
  return isRecord(spec) ? spec["compressed"] : undefined;
}

/** In time slices. Never rejects. */
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

/** Unzipping 8 MiB takes some 20 ms; only parsing takes long. */
function gunzipped(compressed: unknown): Buffer | string {
  if (typeof compressed !== "string") return NOT_GZIP;
  if (compressed.length > BUNDLE_BOUNDS.compressed) return `is longer than ${BUNDLE_BOUNDS.compressed} characters`;
  try {
    return gunzipSync(Buffer.from(compressed, "base64"), { maxOutputLength: BUNDLE_BOUNDS.unpacked });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? TOO_LARGE : NOT_GZIP;
  }
}

/** As {@link unpackBundle}, for a command without other work. */
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

/** Never rejects. */
export async function unpackBundle(spec: unknown, clock: Clock): Promise<UnpackedSpec> {
  const compressed = compressedIn(spec);
  return unpackedSpec(spec, compressed === undefined ? [] : await unpack(compressed, clock));
}

/** Bundles of one cache: the informer awaits `prepare` for each, and keeps the result of `transform`. */
export class BundleContents implements Keeping<KubeObject> {
  readonly #clock: Clock;
  readonly #known = new Map<string, { compressed: unknown; unpacked: Unpacked; spec?: UnpackedSpec }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined if nothing is to be unpacked. */
  readonly prepare = ({ metadata, spec }: KubeObject): Promise<void> | undefined => {
    const { uid = "" } = metadata;
    const compressed = compressedIn(spec);
    if (compressed === undefined || this.#known.get(uid)?.compressed === compressed) return undefined;
    return unpack(compressed, this.#clock).then((unpacked) => void this.#known.set(uid, { compressed, unpacked }));
  };

  /** Without listed manifests the spec stays the same object until its content changes, so that comparing is quick. */
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

  forget({ metadata }: KubeObject): void {
    this.#known.delete(metadata.uid ?? "");
  }
}
