/**
 * Patterns mean the same in JavaScript and in the API server (RE2, no look-around). The schemas set lengths beside
 * them, from which the server estimates the cost of a rule. Each matches a text in one way only, so a mismatch takes
 * one pass.
 */

export const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
/** A Service's name: a DNS label that begins with a letter. */
export const SERVICE_NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
export const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** The host of an Ingress; `*.` stands for one label. */
export const INGRESS_HOST = /^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** With these a path of pathType Prefix or Exact could never match. */
export const UNREACHABLE_PATH = /\/\/|\/[.]{1,2}(\/|$)|%2[fF]/;
/** With at least one letter; `[a-z]` matches the first one. */
export const PORT_NAME = /^([0-9]+-)*[0-9]*[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
export const LABEL_KEY =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
export const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;
export const DATA_KEY = /^[-._a-zA-Z0-9]+$/;
export const ENV_NAME = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
export const API_VERSION = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[a-z][a-z0-9]*$/;
export const KIND = /^[A-Z][A-Za-z0-9]*$/;
/** Kubernetes' quantities, without a sign: no field here takes a negative amount. */
export const QUANTITY = /^(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))([KMGTPE]i|[numkMGTPE]|[eE](\+|-)?[0-9]+)?$/;
/** `90s`, `10m`, `1h30m`. */
export const DURATION = /^([0-9]+(ms|s|m|h))+$/;
/** 0% to 100%. */
export const PERCENT = /^([0-9]|[1-9][0-9]|100)%$/;
/** 1% to 100%. */
export const POSITIVE_PERCENT = /^([1-9]|[1-9][0-9]|100)%$/;
/** A JSON pointer (RFC 6901) to something inside the document, not the document itself. */
export const JSON_POINTER = /^(\/([^/~]|~[01])*)+$/;
/** `spec.replicas`: names joined by dots. */
export const FIELD_PATH = /^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$/;
/**
 * `spec.replicas`, `webhooks[name=x].clientConfig.caBundle`, `webhooks[*].clientConfig.caBundle` or
 * `metadata.annotations["example.com/a"]`.
 */
export const ITEM_PATH =
  /^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+|\[\*\]|\["[^"\\]+"\]|\[[A-Za-z][A-Za-z0-9]*=[^\]"=,[]+(,[A-Za-z][A-Za-z0-9]*=[^\]"=,[]+)*\])*$/;

/** `spec.users[].secretName`: names joined by dots, with `[]` after the name of a list. */
export const LIST_PATH = /^[A-Za-z][A-Za-z0-9_-]*(\[\])?(\.[A-Za-z0-9_-]+(\[\])?)*$/;
/** Identity and metadata, and the status, which controllers write. */
export const NOT_WRITTEN_PATH = /^(apiVersion|kind|metadata|status)([.[]|$)/;

const host = "([a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?|\\[[a-fA-F0-9:]+\\])(:[0-9]+)?";
const pathPart = "[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*";
const repository = `${pathPart}(/${pathPart})*`;
const tag = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}";
const digest = "[a-z0-9]+([-+._][a-z0-9]+)*:[a-fA-F0-9]{32,128}";

/** An image as container runtimes read it: `[registry/]repository[:tag][@digest]`. */
export const IMAGE = new RegExp(`^(${host}/)?${repository}(:${tag})?(@${digest})?$`);
export const IMAGE_REGISTRY = new RegExp(`^${host}$`);
export const IMAGE_REPOSITORY = new RegExp(`^${repository}$`);
export const IMAGE_TAG = new RegExp(`^${tag}$`);
export const IMAGE_DIGEST = new RegExp(`^${digest}$`);

/** A path below a folder: not absolute, and no part of it is `..`. */
export const RELATIVE_PATH = /^([^/.][^/]*|\.|\.[^/.][^/]*|\.\.[^/]+)(\/+([^/.][^/]*|\.|\.[^/.][^/]*|\.\.[^/]+))*\/*$/;

/** An override may not patch these (protectedFields.ts checks the result of the patches). */
export const PROTECTED_POINTER =
  /^\/(metadata$|(apiVersion|kind|status|metadata\/(name|namespace|uid|resourceVersion|ownerReferences|managedFields))(\/|$))/;
