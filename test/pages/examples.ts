import { fencedBlocks, read, sectionsOf } from "../integration/pages/markdown.ts";

/** What a section of the page about policies shows in YAML. */
export function exampleOf(title: string): string {
  const section = sectionsOf(read("placements/README.md")).find((one) => one.title === title);
  if (section === undefined) throw new Error(`no section ${title}`);
  return fencedBlocks(section.text, "yaml").join("---\n");
}
