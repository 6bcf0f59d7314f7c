import { z } from "zod";
import type { KubeObject } from "../../apis/index.ts";
import { ROTATE_ANNOTATION } from "../wellknown.ts";
import { type CertificateState, trustBundle } from "./rotation.ts";

/** One JSON text in the Secret; beside it lie the usual three files, for mounting. */
const STATE_KEY = "state.json";

const pair = z.object({ certPem: z.string(), keyPem: z.string() });
const stateSchema = z.object({
  current: pair,
  next: pair.extend({ publishedAt: z.number().exactOptional() }).exactOptional(),
  previous: z.object({ certPem: z.string(), retiredAt: z.number() }).exactOptional(),
  serving: pair.extend({ hosts: z.array(z.string()) }),
  rotation: z.string().exactOptional(),
});

export interface StoredCertificates {
  resourceVersion: string | undefined;
  /** Undefined when there is no readable state; the Secret is then written anew. */
  state: CertificateState | undefined;
  rotation: string | undefined;
}

export function readSecret(secret: KubeObject): StoredCertificates {
  const { resourceVersion, annotations } = secret.metadata;
  const data = (secret["data"] ?? {}) as Record<string, string>;
  return { resourceVersion, state: readState(data[STATE_KEY]), rotation: annotations?.[ROTATE_ANNOTATION] };
}

function readState(encoded: string | undefined): CertificateState | undefined {
  if (encoded === undefined) return undefined;
  try {
    return stateSchema.parse(JSON.parse(Buffer.from(encoded, "base64").toString("utf8")));
  } catch {
    // Somebody overwrote the state. It counts as missing.
    return undefined;
  }
}

export function writeSecretData(state: CertificateState): Record<string, string> {
  const files = {
    [STATE_KEY]: JSON.stringify(state),
    "ca.crt": trustBundle(state),
    "tls.crt": state.serving.certPem,
    "tls.key": state.serving.keyPem,
  };
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString("base64")]));
}
