import { isIP } from "node:net";
import type { FieldError } from "../../types.ts";
import { type KindDefinition, raisedBySpec } from "../definition.ts";
import { immutable, invalid, notSupported, required } from "../../fieldErrors.ts";
import { dns1035Label, dnsSubdomain, pathSegment, portName, portNumber, wildcardSubdomain } from "../names.ts";
import { count, fields, type Fields, fieldsList, isEqual, isMissing, text, texts } from "../values.ts";
import { validatePort } from "../validation/handlers.ts";
import { validateLabelSelector } from "../validation/selectors.ts";

const CLASS_ANNOTATION = "kubernetes.io/ingress.class";
const PATH_TYPES = ["Exact", "ImplementationSpecific", "Prefix"];

export const ingress: KindDefinition = {
  generation: raisedBySpec,
  validate(object, old) {
    const spec = fields(object["spec"]);
    const { defaultBackend, ingressClassName } = spec;
    const rules = fieldsList(spec["rules"]);
    const errors: FieldError[] = [];
    if (rules.length === 0 && isMissing(defaultBackend)) {
      errors.push(invalid("spec", spec["rules"] ?? null, "either `defaultBackend` or `rules` must be specified"));
    }
    if (!isMissing(defaultBackend)) errors.push(...validateBackend(fields(defaultBackend), "spec.defaultBackend"));
    rules.forEach((rule, index) => errors.push(...validateRule(rule, `spec.rules[${index}]`)));
    fieldsList(spec["tls"]).forEach((tls, index) => errors.push(...validateTls(tls, `spec.tls[${index}]`)));
    if (!isMissing(ingressClassName)) {
      for (const message of dnsSubdomain(text(ingressClassName))) {
        errors.push(invalid("spec.ingressClassName", ingressClassName, message));
      }
    }
    const annotated = object.metadata.annotations?.[CLASS_ANNOTATION];
    if (
      old === undefined &&
      annotated !== undefined &&
      !isMissing(ingressClassName) &&
      annotated !== ingressClassName
    ) {
      const why = "must match `ingressClassName` when both are specified";
      errors.push(invalid(`annotations.${CLASS_ANNOTATION}`, annotated, why));
    }
    return errors;
  },
  warnings(object, old) {
    const isSet = object.metadata.annotations?.[CLASS_ANNOTATION] !== undefined;
    if (old !== undefined || !isSet || !isMissing(fields(object["spec"])["ingressClassName"])) return [];
    return [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`];
  },
};

function validateHost(host: string, at: string): FieldError[] {
  const form = host.includes("*") ? wildcardSubdomain : dnsSubdomain;
  return form(host).map((message) => invalid(at, host, message));
}

function validateTls({ hosts, secretName }: Fields, at: string): FieldError[] {
  const errors = texts(hosts).flatMap((host, index) => validateHost(host, `${at}.hosts[${index}]`));
  const name = text(secretName);
  if (name === "") return errors;
  return [...errors, ...dnsSubdomain(name).map((message) => invalid(`${at}.secretName`, name, message))];
}

function validateRule({ host, http }: Fields, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const name = text(host);
  if (name !== "") {
    if (isIP(name) !== 0) errors.push(invalid(`${at}.host`, name, "must be a DNS name, not an IP address"));
    errors.push(...validateHost(name, `${at}.host`));
  }
  if (isMissing(http)) return errors;
  const paths = fieldsList(fields(http)["paths"]);
  if (paths.length === 0) errors.push(required(`${at}.http.paths`));
  return [...errors, ...paths.flatMap((path, index) => validatePath(path, `${at}.http.paths[${index}]`))];
}

function validatePath({ path, pathType, backend }: Fields, at: string): FieldError[] {
  if (isMissing(pathType)) return [required(`${at}.pathType`, "pathType must be specified")];
  const where = text(path);
  const errors: FieldError[] = [];
  const isAbsolute = where.startsWith("/");
  const wrong = (why: string) => errors.push(invalid(`${at}.path`, where, why));
  if (pathType === "Exact" || pathType === "Prefix") {
    if (!isAbsolute) wrong("must be an absolute path");
    for (const part of ["//", "/./", "/../", "%2f", "%2F"])
      if (where.includes(part)) wrong(`must not contain '${part}'`);
    for (const end of ["/..", "/."]) if (where.endsWith(end)) wrong(`cannot end with '${end}'`);
  } else if (pathType === "ImplementationSpecific") {
    if (where !== "" && !isAbsolute) wrong("must be an absolute path");
  } else errors.push(notSupported(`${at}.pathType`, pathType, PATH_TYPES));
  return [...errors, ...validateBackend(fields(backend), `${at}.backend`)];
}

function validateBackend({ service, resource }: Fields, at: string): FieldError[] {
  if (!isMissing(resource) && !isMissing(service)) {
    return [invalid(at, "", "cannot set both resource and service backends")];
  }
  if (!isMissing(resource)) return validateResourceBackend(fields(resource), `${at}.resource`);
  if (isMissing(service)) return [invalid(at, "", "resource or service backend is required")];
  const { name, port } = fields(service);
  const errors =
    text(name) === ""
      ? [required(`${at}.service.name`)]
      : dns1035Label(text(name)).map((message) => invalid(`${at}.service.name`, name, message));
  const [named, number] = [text(fields(port)["name"]), count(fields(port)["number"])];
  if (named !== "" && number !== 0) errors.push(invalid(at, "", "cannot set both port name & port number"));
  else if (named !== "") {
    errors.push(...portName(named).map((message) => invalid(`${at}.service.port.name`, named, message)));
  } else if (number !== 0) {
    errors.push(...portNumber(number).map((message) => invalid(`${at}.service.port.number`, number, message)));
  } else errors.push(required(at, "port name or number is required"));
  return errors;
}

function validateResourceBackend(reference: Fields, at: string): FieldError[] {
  const group = reference["apiGroup"];
  const errors = isMissing(group)
    ? []
    : dnsSubdomain(text(group)).map((message) => invalid(`${at}.apiGroup`, group, message));
  for (const field of ["kind", "name"]) {
    const value = text(reference[field]);
    if (value === "") errors.push(required(`${at}.${field}`));
    else errors.push(...pathSegment(value).map((message) => invalid(`${at}.${field}`, value, message)));
  }
  return errors;
}

export const ingressClass: KindDefinition = {
  generation: raisedBySpec,
  validate(object, old) {
    const controller = text(fields(object["spec"])["controller"]);
    const at = "spec.controller";
    const errors: FieldError[] = [];
    if (controller === "") errors.push(required(at));
    else if (!/^[^/]+\/.+$/.test(controller)) {
      const why = 'must be a domain-prefixed path (such as "acme.io/foo")';
      errors.push(invalid(at, controller, why));
    } else {
      const host = controller.split("/")[0] ?? "";
      errors.push(...dnsSubdomain(host).map((message) => invalid(at, host, message)));
    }
    if (old !== undefined && !isEqual(controller, fields(old["spec"])["controller"])) {
      errors.push(immutable(at, controller));
    }
    return errors;
  },
};

export const networkPolicy: KindDefinition = {
  generation: raisedBySpec,
  validate(object) {
    const spec = fields(object["spec"]);
    const errors = validateLabelSelector(spec["podSelector"], "spec.podSelector");
    for (const [direction, peers] of [
      ["ingress", "from"],
      ["egress", "to"],
    ] as const) {
      fieldsList(spec[direction]).forEach((rule, index) => {
        const at = `spec.${direction}[${index}]`;
        fieldsList(rule["ports"]).forEach(({ port }, portIndex) => {
          if (!isMissing(port)) errors.push(...validatePort(port, `${at}.ports[${portIndex}].port`));
        });
        fieldsList(rule[peers]).forEach((peer, peerIndex) => {
          errors.push(...validatePeer(peer, `${at}.${peers}[${peerIndex}]`));
        });
      });
    }
    const types = texts(spec["policyTypes"]);
    types.forEach((type, index) => {
      if (type !== "Ingress" && type !== "Egress") {
        errors.push(notSupported(`spec.policyTypes[${index}]`, type, ["Ingress", "Egress"]));
      }
    });
    return errors;
  },
};

function validatePeer({ podSelector, namespaceSelector, ipBlock }: Fields, at: string): FieldError[] {
  const errors = [
    ...validateLabelSelector(podSelector, `${at}.podSelector`),
    ...validateLabelSelector(namespaceSelector, `${at}.namespaceSelector`),
  ];
  const hasSelector = !isMissing(podSelector) || !isMissing(namespaceSelector);
  if (isMissing(ipBlock)) return hasSelector ? errors : [...errors, required(at, "must specify a peer")];
  if (hasSelector) {
    errors.push({
      reason: "FieldValueForbidden",
      field: at,
      message: "Forbidden: may not specify both ipBlock and another peer",
    });
  }
  if (text(fields(ipBlock)["cidr"]) === "") errors.push(required(`${at}.ipBlock.cidr`));
  return errors;
}
