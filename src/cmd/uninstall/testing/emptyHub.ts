import type { Observed } from "../state.ts";

/** A hub on which there is nothing of Meridian, and no manager. */
export const EMPTY_HUB: Observed = {
  applications: [],
  policies: [],
  members: [],
  bindings: [],
  bound: [],
  marked: [],
  joined: [],
  unclean: [],
  admission: [],
  converts: false,
  storedElsewhere: [],
  crdsBeingDeleted: [],
  crds: [],
  workload: [],
  access: [],
  state: [],
  accounts: [],
  namespaces: [],
  occupied: [],
  releases: [],
  managerAlive: false,
};
