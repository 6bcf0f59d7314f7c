import { Option } from "@commander-js/extra-typings";
import { collected, CommandError, filename, type OptionsOf, parseDnsLabel, verb } from "../shared/index.ts";

export const createBundle = verb({
  name: "create",
  summary: "prints a ManifestBundle with the manifests of a Helm chart, a kustomization or files",
  flags: (command) =>
    command
      .argument("<name>", "name of the bundle, and of the Helm release in the chart's templates", parseDnsLabel)
      .option("-n, --namespace <namespace>", "namespace of the bundle", parseDnsLabel, "default")
      .addOption(
        new Option(
          "--helm <chart>",
          "render this chart with helm: a folder, an archive, repo/name or oci://…",
        ).conflicts(["kustomize", "filename"]),
      )
      .addOption(collected("--values <file>", "values of the chart (may be repeated)"))
      .option("--chart-version <version>", "version of the chart (default: the latest)")
      .option(
        "--release-namespace <namespace>",
        "namespace of the release, and of objects without a namespace (default: the bundle's namespace)",
        parseDnsLabel,
      )
      .addOption(new Option("--kustomize <folder>", "render this kustomization with kubectl").conflicts("filename"))
      .addOption(filename("manifests"))
      .addOption(new Option("-o, --output <file>", "write the bundle into this file").conflicts("apply"))
      .addOption(
        new Option(
          "--crds",
          "print the CustomResourceDefinitions alone, for a hub that is to store their objects: | kubectl apply --server-side -f -",
        )
          .default(false)
          .conflicts("apply"),
      )
      .option("--apply", "apply the bundle to the hub, where the hub allows what it holds", false),
  options({ filename: files = [], values = [], ...flags }) {
    const { helm, kustomize, chartVersion } = flags;
    if (helm === undefined && kustomize === undefined && files.length === 0)
      throw new CommandError(
        "the bundle needs a source of manifests: give --helm CHART, --kustomize FOLDER, or -f FILE",
      );
    if (helm === undefined && (values.length > 0 || chartVersion !== undefined))
      throw new CommandError("--values and --chart-version belong to a chart: give --helm CHART as well");
    return { ...flags, filename: files, values };
  },
});
export type BundleOptions = OptionsOf<typeof createBundle>;
