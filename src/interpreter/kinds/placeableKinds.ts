import { FEDERATION_GROUP, kindKey } from "../../apis/index.ts";

/** Kinds that may be placed unchanged: every kind except those named here with the reason. */

interface Kind {
  group: string;
  kind: string;
}

const ONE_CLUSTERS_NEWS = "it tells what happened in one cluster";
const KEPT_BY_CONTROLLERS = "the controllers of each cluster keep their own";
const HARDWARE = "it stands for what a cluster is made of";
const A_QUESTION = "it is a question to the server, and nothing that is stored";

/** Kinds, and whole groups (`group/*`), that are never placed, and why. */
const NEVER: Readonly<Record<string, string>> = {
  "/Binding": A_QUESTION,
  "/ComponentStatus": ONE_CLUSTERS_NEWS,
  "/Endpoints": KEPT_BY_CONTROLLERS,
  "/Event": ONE_CLUSTERS_NEWS,
  "/Namespace": "Meridian makes the namespaces on members that the objects in them need",
  "/Node": HARDWARE,
  "apiregistration.k8s.io/APIService": "a broken one keeps every namespace of a member from being deleted",
  "apps/ControllerRevision": KEPT_BY_CONTROLLERS,
  "authentication.k8s.io/*": A_QUESTION,
  "authorization.k8s.io/*": A_QUESTION,
  "certificates.k8s.io/CertificateSigningRequest": "it asks one cluster's authority for a certificate",
  "coordination.k8s.io/*": KEPT_BY_CONTROLLERS,
  "discovery.k8s.io/*": KEPT_BY_CONTROLLERS,
  "events.k8s.io/*": ONE_CLUSTERS_NEWS,
  "internal.apiserver.k8s.io/*": KEPT_BY_CONTROLLERS,
  "metrics.k8s.io/*": ONE_CLUSTERS_NEWS,
  "custom.metrics.k8s.io/*": ONE_CLUSTERS_NEWS,
  "external.metrics.k8s.io/*": ONE_CLUSTERS_NEWS,
  "networking.k8s.io/IPAddress": KEPT_BY_CONTROLLERS,
  "resource.k8s.io/ResourceSlice": HARDWARE,
  "storage.k8s.io/CSINode": HARDWARE,
  "storage.k8s.io/CSIStorageCapacity": HARDWARE,
  "storage.k8s.io/VolumeAttachment": KEPT_BY_CONTROLLERS,
  "storagemigration.k8s.io/*": KEPT_BY_CONTROLLERS,
};

const CAN_STOP_A_CLUSTER = "it can refuse every write of a cluster";

/** Kinds whose objects only a selector with the object's name selects, and why. */
const BY_NAME_ONLY: Readonly<Record<string, string>> = {
  "admissionregistration.k8s.io/*": CAN_STOP_A_CLUSTER,
  "flowcontrol.apiserver.k8s.io/*": CAN_STOP_A_CLUSTER,
};

/** Why objects of the kind are never sent to members; undefined if they may be sent. */
export function whyNeverPlaced({ group, kind }: Kind): string | undefined {
  if (group === FEDERATION_GROUP)
    return kind === "ManifestBundle" ? undefined : "Meridian's own policies and clusters stay on the hub";
  return found(NEVER, { group, kind });
}

/** First kind that is never placed and that a person may have meant, with the reason. */
export function neverPlacedAs(isMeant: (kind: Kind) => boolean): { kind: string; why: string } | undefined {
  const known = Object.keys(NEVER).map((name) => {
    const [group = "", kind = ""] = name.split("/");
    return { group, kind };
  });
  const own = OWN_KINDS.map((kind) => ({ group: FEDERATION_GROUP, kind }));
  const never = [...known, ...own].find(isMeant);
  const why = never === undefined ? undefined : whyNeverPlaced(never);
  return never === undefined || why === undefined ? undefined : { kind: never.kind, why };
}

/** Meridian's own kinds that are never placed. */
const OWN_KINDS: readonly string[] = [
  "ClusterOverridePolicy",
  "ClusterPlacement",
  "ClusterResourceBinding",
  "MemberCluster",
  "OverridePolicy",
  "Placement",
  "ResourceBinding",
];

/** Why only a selector with a name selects objects of the kind; undefined if any selector does. */
export function whyByNameOnly(kind: Kind): string | undefined {
  return found(BY_NAME_ONLY, kind);
}

function found(table: Readonly<Record<string, string>>, { group, kind }: Kind): string | undefined {
  const name = kindKey({ group, kind });
  if (Object.hasOwn(table, name)) return table[name];
  const all = `${group}/*`;
  return Object.hasOwn(table, all) ? table[all] : undefined;
}
