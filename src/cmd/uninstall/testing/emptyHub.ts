import type { Observed } from "../state.ts";

/** A hub without objects of Meridian and without a manager. */
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
