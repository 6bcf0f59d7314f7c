import type { KubeObject, Schema } from "../../types.ts";

/**
 * The fields of a CustomResourceDefinition (apiextensions.k8s.io/v1) that the sandbox reads. All are optional, because
 * nothing is validated yet.
 */
export interface CrdSpec {
  group?: string;
  scope?: string;
  names?: CrdNames;
  versions?: readonly CrdVersion[];
  conversion?: CrdConversion;
  preserveUnknownFields?: boolean;
}

export interface CrdNames {
  plural?: string;
  singular?: string;
  kind?: string;
  listKind?: string;
  shortNames?: readonly string[];
  categories?: readonly string[];
}

export interface CrdVersion {
  name?: string;
  served?: boolean;
  storage?: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: Schema };
  subresources?: CrdSubresources;
  additionalPrinterColumns?: readonly CrdColumn[];
  selectableFields?: readonly { jsonPath?: string }[];
}

export interface CrdSubresources {
  status?: object;
  scale?: { specReplicasPath?: string; statusReplicasPath?: string; labelSelectorPath?: string };
}

export interface CrdColumn {
  name?: string;
  type?: string;
  format?: string;
  description?: string;
  priority?: number;
  jsonPath?: string;
}

export interface CrdConversion {
  strategy?: string;
  webhook?: {
    conversionReviewVersions?: readonly string[];
    clientConfig?: {
      url?: string;
      caBundle?: string;
      service?: { name?: string; namespace?: string; path?: string; port?: number };
    };
  };
}

export interface CrdStatus {
  acceptedNames?: CrdNames;
  storedVersions?: readonly string[];
  conditions?: readonly { type?: string; status?: string }[];
}

export function specOf(crd: KubeObject): CrdSpec {
  return (crd["spec"] ?? {}) as CrdSpec;
}

export function statusOf(crd: KubeObject): CrdStatus {
  return (crd["status"] ?? {}) as CrdStatus;
}
