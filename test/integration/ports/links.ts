import type { Ports } from "../../../src/controllers/index.ts";
import { byteLink, type Faults } from "./byteLink.ts";

export type Link = (ports: Ports, faults: Faults) => Ports;

export const LINKS: [string, Link][] = [
  ["direct calls", (ports) => ports],
  ["bytes", (ports) => byteLink(ports)],
  ["bytes that are late, doubled, out of order and lost", (ports, faults) => byteLink(ports, faults)],
];

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}
