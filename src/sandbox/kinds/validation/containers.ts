import type { FieldError } from "../../types.ts";
import { duplicate, forbidden, invalid, notFoundValue, notSupported, required } from "../../fieldErrors.ts";
import { dnsLabel, portName, portNumber } from "../names.ts";
import { count, fields, fieldsList, isMissing, text, type Fields } from "../values.ts";
import { validateEnvironment, validateEnvironmentSources } from "./environment.ts";
import { validateLifecycle, validateProbe } from "./handlers.ts";
import { validateContainerResources } from "./resources.ts";
import { validateDescendingPath } from "./volumes.ts";

const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];
const RESTART_POLICIES = ["Always", "Never", "OnFailure"];
const SIDECAR_ONLY = "may not be set for init containers without restartPolicy=Always";

export function validateContainers(containers: unknown, volumes: ReadonlySet<string>, at: string): FieldError[] {
  const all = fieldsList(containers);
  if (all.length === 0) return [required(at)];
  const names = new Set<string>();
  const errors = all.flatMap((container, index) => {
    const here = `${at}[${index}]`;
    const found = validateContainer(container, volumes, here);
    const name = text(container["name"]);
    if (names.has(name)) found.push(duplicate(`${here}.name`, name));
    names.add(name);
    found.push(...validateLifecycle(container["lifecycle"], `${here}.lifecycle`), ...validateProbes(container, here));
    const restartPolicy = container["restartPolicy"];
    if (!isMissing(restartPolicy) && !RESTART_POLICIES.includes(text(restartPolicy))) {
      found.push(notSupported(`${here}.restartPolicy`, restartPolicy, RESTART_POLICIES));
    }
    return found;
  });
  return [...errors, ...validateHostPorts(all, at)];
}

export function validateInitContainers(
  containers: unknown,
  regular: unknown,
  volumes: ReadonlySet<string>,
  at: string,
): FieldError[] {
  const names = new Set(fieldsList(regular).map(({ name }) => text(name)));
  return fieldsList(containers).flatMap((container, index) => {
    const here = `${at}[${index}]`;
    const errors = validateContainer(container, volumes, here);
    const name = text(container["name"]);
    const restartPolicy = container["restartPolicy"];
    if (!isMissing(restartPolicy) && !RESTART_POLICIES.includes(text(restartPolicy))) {
      errors.push(notSupported(`${here}.restartPolicy`, restartPolicy, RESTART_POLICIES));
    }
    if (names.has(name)) errors.push(duplicate(`${here}.name`, name));
    else if (name !== "") names.add(name);
    errors.push(...validateHostPorts([container], at));
    if (restartPolicy === "Always") {
      errors.push(
        ...validateLifecycle(container["lifecycle"], `${here}.lifecycle`),
        ...validateProbes(container, here),
      );
    } else {
      for (const field of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"]) {
        if (!isMissing(container[field])) errors.push(forbidden(`${here}.${field}`, SIDECAR_ONLY));
      }
    }
    return errors;
  });
}

function validateProbes(container: Fields, at: string): FieldError[] {
  return (["liveness", "readiness", "startup"] as const).flatMap((kind) =>
    validateProbe(kind, container[`${kind}Probe`], `${at}.${kind}Probe`),
  );
}

/** Rules common to all kinds of containers. */
function validateContainer(container: Fields, volumes: ReadonlySet<string>, at: string): FieldError[] {
  const name = text(container["name"]);
  const errors =
    name === "" ? [required(`${at}.name`)] : dnsLabel(name).map((message) => invalid(`${at}.name`, name, message));
  if (text(container["image"]) === "") errors.push(required(`${at}.image`));
  const messages = text(container["terminationMessagePolicy"]);
  if (messages !== "File" && messages !== "FallbackToLogsOnError") {
    errors.push(notSupported(`${at}.terminationMessagePolicy`, messages, ["File", "FallbackToLogsOnError"]));
  }
  errors.push(
    ...validatePorts(container["ports"], `${at}.ports`),
    ...validateEnvironment(container["env"], `${at}.env`),
    ...validateEnvironmentSources(container["envFrom"], `${at}.envFrom`),
    ...validateMounts(container, volumes, `${at}.volumeMounts`),
    ...validateDevices(container, volumes, `${at}.volumeDevices`),
  );
  const pullPolicy = text(container["imagePullPolicy"]);
  if (!PULL_POLICIES.includes(pullPolicy)) {
    errors.push(notSupported(`${at}.imagePullPolicy`, pullPolicy, PULL_POLICIES));
  }
  return [
    ...errors,
    ...validateContainerResources(container["resources"], `${at}.resources`),
    ...validateSecurityContext(container["securityContext"], `${at}.securityContext`),
  ];
}

