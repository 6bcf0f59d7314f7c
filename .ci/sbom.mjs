/**
 * Writes the bill of materials of the program (CycloneDX 1.6, JSON) to standard output: every package that the bundle holds, as dist/
 * says, with the version, the licence and the hash that package-lock.json knows. The same commit gives the same text.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const read = (path) => readFile(join(ROOT, path), "utf8");

const { name, version, license, description } = JSON.parse(await read("package.json"));
const { packages } = JSON.parse(await read("package-lock.json"));
const program = await readFile(join(ROOT, "dist/meridian.js"));

/** Headings of dist/LICENSES.txt: `name version (licence)`. */
const bundled = [...(await read("dist/LICENSES.txt")).matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \((.+)\)$/gm)];
if (bundled.length === 0) throw new Error("dist/LICENSES.txt names no package: build first");
const purl = (of, at) => `pkg:npm/${of.replace("@", "%40")}@${at}`;
const components = bundled.map(([, of, at, terms]) => component(of, at, terms));
const own = purl(name, version);
const bom = {
  $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  version: 1,
  metadata: {
    ...timestamp(),
    component: {
      type: "application",
      "bom-ref": own,
      name,
      version,
      description,
      purl: own,
      licenses: [{ license: { id: license } }],
      hashes: [{ alg: "SHA-256", content: createHash("sha256").update(program).digest("hex") }],
    },
  },
  components,
  dependencies: [
    { ref: own, dependsOn: components.map((one) => one["bom-ref"]) },
    ...components.map((one) => ({ ref: one["bom-ref"] })),
  ],
};
console.log(JSON.stringify(bom, null, 2));

function component(of, at, terms) {
  const found = Object.entries(packages).find(
    ([path, { version: locked }]) => path.endsWith(`node_modules/${of}`) && locked === at,
  );
  if (found === undefined) throw new Error(`package-lock.json has no ${of} ${at}`);
  const [algorithm, hash] = (found[1].integrity ?? "").split("-", 2);
  if (algorithm !== "sha512") throw new Error(`package-lock.json has no SHA-512 of ${of} ${at}`);
  const ref = purl(of, at);
  return {
    type: "library",
    "bom-ref": ref,
    name: of,
    version: at,
    purl: ref,
    licenses: [/^[A-Za-z0-9.-]+$/.test(terms) ? { license: { id: terms } } : { expression: terms }],
    hashes: [{ alg: "SHA-512", content: Buffer.from(hash, "base64").toString("hex") }],
  };
}

/** The build's own time would make every bill another one. */
function timestamp() {
  const epoch = process.env.SOURCE_DATE_EPOCH;
  return epoch === undefined ? {} : { timestamp: new Date(Number(epoch) * 1000).toISOString().replace(".000", "") };
}
