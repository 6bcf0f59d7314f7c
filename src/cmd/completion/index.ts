/**
 * Candidates for the word that a person is typing, as kubectl expects them of its plugins: a line
 * `word<tab>description` each, and a last line `:N` that says if files may be offered as well. Promises: no error is
 * printed, and the answer takes at most two seconds.
 */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { defined, type KubeObject, type ResourceBinding } from "../../apis/index.ts";
import {
  CLUSTERRESOURCEBINDINGS,
  DEMOAPPLICATIONS,
  kubeconfigContexts,
  listAll,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  NAMESPACES,
  RESOURCEBINDINGS,
  type ResourceType,
} from "../../runtime/index.ts";
import { type CommandContext, connectHub, EXIT } from "../shared/index.ts";
import { candidatesFor, type Known, valueOf } from "./candidates.ts";

export { completionScript } from "./scripts.ts";

const PATIENCE_MS = 2_000;
/** cobra's ShellCompDirectiveDefault and ShellCompDirectiveNoFileComp. */
const FILES_TOO = 0;
const NO_FILES = 4;
/** Stands for the namespace of the context. */
const OF_CONTEXT = Symbol("the namespace of the context");

/** `words` follow the program's name and end with the word that is being typed. */
export async function complete(
  program: CommandUnknownOpts,
  words: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { candidates, files } = await candidatesFor(program, words, knownTo(words, context));
  const lines = candidates.map(
    ({ word, description = "" }) => `${word}${description === "" ? "" : `\t${description}`}\n`,
  );
  context.terminal.out(`${lines.join("")}:${files ? FILES_TOO : NO_FILES}\n`);
  return EXIT.ok;
}

/** Any failure gives no candidates; the command itself reports the error later. */
function knownTo(words: readonly string[], context: CommandContext): Known {
  const { env } = context;
  const itemsOf = async (
    type: ResourceType,
    within: string | typeof OF_CONTEXT | undefined,
    metadataOnly: boolean,
  ): Promise<KubeObject[]> => {
    try {
      const options = { kubeconfig: valueOf(words, "--kubeconfig"), context: valueOf(words, "--context") };
      await using hub = connectHub({ logLevel: "info", ...defined(options) }, context);
      const namespace = within === OF_CONTEXT ? hub.config.currentNamespace : within;
      const signal = AbortSignal.any([context.signal, AbortSignal.timeout(PATIENCE_MS)]);
      const selection = { client: hub.client, type, ...defined({ namespace }) };
      return await listAll(selection, { metadataOnly, signal });
    } catch {
      return [];
    }
  };
  const namesOf = async (type: ResourceType, within?: string | typeof OF_CONTEXT): Promise<string[]> =>
    (await itemsOf(type, within, true)).map(({ metadata }) => metadata.name);
  const givenNamespace = valueOf(words, "--namespace") ?? valueOf(words, "-n");
  return {
    contexts(kubeconfigFlag) {
      try {
        return kubeconfigContexts({ kubeconfig: valueOf(words, kubeconfigFlag), env });
      } catch {
        return [];
      }
    },
    members: () => namesOf(MEMBERCLUSTERS),
    applications: () => namesOf(DEMOAPPLICATIONS, givenNamespace),
    others: async () => {
      const kinds = [RESOURCEBINDINGS, ...(givenNamespace === undefined ? [CLUSTERRESOURCEBINDINGS] : [])];
      const [bundles, bindings] = await Promise.all([
        namesOf(MANIFESTBUNDLES, givenNamespace),
        Promise.all(
          kinds.map((type) =>
            itemsOf(type, type === RESOURCEBINDINGS ? givenNamespace : undefined, false).then((items) =>
              items.map((item) => boundName(item as unknown as ResourceBinding)),
            ),
          ),
        ),
      ]);
      return [...bundles.map((name) => `manifestbundle/${name}`), ...bindings.flat()].toSorted();
    },
    rolledOut: async () => {
      const types = [DEMOAPPLICATIONS, MANIFESTBUNDLES];
      const names = await Promise.all(types.map((type) => namesOf(type, givenNamespace ?? OF_CONTEXT)));
      return { applications: names[0] ?? [], bundles: names[1] ?? [] };
    },
    namespaces: () => namesOf(NAMESPACES),
  };
}

function boundName({ spec: { resource } }: ResourceBinding): string {
  return `${resource.kind.toLowerCase()}/${resource.name}`;
}
