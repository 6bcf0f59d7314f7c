import { useEffect, useReducer, useState } from "preact/hooks";
import { type Route, routeOf } from "../model/index.ts";
import type { List } from "./client.ts";
import type { Fleet } from "./fleet.ts";

/** Draws the component again when a stream changes. */
export function useFleet(fleet: Fleet): void {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => fleet.subscribe(() => draw(undefined as never)), [fleet]);
}

/** The time, which moves on every second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

export type Totals = List<unknown>["totals"];

const TOTALS_AGAIN_MS = 15_000;

/** Sums of all objects that the reader may read. Undefined: not known. Asks again while the page is seen. */
export function useTotals({ client }: Fleet): Totals | undefined {
  const [totals, setTotals] = useState<Totals>();
  useEffect(() => {
    const gone = new AbortController();
    const ask = async (): Promise<void> => {
      if (document.hidden) return;
      try {
        setTotals((await client.list("federatedobjects", { limit: "1" }, gone.signal)).totals);
      } catch {
        // The connection of the rows says what is wrong.
        if (!gone.signal.aborted) setTotals(undefined);
      }
    };
    void ask();
    const timer = setInterval(() => void ask(), TOTALS_AGAIN_MS);
    return () => {
      clearInterval(timer);
      gone.abort();
    };
  }, [client]);
  return totals;
}

export function useRoute(): Route {
  const [fragment, setFragment] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setFragment(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return routeOf(fragment);
}
