import { CommandError } from "../../shared/index.ts";
import { freePort, isFree } from "../../realClusters/index.ts";

export interface PortWishes {
  /** Port of the first name; the others follow. */
  base: number | undefined;
  /** Ports of the last run, whose kubeconfigs should still work. */
  kept: Readonly<Record<string, number>>;
}

/** Throws {@link CommandError} with all occupied ports that were asked for. */
export async function assignPorts(
  names: readonly string[],
  { base, kept }: PortWishes,
): Promise<Record<string, number>> {
  const ports: Record<string, number> = {};
  if (base === undefined) {
    for (const name of names) {
      const before = kept[name];
      ports[name] = before !== undefined && (await isFree(before)) ? before : await freePort();
    }
    return ports;
  }
  const occupied: string[] = [];
  for (const [index, name] of names.entries()) {
    const port = base + index;
    ports[name] = port;
    if (!(await isFree(port))) occupied.push(`${port} (for ${name})`);
  }
  if (occupied.length === 0) return ports;
  const which = occupied.length === 1 ? `port ${occupied[0]} is` : `ports ${occupied.join(", ")} are`;
  throw new CommandError(
    `${which} taken by another program: choose another --port, or leave --port out to have free ones taken`,
  );
}
