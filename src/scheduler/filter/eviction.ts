import { defined, shortMessage } from "../../apis/index.ts";
import { fits, refuses, type Filter } from "./filter.ts";

const STAYS = fits("NotEvicted", "nothing drives the object away");

/** Refuses clusters that the object has to leave. */
export const eviction: Filter = {
  name: "Eviction",
  prepare:
    ({ subject: { evicted } }) =>
    ({ name }) => {
      const one = evicted?.get(name);
      if (one === undefined) return STAYS;
      const { reason, message, remedy } = one;
      return { ...refuses(reason, shortMessage(message)), ...defined({ remedy }) };
    },
};
