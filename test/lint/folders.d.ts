/** The folders of each room, from the bottom up. */
export const INSIDE: Readonly<Record<string, readonly string[]>>;
