/** Pod Security level of a namespace, as the Pod Security Standards define it. */
export interface PodSecurityLevel {
  level: "privileged" | "baseline" | "restricted";
  /** Minor version of Kubernetes 1.x whose form of the standard applies; Infinity for the latest. */
  minor: number;
}

const PREFIX = "pod-security.kubernetes.io/";
export const ENFORCE_LABEL = `${PREFIX}enforce`;
const ENFORCE_VERSION_LABEL = `${PREFIX}enforce-version`;

/** For a namespace without the label. An API server is less strict: it allows everything. */
export const DEFAULT_LEVEL: PodSecurityLevel = { level: "baseline", minor: Infinity };

type Labels = Readonly<Record<string, string>>;

/** The level that the labels enforce. An invalid value means the strictest level, as in an API server. */
export function podSecurityLevel(labels: Labels | undefined): PodSecurityLevel {
  const level = labels?.[ENFORCE_LABEL];
  const [, minor] = /^v1\.(\d|[1-9]\d{1,8})$/.exec(labels?.[ENFORCE_VERSION_LABEL] ?? "") ?? [];
  return {
    level: level === undefined ? DEFAULT_LEVEL.level : isLevel(level) ? level : "restricted",
    minor: minor === undefined ? Infinity : Number(minor),
  };
}

const LEVELS: readonly PodSecurityLevel["level"][] = ["privileged", "baseline", "restricted"];

/** The stricter level; of two versions of the same level the newer one. */
export function stricterOf(a: PodSecurityLevel, b: PodSecurityLevel): PodSecurityLevel {
  const more = LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) || a.minor - b.minor;
  return more < 0 ? b : a;
}

/** The Pod Security labels among `labels`; undefined if there are none. */
export function podSecurityLabels(labels: Labels | undefined): Labels | undefined {
  const found = Object.entries(labels ?? {}).filter(([key]) => key.startsWith(PREFIX));
  if (found.length === 0) return undefined;
  return Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isLevel(text: string): text is PodSecurityLevel["level"] {
  return (LEVELS as readonly string[]).includes(text);
}
