import { z } from "zod";
import { hashOfText } from "../values/index.ts";
import type { FederatedStatus } from "./demoapplication.ts";
import { type ObjectMeta, type ObjectRef, parseApiVersion, refKey } from "../metadata/index.ts";
import { DNS_SUBDOMAIN } from "../schema/index.ts";

export const resourceBindingSpec = z.object({
  resource: z
    .object({
      apiVersion: z.string().min(1).max(317),
      kind: z.string().min(1).max(63),
      namespace: z.string().min(1).max(63).exactOptional(),
      name: z.string().min(1).max(253),
      uid: z.string().min(1).max(128).describe("Which life of the object is meant."),
    })
    .meta({ "x-kubernetes-map-type": "atomic" })
    .describe("The object of the hub whose decision and status this is."),
});

export type ResourceBindingSpec = z.infer<typeof resourceBindingSpec>;

/**
 * Decision and status of a hub object that is sent to members as it is, since its own status belongs to others. Only
 * Meridian writes bindings. A binding refers to the object, and holds none of its content.
 */
export interface ResourceBinding {
  apiVersion: string;
  kind: "ResourceBinding" | "ClusterResourceBinding";
  metadata: ObjectMeta;
  spec: ResourceBindingSpec;
  status?: FederatedStatus;
}

export function isBinding({ kind }: { kind: string }): boolean {
  return kind === "ResourceBinding" || kind === "ClusterResourceBinding";
}

const MAX_NAME = 253;
const HASH = 16;

/**
 * `<kind>.<group>.<name>`, such as `mysqlcluster.mysql.presslabs.org.my-db`; without the core group:
 * `configmap.my-config`. It ends in a hash of the object's key if the plain name is too long, is no DNS name, or could
 * be another object's too. The name never changes.
 */
export function bindingName(ref: ObjectRef): string {
  const { group } = parseApiVersion(ref.apiVersion);
  const plain = [ref.kind.toLowerCase(), ...(group === "" ? [] : [group]), ref.name].join(".");
  // If the name has dots and the group has none, the plain name does not show where the group ends.
  const isAmbiguous = ref.name.includes(".") && !group.includes(".");
  if (!isAmbiguous && plain.length <= MAX_NAME && DNS_SUBDOMAIN.test(plain)) return plain;
  const readable = plain
    .replaceAll(/[^a-z0-9.-]+/g, "-")
    .slice(0, MAX_NAME - HASH - 1)
    .split(".")
    .map((label) => label.split("-").filter(Boolean).join("-"))
    .filter(Boolean)
    .join(".");
  return `${readable}-${hashOfText(refKey(ref))}`;
}
