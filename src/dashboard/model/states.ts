/** How a state looks: a tone of colour, and a sign for whoever does not see the colour. */
export interface Look {
  tone: "good" | "busy" | "warn" | "bad" | "gone";
  sign: string;
}

const LOOKS: Readonly<Record<string, Look>> = {
  Available: { tone: "good", sign: "✓" },
  Ready: { tone: "good", sign: "✓" },
  Progressing: { tone: "busy", sign: "…" },
  Removing: { tone: "busy", sign: "−" },
  Pending: { tone: "busy", sign: "○" },
  Degraded: { tone: "warn", sign: "!" },
  Failed: { tone: "bad", sign: "✕" },
  Unreachable: { tone: "gone", sign: "?" },
  Unknown: { tone: "gone", sign: "?" },
};
const OTHER: Look = { tone: "gone", sign: "·" };

/** A state that a newer server invented looks like none of the others. */
export function lookOf(state: string): Look {
  return LOOKS[state] ?? OTHER;
}

/** Waiting is no error: only these states are trouble. */
export function isTrouble(state: string): boolean {
  const { tone } = lookOf(state);
  return tone === "warn" || tone === "bad" || state === "Unreachable" || state === "Unknown";
}
