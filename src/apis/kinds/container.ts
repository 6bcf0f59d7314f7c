import { z } from "zod";
import {
  DATA_KEY,
  DNS_LABEL,
  ENV_NAME,
  exactlyOneOf,
  listMap,
  PORT_NAME,
  QUANTITY,
  RELATIVE_PATH,
  subdomainName,
  withRules,
} from "../schema/index.ts";
import { parseQuantity } from "../values/index.ts";

/** Fields of core/v1 containers and volumes that a DemoApplication has too, in the same form. */

const dataKey = z.string().min(1).max(253).regex(DATA_KEY, "must be a key of a ConfigMap or Secret");
const dnsLabel = z.string().min(1).max(63).regex(DNS_LABEL, "must be a DNS label: lower-case letters, digits and '-'");
const portName = z.string().min(1).max(15).regex(PORT_NAME, "must be the name of a port, at most 15 characters long");

export const portReference = z.union([z.int().min(1).max(65535), portName], {
  error: "must be a port from 1 to 65535, or the name of one of at most 15 characters",
});

export const quantity = z.union(
  [z.int().min(0).max(Number.MAX_SAFE_INTEGER), z.string().min(1).max(32).regex(QUANTITY)],
  { error: "must be a whole number or a quantity in quotes, such as 200m or 256Mi, and not negative" },
);

const optional = z.boolean().optional().describe("The pod starts though the object or key is missing.");
const keyReference = z.object({ name: subdomainName, key: dataKey, optional });
const objectReference = z.object({ name: subdomainName, optional });

export const envVarSource = withRules(
  z.object({
    configMapKeyRef: keyReference.optional(),
    secretKeyRef: keyReference.optional(),
    fieldRef: z.object({ apiVersion: z.string().max(63).optional(), fieldPath: z.string().min(1).max(512) }).optional(),
    resourceFieldRef: z
      .object({
        containerName: dnsLabel.optional(),
        resource: z.string().min(1).max(253),
        divisor: quantity.optional(),
      })
      .optional(),
  }),
  exactlyOneOf("configMapKeyRef", "secretKeyRef", "fieldRef", "resourceFieldRef"),
);

export const envVar = withRules(
  z.object({
    name: z.string().min(1).max(253).regex(ENV_NAME, "must be the name of an environment variable"),
    value: z.string().max(32768).optional(),
    valueFrom: envVarSource.optional(),
  }),
  {
    rule: "!(has(self.value) && has(self.valueFrom))",
    message: "valueFrom: remove it or value; a variable has one source",
    field: "valueFrom",
    holds: ({ value, valueFrom }) => value === undefined || valueFrom === undefined,
  },
);

export const envVars = listMap(z.array(envVar).max(256), "name");

export const envFromSource = withRules(
  z.object({
    prefix: z.string().max(253).optional(),
    configMapRef: objectReference.optional(),
    secretRef: objectReference.optional(),
  }),
  exactlyOneOf("configMapRef", "secretRef"),
);

export const command = z.array(z.string().max(32768)).max(256);

const quantities = z.record(z.string().min(1), quantity).meta({ maxProperties: 16 });

export const resourceRequirements = withRules(
  z.object({ requests: quantities.optional(), limits: quantities.optional() }),
  {
    rule: "!has(self.requests) || !has(self.limits) || self.requests.all(name, !(name in self.limits) || quantity(string(self.requests[name])).compareTo(quantity(string(self.limits[name]))) <= 0)",
    message: "requests: lower them, or raise the limits: no request may be above its limit",
    field: "requests",
    holds: ({ requests = {}, limits = {} }) =>
      Object.entries(requests).every(([name, request]) => {
        const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
        return limit === undefined || (parseQuantity(request) ?? 0) <= (parseQuantity(limit) ?? Infinity);
      }),
  },
);

const seconds = (least: number) => z.int().min(least).max(86_400).optional();

const probeFields = z.object({
  httpGet: z
    .object({
      port: portReference,
      path: z.string().max(2048).optional(),
      host: z.string().max(253).optional(),
      scheme: z.enum(["HTTP", "HTTPS"]).optional(),
      httpHeaders: z
        .array(z.object({ name: z.string().min(1).max(256), value: z.string().max(4096) }))
        .max(32)
        .optional(),
    })
    .optional(),
  tcpSocket: z.object({ port: portReference, host: z.string().max(253).optional() }).optional(),
  exec: z.object({ command: command.min(1) }).optional(),
  grpc: z.object({ port: z.int().min(1).max(65535), service: z.string().max(253).optional() }).optional(),
  initialDelaySeconds: seconds(0),
  timeoutSeconds: seconds(1),
  periodSeconds: seconds(1),
  successThreshold: z.int().min(1).max(1000).optional(),
  failureThreshold: z.int().min(1).max(1000).optional(),
  terminationGracePeriodSeconds: seconds(1),
});

const oneHandler = exactlyOneOf("httpGet", "tcpSocket", "exec", "grpc");

export const readinessProbe = withRules(probeFields, oneHandler, {
  rule: "!has(self.terminationGracePeriodSeconds)",
  message: "terminationGracePeriodSeconds: remove it; a readiness probe ends no container",
  field: "terminationGracePeriodSeconds",
  holds: (probe) => probe.terminationGracePeriodSeconds === undefined,
});

export const livenessProbe = withRules(probeFields, oneHandler, {
  rule: "!has(self.successThreshold) || self.successThreshold == 1",
  message: "successThreshold: set it to 1 or remove it; a liveness probe allows nothing else",
  field: "successThreshold",
  holds: (probe) => (probe.successThreshold ?? 1) === 1,
});

const fileMode = z.int().min(0).max(0o777).optional().describe("Permission bits, as a decimal number: 420 is 0644.");

const relativePath = z.string().min(1).max(1024).regex(RELATIVE_PATH, "must be a relative path without '..'");

const items = z
  .array(z.object({ key: dataKey, path: relativePath, mode: fileMode }))
  .max(64)
  .optional()
  .describe("The keys to mount and where; all of them when absent.");

const volumeSources = {
  configMap: z.object({ name: subdomainName, items, defaultMode: fileMode, optional }).optional(),
  secret: z.object({ secretName: subdomainName, items, defaultMode: fileMode, optional }).optional(),
  emptyDir: z.object({ medium: z.enum(["", "Memory"]).optional(), sizeLimit: quantity.optional() }).optional(),
  projected: z
    .object({
      defaultMode: fileMode,
      sources: z
        .array(
          withRules(
            z.object({
              configMap: z.object({ name: subdomainName, items, optional }).optional(),
              secret: z.object({ name: subdomainName, items, optional }).optional(),
            }),
            exactlyOneOf("configMap", "secret"),
          ),
        )
        .min(1)
        .max(16),
    })
    .optional(),
};

export const volume = withRules(
  z.object({ name: dnsLabel, ...volumeSources }),
  exactlyOneOf(...Object.keys(volumeSources)),
);

export const volumes = listMap(z.array(volume).max(32), "name");

export const volumeMount = z.object({
  name: dnsLabel,
  mountPath: z
    .string()
    .min(1)
    .max(1024)
    .regex(/^[^:]+$/, "must be a path without ':'"),
  subPath: relativePath.optional(),
  readOnly: z.boolean().optional(),
});

export const volumeMounts = listMap(z.array(volumeMount).max(64), "mountPath");

export const imagePullSecrets = listMap(z.array(z.object({ name: subdomainName })).max(16), "name");
