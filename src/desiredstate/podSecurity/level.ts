/** How strict a namespace is with pods, as the Pod Security Standards have it. */
export interface PodSecurityLevel {
  level: "privileged" | "baseline" | "restricted";
  /** Minor version of Kubernetes 1.x whose form of the standard counts; Infinity for the latest. */
  minor: number;
}

const PREFIX = "pod-security.kubernetes.io/";
export const ENFORCE_LABEL = `${PREFIX}enforce`;
const ENFORCE_VERSION_LABEL = `${PREFIX}enforce-version`;

/** Of a namespace that has no label: stricter than an API server, which allows everything there. */
export const DEFAULT_LEVEL: PodSecurityLevel = { level: "baseline", minor: Infinity };

type Labels = Readonly<Record<string, string>>;

/** What the labels of a namespace enforce. A value that nobody understands means the strictest there is, as for an API server. */
export function podSecurityLevel(labels: Labels | undefined): PodSecurityLevel {
  const level = labels?.[ENFORCE_LABEL];
  const [, minor] = /^v1\.(\d|[1-9]\d{1,8})$/.exec(labels?.[ENFORCE_VERSION_LABEL] ?? "") ?? [];
  return {
    level: level === undefined ? DEFAULT_LEVEL.level : isLevel(level) ? level : "restricted",
    minor: minor === undefined ? Infinity : Number(minor),
  };
}

const LEVELS: readonly PodSecurityLevel["level"][] = ["privileged", "baseline", "restricted"];

/** What satisfies it satisfies both; of two versions of one level the newer counts. */
export function stricterOf(a: PodSecurityLevel, b: PodSecurityLevel): PodSecurityLevel {
  const more = LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) || a.minor - b.minor;
  return more < 0 ? b : a;
}

/** The Pod Security labels among these; undefined when there is none. */
export function podSecurityLabels(labels: Labels | undefined): Labels | undefined {
  const found = Object.entries(labels ?? {}).filter(([key]) => key.startsWith(PREFIX));
  if (found.length === 0) return undefined;
  return Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isLevel(text: string): text is PodSecurityLevel["level"] {
  return (LEVELS as readonly string[]).includes(text);
}
