/** Versions of Kubernetes. Pure. */

/** The oldest hub that the chart accepts. */
export const OLDEST_HUB = "1.31";
/** Older members have no ValidatingAdmissionPolicy, which guards what Meridian may write. */
export const OLDEST_MEMBER = "1.30";
/** A kubelet may be as many minor versions behind its API server: what is this much older lacks fields and versions. */
export const MOST_SKEW = 3;

interface Version {
  major: number;
  minor: number;
}

/** Undefined for a text without a major and a minor version. */
export function versionIn(text: string): Version | undefined {
  const [, major, minor] = /^v?(\d{1,4})\.(\d{1,4})/.exec(text) ?? [];
  return major === undefined || minor === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}

export function isOlder(text: string, than: string): boolean {
  const [version, limit] = [versionIn(text), versionIn(than)];
  if (version === undefined || limit === undefined) return false;
  return version.major < limit.major || (version.major === limit.major && version.minor < limit.minor);
}

/** Minor versions between the two; 0 if one of them is unknown. */
export function minorsApart(a: string, b: string): number {
  const [one, other] = [versionIn(a), versionIn(b)];
  return one === undefined || other === undefined || one.major !== other.major ? 0 : Math.abs(one.minor - other.minor);
}
