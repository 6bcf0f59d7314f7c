import { z } from "zod";
import type { KubeObject } from "../../apis/index.ts";
import { ROTATE_ANNOTATION } from "../wellknown.ts";
import { type CertificateState, trustBundle } from "./rotation.ts";

/** How a {@link CertificateState} lies in a Secret: as one JSON text, and beside it the usual three files for whoever mounts it. */
const STATE_KEY = "state.json";

const pair = z.object({ certPem: z.string(), keyPem: z.string() });
const stateSchema = z.object({
  current: pair,
  next: pair.extend({ publishedAt: z.number().exactOptional() }).exactOptional(),
  previous: z.object({ certPem: z.string(), retiredAt: z.number() }).exactOptional(),
  serving: pair.extend({ hosts: z.array(z.string()) }),
  rotation: z.string().exactOptional(),
});

/** What one life of the Secret says. */
export interface StoredCertificates {
  resourceVersion: string | undefined;
  /** Undefined: it holds nothing that can be read, and is written anew. */
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
    // Whatever somebody wrote there is of no use to anybody.
    return undefined;
  }
}

/** `data` of the Secret. */
export function writeSecretData(state: CertificateState): Record<string, string> {
  const files = {
    [STATE_KEY]: JSON.stringify(state),
    "ca.crt": trustBundle(state),
    "tls.crt": state.serving.certPem,
    "tls.key": state.serving.keyPem,
  };
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString("base64")]));
}
