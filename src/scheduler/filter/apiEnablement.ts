import { shortMessage } from "../../apis/index.ts";
import { fits, refuses, staysOn, type Filter, type FilterAnswer } from "./filter.ts";

const SERVED = fits("ApiServed", "the cluster serves what is sent");
const UNKNOWN = fits("ApiUnknown", "which APIs the cluster serves is not known yet");

/**
 * Refuses clusters that lack an API of the objects to send, such as a CRD's. What runs there stays. If the placement
 * takes every fitting cluster, the object waits there: the API may be on its way too.
 */
export const apiEnablement: Filter = {
  name: "ApiEnablement",
  prepare({ subject, picks, fleet }) {
    const { apis = [] } = subject;
    if (fleet.serve(apis)) return () => SERVED;
    const without = new Map<string, { refuses: FilterAnswer; waits: FilterAnswer }>();
    return ({ name, apis: served }) => {
      if (served === undefined) return UNKNOWN;
      const missing = apis.find((api) => !served.has(api));
      if (missing === undefined) return SERVED;
      let answers = without.get(missing);
      if (answers === undefined) without.set(missing, (answers = answersWithout(missing)));
      return picks && !staysOn(subject, name) ? answers.refuses : answers.waits;
    };
  },
  isAlike: ({ subject, fleet }) => fleet.serve(subject.apis ?? []),
};

function answersWithout(api: string): { refuses: FilterAnswer; waits: FilterAnswer } {
  const message = shortMessage(`the cluster does not serve ${api}`);
  return {
    refuses: { ...refuses("ApiNotServed", message), remedy: `install the API ${api} on the cluster` },
    waits: fits("ApiNotServed", shortMessage(`${message}; the object is applied as soon as it does`)),
  };
}