function validatePorts(ports: unknown, at: string): FieldError[] {
  const names = new Set<string>();
  return fieldsList(ports).flatMap((port, index) => {
    const here = `${at}[${index}]`;
    const errors: FieldError[] = [];
    const name = text(port["name"]);
    if (name !== "") {
      const wrong = portName(name);
      errors.push(...wrong.map((message) => invalid(`${here}.name`, name, message)));
      if (wrong.length === 0 && names.has(name)) errors.push(duplicate(`${here}.name`, name));
      names.add(name);
    }
    const number = count(port["containerPort"]);
    if (number === 0) errors.push(required(`${here}.containerPort`));
    else errors.push(...portNumber(number).map((message) => invalid(`${here}.containerPort`, number, message)));
    const hostPort = count(port["hostPort"]);
    if (hostPort !== 0) {
      errors.push(...portNumber(hostPort).map((message) => invalid(`${here}.hostPort`, hostPort, message)));
    }
    const protocol = text(port["protocol"]);
    if (protocol === "") errors.push(required(`${here}.protocol`));
    else if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${here}.protocol`, protocol, PROTOCOLS));
    return errors;
  });
}

/** Two containers cannot use the same host port. */
function validateHostPorts(containers: readonly Fields[], at: string): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    fieldsList(container["ports"]).flatMap((port, portIndex) => {
      if (count(port["hostPort"]) === 0) return [];
      const key = `${text(port["protocol"])}/${text(port["hostIP"])}/${count(port["hostPort"])}`;
      if (taken.has(key)) return [duplicate(`${at}[${index}].ports[${portIndex}].hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
}

function validateMounts(container: Fields, volumes: ReadonlySet<string>, at: string): FieldError[] {
  const devices = fieldsList(container["volumeDevices"]);
  const paths = new Set<string>();
  return fieldsList(container["volumeMounts"]).flatMap((mount, index) => {
    const here = `${at}[${index}]`;
    const [name, mountPath, subPath] = [text(mount["name"]), text(mount["mountPath"]), text(mount["subPath"])];
    const errors: FieldError[] = name === "" ? [required(`${here}.name`)] : [];
    if (!volumes.has(name)) errors.push(notFoundValue(`${here}.name`, name));
    if (mountPath === "") errors.push(required(`${here}.mountPath`));
    if (paths.has(mountPath)) errors.push(invalid(`${here}.mountPath`, mountPath, "must be unique"));
    paths.add(mountPath);
    if (devices.some((device) => device["name"] === name)) {
      errors.push(invalid(`${here}.name`, name, "must not already exist in volumeDevices"));
    }
    if (devices.some((device) => device["devicePath"] === mountPath)) {
      const why = "must not already exist as a path in volumeDevices";
      errors.push(invalid(`${here}.mountPath`, mountPath, why));
    }
    // The server's paths of these two errors lack the index.
    if (subPath !== "") errors.push(...validateDescendingPath(subPath, `${at}.subPath`));
    const expression = text(mount["subPathExpr"]);
    if (expression !== "") {
      if (subPath !== "") {
        const why = "subPathExpr and subPath are mutually exclusive";
        errors.push(invalid(`${here}.subPathExpr`, expression, why));
      }
      errors.push(...validateDescendingPath(expression, `${at}.subPathExpr`));
    }
    return errors;
  });
}

function validateDevices(container: Fields, volumes: ReadonlySet<string>, at: string): FieldError[] {
  return fieldsList(container["volumeDevices"]).flatMap((device, index) => {
    const here = `${at}[${index}]`;
    const name = text(device["name"]);
    if (name === "") return [required(`${here}.name`)];
    const errors = volumes.has(name) ? [] : [notFoundValue(`${here}.name`, name)];
    if (text(device["devicePath"]) === "") errors.push(required(`${here}.devicePath`));
    return errors;
  });
}

function validateSecurityContext(context: unknown, at: string): FieldError[] {
  const { runAsUser, runAsGroup, privileged, allowPrivilegeEscalation, capabilities } = fields(context);
  const errors = [
    { field: "runAsUser", value: runAsUser },
    { field: "runAsGroup", value: runAsGroup },
  ].flatMap(({ field, value }) => validateId(value, `${at}.${field}`));
  if (allowPrivilegeEscalation === false) {
    const why = "cannot set `allowPrivilegeEscalation` to false and";
    if (privileged === true) errors.push(invalid(at, context, `${why} \`privileged\` to true`));
    const added = fields(capabilities)["add"];
    if (Array.isArray(added) && added.includes("CAP_SYS_ADMIN")) {
      errors.push(invalid(at, context, `${why} \`capabilities.Add\` CAP_SYS_ADMIN`));
    }
  }
  return errors;
}

/** A Linux user or group ID. */
export function validateId(value: unknown, at: string): FieldError[] {
  if (typeof value !== "number" || (value >= 0 && value < 2 ** 31)) return [];
  return [invalid(at, value, "must be between 0 and 2147483647, inclusive")];
}
