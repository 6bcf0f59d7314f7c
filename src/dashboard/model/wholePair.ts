/** What the page reads of the answer with one object in full. */
export interface WholeAnswer {
  explanation?: {
    clusters: readonly { name: string; reason: string; message: string; remedies: readonly string[] }[];
    waits?: readonly { message: string }[];
  };
  differences: readonly {
    cluster: string;
    objects: readonly {
      ref: { kind: string; name: string };
      change: string;
      why?: { message: string };
      failure?: { message: string };
      fields?: readonly { path: string; before?: unknown; after?: unknown; masked?: true }[];
      fieldsUnknown?: string;
    }[];
  }[];
}

/** Why an object is on a cluster or not, and how the copies differ from what is desired. */
export interface WholePair {
  decision: { reason: string; message: string } | undefined;
  /** What would have to change for the object to run there. */
  remedies: readonly string[];
  /** Each to follow "Waits". */
  waits: readonly string[];
  differences: readonly Difference[];
}

export interface Difference {
  /** `Deployment/web` */
  object: string;
  /** What is going to happen, in words. */
  what: string;
  /** Why, where the server says so. */
  because?: string;
  fields: readonly { path: string; observed: string; desired: string }[];
}

const LONGEST_VALUE = 80;
const MOST_FIELDS = 20;

const WHAT: Readonly<Record<string, string>> = {
  Create: "is to be created",
  Change: "is to be changed",
  Remove: "is to be removed",
  Wait: "waits for its turn in the rollout",
  Keep: "stays as it is",
  Unknown: "is not known",
};

/** The part of the answer about one cluster. Copies that are as desired are left out. */
export function wholePairOf({ explanation, differences }: WholeAnswer, cluster: string): WholePair {
  const decision = explanation?.clusters.find(({ name }) => name === cluster);
  const copies = differences.filter((one) => one.cluster === cluster).flatMap(({ objects }) => objects);
  return {
    decision: decision && { reason: decision.reason, message: decision.message },
    remedies: decision?.remedies ?? [],
    waits: explanation?.waits?.map(({ message }) => message) ?? [],
    differences: copies
      .filter(({ change, failure }) => change !== "None" || failure !== undefined)
      .map(({ ref, change, why, failure, fields = [], fieldsUnknown }): Difference => {
        const because = failure?.message ?? why?.message ?? fieldsUnknown;
        return {
          object: `${ref.kind}/${ref.name}`,
          what: change === "None" ? "is as desired" : (WHAT[change] ?? change),
          ...(because === undefined ? {} : { because }),
          fields: fields.slice(0, MOST_FIELDS).map(({ path, before, after, masked }) => ({
            path,
            observed: masked === true ? "hidden" : valueText(before),
            desired: masked === true ? "hidden" : valueText(after),
          })),
        };
      }),
  };
}

function valueText(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
