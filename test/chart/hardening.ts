/**
 * The points of the NSA's Kubernetes Hardening Guidance and of the CIS Kubernetes Benchmark that a chart can hold to, each with what in
 * the chart holds it. `node test/chart/hardening.ts` prints them with file and line, and fails when one is not to be found.
 */
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

interface Point {
  source: "NSA" | "CIS";
  /** Number in the CIS Benchmark 1.9, or the section of the NSA's guidance 1.2. */
  section: string;
  demand: string;
  file: string;
  /** Text of the line that holds it. */
  line: string;
}

const POD = "charts/meridian/files/manager.yaml";
const DEPLOYMENT = "charts/meridian/templates/deployment.yaml";
const CLUSTER_ROLE = "charts/meridian/templates/clusterrole.yaml";
const ROLE = "charts/meridian/templates/role.yaml";
const NETWORK = "charts/meridian/templates/networkpolicy.yaml";

const POINTS: readonly Point[] = [
  {
    source: "NSA",
    section: "Pod security",
    demand: "Containers run as a user that is not root",
    file: POD,
    line: "runAsNonRoot: true",
  },
  {
    source: "NSA",
    section: "Pod security",
    demand: "The user is set in the image as well",
    file: "Dockerfile",
    line: "USER 65532:65532",
  },
  {
    source: "NSA",
    section: "Pod security",
    demand: "The root file system cannot be written",
    file: POD,
    line: "readOnlyRootFilesystem: true",
  },
  {
    source: "NSA",
    section: "Pod security",
    demand: "No privileged container",
    file: POD,
    line: "privileged: false",
  },
  {
    source: "NSA",
    section: "Pod security",
    demand: "No gain of privileges",
    file: POD,
    line: "allowPrivilegeEscalation: false",
  },
  { source: "NSA", section: "Pod security", demand: "A seccomp profile", file: POD, line: "type: RuntimeDefault" },
  {
    source: "NSA",
    section: "Pod security",
    demand: "No token mounted by itself",
    file: DEPLOYMENT,
    line: "automountServiceAccountToken: false",
  },
  {
    source: "NSA",
    section: "Pod security",
    demand: "A minimal image",
    file: "Dockerfile",
    line: "ARG BASE_IMAGE=gcr.io/distroless/",
  },
  {
    source: "NSA",
    section: "Pod security",
    demand: "What is in the image is listed, for scanners",
    file: ".ci/image-root",
    line: "sbom.cdx.json",
  },
  {
    source: "NSA",
    section: "Network separation",
    demand: "What goes in and out is listed",
    file: NETWORK,
    line: "policyTypes: [Ingress, Egress]",
  },
  {
    source: "NSA",
    section: "Network separation",
    demand: "No way to the cloud's metadata",
    file: POD,
    line: "- 169.254.0.0/16",
  },
  {
    source: "NSA",
    section: "Network separation",
    demand: "Limits of what a pod may take",
    file: "charts/meridian/values.yaml",
    line: "limits:",
  },
  {
    source: "NSA",
    section: "Network separation",
    demand: "Webhooks are called over TLS with a CA of their own",
    file: ROLE,
    line: "# The webhooks' CA",
  },
  {
    source: "NSA",
    section: "Authentication and authorization",
    demand: "An account of its own",
    file: DEPLOYMENT,
    line: "serviceAccountName: {{",
  },
  {
    source: "NSA",
    section: "Authentication and authorization",
    demand: "Rights by name where there is one",
    file: CLUSTER_ROLE,
    line: "resourceNames: [demoapplications.paas.cmft.com]",
  },
  {
    source: "NSA",
    section: "Audit logging and threat detection",
    demand: "Alerts on what goes wrong",
    file: "charts/meridian/files/alerts.yaml",
    line: "- alert: MeridianReconcileErrors",
  },
  {
    source: "NSA",
    section: "Audit logging and threat detection",
    demand: "A policy for the API server's audit log",
    file: "charts/meridian/files/audit-policy.yaml",
    line: "resources: [secrets, serviceaccounts, serviceaccounts/token]",
  },
  {
    source: "NSA",
    section: "Upgrading and application security",
    demand: "Images by digest, signed",
    file: ".github/workflows/release.yaml",
    line: 'cosign sign --yes "$REF"',
  },
  {
    source: "CIS",
    section: "5.1.2",
    demand: "Few rights on Secrets",
    file: CLUSTER_ROLE,
    line: 'if eq .Values.rbac.secrets.mode "All"',
  },
  {
    source: "CIS",
    section: "5.1.3",
    demand: "No wildcard in roles",
    file: "test/chart/rendering.test.ts",
    line: 'not.toContain("*")',
  },
  {
    source: "CIS",
    section: "5.1.5",
    demand: "Not the default service account",
    file: "charts/meridian/templates/_validate.tpl",
    line: "the manager never runs as the namespace's default account",
  },
  {
    source: "CIS",
    section: "5.1.6",
    demand: "Tokens only where they are needed",
    file: "charts/meridian/templates/tests/ready.yaml",
    line: "automountServiceAccountToken: false",
  },
  { source: "CIS", section: "5.1.6", demand: "Tokens live an hour", file: POD, line: "expirationSeconds: 3600" },
  {
    source: "CIS",
    section: "5.2.1",
    demand: "Pod security admission takes every pod in its restricted profile",
    file: "test/chart/apiServer.test.ts",
    line: "pod-security.kubernetes.io/enforce=restricted",
  },
  {
    source: "CIS",
    section: "5.2.6",
    demand: "No gain of privileges",
    file: POD,
    line: "allowPrivilegeEscalation: false",
  },
  { source: "CIS", section: "5.2.7", demand: "No container as root", file: POD, line: "runAsUser: 65532" },
  { source: "CIS", section: "5.2.10", demand: "No capabilities", file: POD, line: "- ALL" },
  { source: "CIS", section: "5.3.2", demand: "A network policy", file: NETWORK, line: "kind: NetworkPolicy" },
  {
    source: "CIS",
    section: "5.4.1",
    demand: "Secrets as files, not as variables, readable by nobody else",
    file: DEPLOYMENT,
    line: "defaultMode: 256 # 0400",
  },
  { source: "CIS", section: "5.7.2", demand: "The runtime's seccomp profile", file: POD, line: "seccompProfile:" },
  {
    source: "CIS",
    section: "5.7.3",
    demand: "A security context on pods and containers",
    file: DEPLOYMENT,
    line: "securityContext:",
  },
  {
    source: "CIS",
    section: "5.7.4",
    demand: "Not in the namespace default",
    file: "charts/meridian/README.md",
    line: "--namespace meridian-system",
  },
];

/** Every point with `file:line`; undefined where its line is not to be found. */
export async function hardening(): Promise<(Point & { place: string | undefined })[]> {
  const texts = new Map<string, string[]>();
  for (const { file } of POINTS) texts.set(file, (await readFile(join(ROOT, file), "utf8")).split("\n"));
  return POINTS.map((point) => {
    const index = texts.get(point.file)?.findIndex((line) => line.includes(point.line)) ?? -1;
    return { ...point, place: index < 0 ? undefined : `${relative(ROOT, join(ROOT, point.file))}:${index + 1}` };
  });
}

if (import.meta.main) {
  for (const { source, section, demand, place } of await hardening()) {
    console.log(`${source} ${section}: ${demand}: ${place ?? "NOT FOUND"}`);
    if (place === undefined) process.exitCode = 1;
  }
}
