import { type Command, Option } from "commander";
import { type BundleOptions, CommandError, parseDnsLabel } from "../shared/index.ts";

type Flags = Omit<BundleOptions, "values" | "filename"> & { values?: string[]; filename?: string[] };

const several = (value: string, before: string[] = []): string[] => [...before, value];

export function addBundle(program: Command, action: (name: string, options: BundleOptions) => Promise<void>): void {
  program
    .command("bundle")
    .description("makes bundles: a bundle is one hub object that carries an operator's manifests")
    .command("create")
    .description("prints a ManifestBundle with the manifests of a Helm chart, a kustomization or files")
    .argument("<name>", "name of the bundle, and of the Helm release in the chart's templates", parseDnsLabel)
    .addOption(
      new Option("-n, --namespace <namespace>", "namespace of the bundle").argParser(parseDnsLabel).default("default"),
    )
    .addOption(
      new Option("--helm <chart>", "render this chart with helm: a folder, an archive, repo/name or oci://…").conflicts(
        ["kustomize", "filename"],
      ),
    )
    .addOption(new Option("--values <file>", "values of the chart (may be repeated)").argParser(several))
    .option("--chart-version <version>", "version of the chart (default: the latest)")
    .addOption(
      new Option(
        "--release-namespace <namespace>",
        "namespace of the release, and of objects without a namespace (default: the bundle's namespace)",
      ).argParser(parseDnsLabel),
    )
    .addOption(new Option("--kustomize <folder>", "render this kustomization with kubectl").conflicts("filename"))
    .addOption(
      new Option("-f, --filename <file>", "manifests: a file, a folder, or - (may be repeated)").argParser(several),
    )
    .addOption(new Option("-o, --output <file>", "write the bundle into this file").conflicts("apply"))
    .addOption(
      new Option(
        "--crds",
        "print the CustomResourceDefinitions alone, for a hub that is to store their objects: | kubectl apply --server-side -f -",
      )
        .default(false)
        .conflicts("apply"),
    )
    .option("--apply", "apply the bundle to the hub, where the hub allows what it holds", false)
    .action((name: string, _, command: Command) => {
      const { values = [], filename = [], ...flags } = command.optsWithGlobals<Flags>();
      if (flags.helm === undefined && flags.kustomize === undefined && filename.length === 0)
        throw new CommandError(
          "the bundle needs a source of manifests: give --helm CHART, --kustomize FOLDER, or -f FILE",
        );
      if (flags.helm === undefined && (values.length > 0 || flags.chartVersion !== undefined))
        throw new CommandError("--values and --chart-version belong to a chart: give --helm CHART as well");
      return action(name, { ...flags, values, filename });
    });
}
