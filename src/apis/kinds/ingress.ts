import { z } from "zod";
import { DNS_LABEL, INGRESS_HOST, subdomainName, UNREACHABLE_PATH, withRules } from "../schema/index.ts";

const host = withRules(
  z
    .string()
    .min(1)
    .max(253)
    .regex(INGRESS_HOST, "must be a DNS name in lower case, such as shop.example.com or *.example.com"),
  {
    rule: "!self.matches('^[0-9.]+$')",
    message: "host: an IP address is no host of an Ingress; give a DNS name",
    holds: (name) => !/^[0-9.]+$/.test(name),
  },
);

const unreachable = UNREACHABLE_PATH.source.replaceAll("\\/", "/");

const port = z.union(
  [z.int().min(1).max(65535), z.string().min(1).max(63).regex(DNS_LABEL, "must be the name of a port")],
  { error: "must be a port from 1 to 65535, or the name of one of the application's ports" },
);

export const ingress = withRules(
  z.object({
    host: host.describe("The name that people use: a DNS name, or a wildcard such as *.example.com."),
    path: z
      .string()
      .min(1)
      .max(1024)
      .regex(/^\//, "must begin with /")
      .default("/")
      .describe("What comes below it leads to the application."),
    pathType: z
      .enum(["Prefix", "Exact", "ImplementationSpecific"])
      .default("Prefix")
      .describe("How the path is compared with that of a request."),
    port: port
      .optional()
      .describe("A TCP port of the application, by its number or its name. Default: the first TCP port."),
    tlsSecretName: subdomainName
      .optional()
      .describe("The Secret with the certificate for the host; it travels along. Absent: no TLS."),
    className: subdomainName
      .optional()
      .describe("The IngressClass on the members. Absent: the default class of each cluster."),
  }),
  {
    rule: `self.pathType == 'ImplementationSpecific' || !self.path.matches('${unreachable}')`,
    message: "path: must not contain '//', '/./', '/../' or '%2F'; write the path as the application sees it",
    field: "path",
    holds: ({ path, pathType }) => pathType === "ImplementationSpecific" || !UNREACHABLE_PATH.test(path),
  },
);
