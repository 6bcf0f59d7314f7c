import { type CommandContext, CommandError } from "../../shared/index.ts";
import { type Screen } from "../../live/index.ts";
import { type FleetRequest, HUB, type QuickstartFleet } from "./fleet.ts";
import type { StateFolder } from "./folder.ts";
import { givenFleet } from "./givenFleet.ts";
import { DEFAULT_REGIONS, type QuickstartOptions } from "../verb.ts";
import { assignPorts } from "./ports.ts";
import type { Sample } from "../sample.ts";

export interface FleetStart {
  options: QuickstartOptions;
  folder: StateFolder;
  sample: Sample;
  context: CommandContext;
  screen: Screen;
}

export async function startFleet({ options, folder, sample, context, screen }: FleetStart): Promise<QuickstartFleet> {
  const { signal } = context;
  if (options.given !== undefined) {
    screen.step("looking at your clusters");
    return givenFleet(options.given, sample.regions, signal);
  }
  const regions = chooseRegions(options.regions, folder.state.regions, sample.regions);
  await folder.claim([HUB, ...regions]);
  const ports = await assignPorts([HUB, ...regions, "metrics"], { base: options.port, kept: folder.state.ports });
  Object.assign(folder.state, { regions, ports });
  await folder.save();
  const request: FleetRequest = {
    regions,
    ports,
    kept: !folder.temporary,
    folderOf: (cluster) => folder.file(`clusters/${cluster}`),
    kubeconfigFileOf: (cluster) => folder.kubeconfigFile(cluster),
    write: (file, text) => folder.write(file, text),
    say: (line) => screen.step(line),
    signal,
  };
  const where = folder.temporary ? `${folder.path} (temporary)` : folder.path;
  screen.step(
    `starting a hub and ${regions.length} member cluster${regions.length === 1 ? "" : "s"} ${options.real ? "(real control planes) " : ""}in ${where}`,
  );
  // Loaded when needed: the other kind of fleet is large.
  const fleet = options.real
    ? await (await import("./realFleet.ts")).startRealFleet(request, context.env)
    : await (await import("./sandboxFleet.ts")).startSandboxFleet(request);
  screen.step(`the hub answers at https://127.0.0.1:${ports[HUB]}, the members beside it`);
  return fleet;
}

/** Kept regions stay, even if fewer are asked for. Throws {@link CommandError} when there are too few. */
export function chooseRegions(wanted: number | undefined, kept: readonly string[], all: readonly string[]): string[] {
  const count = wanted ?? (kept.length === 0 ? DEFAULT_REGIONS : 0);
  if (count > all.length)
    throw new CommandError(
      `there are ${all.length} regions in placements/, not ${count}: give --regions ${all.length} or less`,
    );
  return [...new Set([...kept, ...all.slice(0, count)])];
}
