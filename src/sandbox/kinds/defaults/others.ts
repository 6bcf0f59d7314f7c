import { isFields, isMissing, text } from "../values.ts";
import { complete, inner, innerList, optionalInner, type StructDefaults } from "./struct.ts";

const CORE = "io.k8s.api.core.v1.";
const RBAC = "io.k8s.api.rbac.v1.";
const NETWORKING = "io.k8s.api.networking.v1.";
const RBAC_GROUP = "rbac.authorization.k8s.io";

/** `stringData` is write-only. It is merged into `data` and wins over it. */
const secret: StructDefaults = (struct) => {
  complete(struct, { type: "Opaque" });
  const plain = struct["stringData"];
  if (!isFields(plain)) return;
  const encoded = Object.entries(plain).map(([key, value]) => [key, Buffer.from(text(value)).toString("base64")]);
  struct["data"] = { ...(isFields(struct["data"]) ? struct["data"] : {}), ...Object.fromEntries(encoded) };
  delete struct["stringData"];
};

const namespace: StructDefaults = (struct) => {
  const metadata = inner(struct, "metadata");
  const name = text(metadata["name"]);
  if (name !== "") {
    metadata["labels"] = {
      ...(isFields(metadata["labels"]) ? metadata["labels"] : {}),
      "kubernetes.io/metadata.name": name,
    };
  }
  complete(inner(struct, "status"), { phase: "Active" });
};

const subject: StructDefaults = (struct) => {
  if (struct["kind"] === "User" || struct["kind"] === "Group") complete(struct, { apiGroup: RBAC_GROUP });
};

const binding: StructDefaults = (struct) => complete(inner(struct, "roleRef"), { apiGroup: RBAC_GROUP });

const limitRangeItem: StructDefaults = (struct) => {
  if (struct["type"] !== "Container") return;
  const amounts = (field: string) => (isFields(struct[field]) ? struct[field] : {});
  const limits = { ...amounts("max"), ...amounts("default") };
  const requests = { ...amounts("min"), ...limits, ...amounts("defaultRequest") };
  if (Object.keys(limits).length > 0) struct["default"] = limits;
  if (Object.keys(requests).length > 0) struct["defaultRequest"] = requests;
};

const node: StructDefaults = (struct) => {
  const status = optionalInner(struct, "status");
  if (status !== undefined && isMissing(status["allocatable"]) && isFields(status["capacity"])) {
    status["allocatable"] = { ...status["capacity"] };
  }
};

const networkPolicySpec: StructDefaults = (struct) => {
  const hasEgress = innerList(struct, "egress").length > 0;
  complete(struct, { policyTypes: hasEgress ? ["Ingress", "Egress"] : ["Ingress"] });
};

export const otherDefaults: Readonly<Record<string, StructDefaults>> = {
  [`${CORE}Secret`]: secret,
  [`${CORE}Namespace`]: namespace,
  [`${CORE}Node`]: node,
  [`${CORE}LimitRangeItem`]: limitRangeItem,
  [`${CORE}EndpointPort`]: (struct) => complete(struct, { protocol: "TCP" }),
  [`${CORE}PersistentVolumeClaim`]: (struct) => complete(inner(struct, "status"), { phase: "Pending" }),
  [`${CORE}PersistentVolumeClaimSpec`]: (struct) => complete(struct, { volumeMode: "Filesystem" }),
  [`${CORE}PersistentVolumeSpec`]: (struct) =>
    complete(struct, { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" }),
  [`${CORE}PersistentVolume`]: (struct) => complete(inner(struct, "status"), { phase: "Pending" }),
  [`${RBAC}Subject`]: subject,
  [`${RBAC}RoleBinding`]: binding,
  [`${RBAC}ClusterRoleBinding`]: binding,
  [`${NETWORKING}NetworkPolicyPort`]: (struct) => complete(struct, { protocol: "TCP" }),
  [`${NETWORKING}NetworkPolicySpec`]: networkPolicySpec,
  [`${NETWORKING}IngressClassParametersReference`]: (struct) => complete(struct, { scope: "Cluster" }),
  "io.k8s.api.discovery.v1.EndpointPort": (struct) => complete(struct, { name: "", protocol: "TCP" }),
  "io.k8s.api.storage.v1.StorageClass": (struct) =>
    complete(struct, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }),
  "io.k8s.api.scheduling.v1.PriorityClass": (struct) => complete(struct, { preemptionPolicy: "PreemptLowerPriority" }),
  "io.k8s.api.authentication.v1.TokenRequestSpec": (struct) => complete(struct, { expirationSeconds: 3600 }),
};
