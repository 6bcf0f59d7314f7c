import { useEffect, useReducer, useState } from "preact/hooks";
import { type Route, routeOf } from "../model/index.ts";
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

export function useRoute(): Route {
  const [fragment, setFragment] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setFragment(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return routeOf(fragment);
}
