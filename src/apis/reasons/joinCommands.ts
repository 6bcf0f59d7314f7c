/**
 * The commands by which an administrator of a member lets it join, or renews Meridian's account there; whole, but for the words in capitals. Meridian
 * stores no administrator's credentials, so each needs a kubeconfig.
 */

/** Makes a cluster a member. */
export function joinCommand(cluster = "NAME"): string {
  return `meridian join ${cluster} --region REGION --member-kubeconfig FILE`;
}

/** Renews the account, with what the flags change of it. */
export function renewCommand(cluster = "NAME", ...flags: readonly string[]): string {
  return ["meridian join", cluster, "--renew", ...flags, "--member-kubeconfig FILE"].join(" ");
}
