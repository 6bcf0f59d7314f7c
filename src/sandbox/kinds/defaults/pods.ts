import { isFields, isMissing, text } from "../values.ts";
import { isLatest } from "./containers.ts";
import { complete, innerList, optionalInner, type Struct, type StructDefaults } from "./struct.ts";

const CORE = "io.k8s.api.core.v1.";
const MODE = 0o644;

const mode: StructDefaults = (struct) => complete(struct, { defaultMode: MODE });

const podSpec: StructDefaults = (struct) => {
  complete(struct, {
    dnsPolicy: "ClusterFirst",
    restartPolicy: "Always",
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    schedulerName: "default-scheduler",
  });
  // `serviceAccount` is the deprecated name of `serviceAccountName`; the server writes both.
  if (isMissing(struct["serviceAccountName"])) copy(struct, "serviceAccount", "serviceAccountName");
  copy(struct, "serviceAccountName", "serviceAccount");
};

function copy(struct: Struct, from: string, to: string): void {
  if (!isMissing(struct[from])) struct[to] = struct[from];
}

const pod: StructDefaults = (struct) => {
  const spec = optionalInner(struct, "spec");
  if (spec === undefined) return;
  const containers = [...innerList(spec, "containers"), ...innerList(spec, "initContainers")];
  for (const container of containers) requestLimits(container);
  complete(spec, { enableServiceLinks: true });
  if (spec["hostNetwork"] !== true) return;
  for (const port of containers.flatMap((container) => innerList(container, "ports"))) {
    complete(port, { hostPort: port["containerPort"] });
  }
};

/** In a Pod, unlike in a template, requests default to limits. */
function requestLimits(container: Struct): void {
  const resources = optionalInner(container, "resources");
  const limits = resources?.["limits"];
  if (resources === undefined || !isFields(limits)) return;
  const requests = isFields(resources["requests"]) ? resources["requests"] : {};
  resources["requests"] = { ...limits, ...requests };
}

/** A volume without a source is an emptyDir. */
const volume: StructDefaults = (struct) => {
  if (Object.keys(struct).every((field) => field === "name")) struct["emptyDir"] = {};
  const image = optionalInner(struct, "image");
  if (image === undefined) return;
  complete(image, { pullPolicy: isLatest(text(image["reference"])) ? "Always" : "IfNotPresent" });
};

export const podDefaults: Readonly<Record<string, StructDefaults>> = {
  [`${CORE}Pod`]: pod,
  // `podIP` is the first of `podIPs`. A client that writes only one of them means both.
  [`${CORE}PodStatus`](struct) {
    const [first] = innerList(struct, "podIPs");
    const { podIP } = struct;
    if (typeof podIP === "string" && podIP !== first?.["ip"]) struct["podIPs"] = [{ ip: podIP }];
    else if (first !== undefined) complete(struct, { podIP: first["ip"] });
  },
  [`${CORE}NodeSpec`](struct) {
    const { podCIDR, podCIDRs } = struct;
    const first: unknown = Array.isArray(podCIDRs) ? podCIDRs[0] : undefined;
    if (typeof podCIDR === "string" && podCIDR !== first) struct["podCIDRs"] = [podCIDR];
    else if (first !== undefined) complete(struct, { podCIDR: first });
  },
  [`${CORE}PodSpec`]: podSpec,
  [`${CORE}Volume`]: volume,
  [`${CORE}SecretVolumeSource`]: mode,
  [`${CORE}ConfigMapVolumeSource`]: mode,
  [`${CORE}DownwardAPIVolumeSource`]: mode,
  [`${CORE}ProjectedVolumeSource`]: mode,
  [`${CORE}ServiceAccountTokenProjection`]: (struct) => complete(struct, { expirationSeconds: 3600 }),
  [`${CORE}HostPathVolumeSource`]: (struct) => complete(struct, { type: "" }),
  [`${CORE}ISCSIVolumeSource`]: (struct) => complete(struct, { iscsiInterface: "default" }),
  [`${CORE}RBDVolumeSource`]: (struct) =>
    complete(struct, { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" }),
  [`${CORE}AzureDiskVolumeSource`]: (struct) =>
    complete(struct, { cachingMode: "ReadWrite", kind: "Shared", fsType: "ext4", readOnly: false }),
  [`${CORE}ScaleIOVolumeSource`]: (struct) => complete(struct, { storageMode: "ThinProvisioned", fsType: "xfs" }),
};
