import { existsSync, rmSync } from "node:fs";
import { access, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { codeOf, CommandError } from "../../shared/index.ts";
import { lockFolder } from "./lock.ts";

export type FleetKind = "sandbox" | "real" | "given";

/** What a later run on the same folder needs. */
export interface QuickstartState {
  /** One folder holds one kind of clusters. */
  fleet: FleetKind;
  /** In the order of the request. */
  regions: string[];
  /** By cluster name. */
  ports: Record<string, number>;
  /** Objects of the sample, as `Kind/name`. What a person deletes later is not applied again. */
  applied: string[];
}

export interface FolderOptions {
  /** Undefined: a temporary folder. */
  dir?: string;
  fleet: FleetKind;
  /** Keeps a temporary folder, too. */
  keep: boolean;
}

const STATE = "quickstart.json";

/** Only one process at a time can hold the folder. */
export class StateFolder implements AsyncDisposable {
  /** Absolute path. */
  readonly path: string;
  /** True if the folder is removed at the end. */
  readonly temporary: boolean;
  /** True if the folder held a quickstart before. */
  readonly continued: boolean;
  readonly state: QuickstartState;
  readonly #cleanup: AsyncDisposableStack;

  private constructor(
    fields: Pick<StateFolder, "path" | "temporary" | "continued" | "state">,
    cleanup: AsyncDisposableStack,
  ) {
    this.path = fields.path;
    this.temporary = fields.temporary;
    this.continued = fields.continued;
    this.state = fields.state;
    this.#cleanup = cleanup;
  }

  /** Throws {@link CommandError} when another process has the folder, or when it holds clusters of another kind. */
  static async open({ dir, fleet, keep }: FolderOptions): Promise<StateFolder> {
    await using stack = new AsyncDisposableStack();
    const path = dir === undefined ? await mkdtemp(join(tmpdir(), "meridian-quickstart-")) : resolve(dir);
    const temporary = dir === undefined && !keep;
    if (temporary) stack.use(removal(path));
    if (dir !== undefined) await mkdirOf(path);
    stack.use(await lockFolder(join(path, "quickstart.lock"), path));
    const known = await readState(path);
    if (known !== undefined && known.fleet !== fleet) {
      throw new CommandError(`${path} keeps ${SORTS[known.fleet]}, not ${SORTS[fleet]}: use another --dir`);
    }
    const state = known ?? { fleet, regions: [], ports: {}, applied: [] };
    return new StateFolder({ path, temporary, continued: known !== undefined, state }, stack.move());
  }

  file(name: string): string {
    return join(this.path, name);
  }

  kubeconfigFile(cluster: string): string {
    return this.file(`${cluster}.kubeconfig`);
  }

  /** Throws {@link CommandError} when a file of the person's has a needed name in a new folder. */
  async claim(clusters: readonly string[]): Promise<void> {
    if (this.continued) return;
    for (const cluster of clusters) {
      const file = this.kubeconfigFile(cluster);
      if (existsSync(file))
        throw new CommandError(`${file} is there already and would be overwritten: use another --dir`);
    }
  }

  /** Writes a file that holds secrets, completely or not at all. */
  async write(file: string, text: string): Promise<void> {
    const temporary = `${file}.${process.pid}`;
    await writeFile(temporary, text, { mode: 0o600 });
    await rename(temporary, file);
  }

  save(): Promise<void> {
    return this.write(this.file(STATE), `${JSON.stringify(this.state, undefined, 2)}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanup.disposeAsync();
  }
}

const SORTS: Record<FleetKind, string> = {
  sandbox: "sandbox clusters",
  real: "real control planes",
  given: "the record of clusters of your own",
};

async function mkdirOf(path: string): Promise<void> {
  try {
    await makeFolder(path);
    await access(path);
  } catch (error) {
    // A file is in the way, at the folder's path or above it.
    const code = codeOf(error);
    if (code === "EEXIST") throw new CommandError(`--dir ${path} is a file: name a folder, or a new one`);
    if (code === "ENOTDIR") throw new CommandError(`--dir ${path} lies below a file: name a folder, or a new one`);
    if (code === "ENOENT") throw new CommandError(`--dir ${path} cannot be created there: name another folder`);
    throw new CommandError(`the folder ${path} cannot be used, choose another with --dir`, { cause: error });
  }
}

/**
 * Node's recursive mkdir is not used: it retries for ever where a file system reports the parent as missing, as /proc
 * does.
 */
async function makeFolder(path: string): Promise<void> {
  const isThere = (): Promise<boolean> => stat(path).then((found) => found.isDirectory());
  const make = (): Promise<void> =>
    mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
      if (codeOf(error) !== "EEXIST" || !(await isThere())) throw error;
    });
  try {
    await make();
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await make();
  }
}

/** Removes the folder, also when a second Ctrl-C ends the process at once. */
function removal(path: string): AsyncDisposable {
  const atExit = (): void => rmSync(path, { recursive: true, force: true });
  process.once("exit", atExit);
  return {
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
      process.off("exit", atExit);
    },
  };
}

async function readState(path: string): Promise<QuickstartState | undefined> {
  const file = join(path, STATE);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new CommandError(`the folder ${path} cannot be used, choose another with --dir`, { cause: error });
  }
  const state = parsed(text);
  if (state === undefined)
    throw new CommandError(`${file} is not what quickstart wrote: use another --dir, or remove it`);
  return state;
}

function parsed(text: string): QuickstartState | undefined {
  try {
    const state = JSON.parse(text) as QuickstartState | null;
    const whole =
      state !== null &&
      Object.hasOwn(SORTS, state.fleet) &&
      Array.isArray(state.regions) &&
      Array.isArray(state.applied) &&
      typeof state.ports === "object";
    return whole ? state : undefined;
  } catch {
    return undefined;
  }
}
