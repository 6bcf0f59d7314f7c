import { z } from "zod";
import { hashOfText } from "../values/index.ts";
import type { FederatedStatus } from "./demoapplication.ts";
import { type ObjectMeta, type ObjectRef, parseApiVersion, refKey } from "../metadata/index.ts";
import { DNS_SUBDOMAIN } from "../schema/index.ts";

/** What a binding is about. */
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
 * Decision and status of one hub object that is sent to members as it is, and so has no status of Meridian's own: what the status of a
 * DemoApplication is to the DemoApplication. Written by Meridian only; never holds anything of the object but its name.
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
/** Two objects must not share a name; a hash over which object it is keeps them apart. */
const HASH = 16;

/**
 * Name of the binding of an object: `<kind>.<group>.<name>`, as `mysqlcluster.mysql.presslabs.org.my-db`, and `configmap.my-config` for the
 * kinds of the core group. A name that would be too long, that holds characters which the name of an object may not have, or that could
 * be the name of another object's binding as well ends in a hash of the object's own key: the same one each time.
 */
export function bindingName(ref: ObjectRef): string {
  const { group } = parseApiVersion(ref.apiVersion);
  const plain = [ref.kind.toLowerCase(), ...(group === "" ? [] : [group]), ref.name].join(".");
  // Before a dotted name a group without dots could end anywhere in the name.
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
