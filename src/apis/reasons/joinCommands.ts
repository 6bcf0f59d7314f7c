/**
 * Commands for the administrator of a member: one joins the cluster, the other renews Meridian's account there. The
 * commands are complete except for the words in capitals. Meridian stores no administrator's credentials, so each
 * command needs a kubeconfig.
 */

/** Makes a cluster a member. */
export function joinCommand(cluster = "NAME"): string {
  return `meridian join ${cluster} --region REGION --member-kubeconfig FILE`;
}

/** Renews the account. The flags change its settings. */
export function renewCommand(cluster = "NAME", ...flags: readonly string[]): string {
  return ["meridian join", cluster, "--renew", ...flags, "--member-kubeconfig FILE"].join(" ");
}
