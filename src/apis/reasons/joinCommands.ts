/** Complete but for the words in capitals. Meridian stores no administrator's credentials, hence the kubeconfig. */

export function joinCommand(cluster = "NAME"): string {
  return `meridian join ${cluster} --region REGION --member-kubeconfig FILE`;
}

/** Renews Meridian's account on a member; the flags change its settings. */
export function renewCommand(cluster = "NAME", ...flags: readonly string[]): string {
  return ["meridian join", cluster, "--renew", ...flags, "--member-kubeconfig FILE"].join(" ");
}
