const STAGES = ["alpha", "beta"];

/** As Kubernetes ranks them, latest first: `v2`, `v1`, `v2beta1`, `v1alpha1`, all others. */
export function isLaterVersion(a: string, b: string): boolean {
  const [one, other] = [rankOf(a), rankOf(b)];
  for (const [index, rank] of one.entries()) {
    const against = other[index] ?? 0;
    if (rank !== against) return rank > against;
  }
  return false;
}

function rankOf(version: string): readonly [number, number, number] {
  const [, major, stage, minor] = /^v(\d{1,9})(?:(alpha|beta)(\d{1,9}))?$/.exec(version) ?? [];
  if (major === undefined) return [-1, 0, 0];
  return [stage === undefined ? STAGES.length : STAGES.indexOf(stage), Number(major), Number(minor ?? 0)];
}
