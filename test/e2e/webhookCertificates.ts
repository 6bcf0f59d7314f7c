import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_SYSTEM_NAMESPACE } from "../../src/apis/index.ts";
import { CertificateAuthority } from "../../src/certificates/index.ts";
import type { Plane } from "../envtest/index.ts";
import { objectPath } from "./objects.ts";

export const CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/demoapplications.paas.cmft.com";
export const CERTIFICATES = objectPath("Secret", DEFAULT_SYSTEM_NAMESPACE, "meridian-webhooks");
export const CONFIGURATION = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/meridian";

/** Writes a certificate and its authority, as cert-manager would. Returns the authority. */
export async function issueInto(folder: string, name: string): Promise<string> {
  const now = Date.now();
  const authority = await CertificateAuthority.create({ name, now });
  const { certPem, keyPem } = await authority.issue({ name, hosts: ["127.0.0.1"], now });
  const files = { "ca.crt": authority.caPem, "tls.crt": certPem, "tls.key": keyPem };
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  return authority.caPem.trim();
}

/** What the manager keeps of its authorities. */
export async function certificateState(hub: Plane): Promise<Record<string, unknown>> {
  const { data } = (await hub.api.get(CERTIFICATES)) as unknown as { data: Record<string, string> };
  return JSON.parse(Buffer.from(data["state.json"] ?? "", "base64").toString()) as Record<string, unknown>;
}

/** The certificates that are to be trusted, by the Secret. */
export async function authorities(hub: Plane): Promise<string[]> {
  const { data } = (await hub.api.get(CERTIFICATES)) as unknown as { data: Record<string, string> };
  return split(Buffer.from(data["ca.crt"] ?? "", "base64").toString());
}

/** What the CRD and the first webhook of the configuration trust. */
export async function publishedBundles(hub: Plane): Promise<string[]> {
  const crd = (await hub.api.get(CRD)) as unknown as {
    spec: { conversion: { webhook: { clientConfig: { caBundle?: string } } } };
  };
  const configuration = (await hub.api.get(CONFIGURATION)) as unknown as {
    webhooks: { clientConfig: { caBundle?: string } }[];
  };
  return [crd.spec.conversion.webhook.clientConfig, configuration.webhooks[0]?.clientConfig].map((config) =>
    split(Buffer.from(config?.caBundle ?? "", "base64").toString()).join("\n"),
  );
}

function split(pem: string): string[] {
  return [...pem.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)].map(([block]) => block);
}
