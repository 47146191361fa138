import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { chapters } from "../tools/index.ts";
import { type RegisteredOperation, Registry } from "../tools/kernel/registry.ts";

/** How many operations the contract names, by chapter. */
type Planned = Readonly<Record<string, number>>;

/** One line per chapter and one for all: how many of the contract's operations stand. */
export function progressLines(registry: Registry, planned: Planned): string[] {
  const stand = (chapter?: string) =>
    registry.operations.filter((op) => chapter === undefined || op.chapter === chapter).length;
  const all = Object.values(planned).reduce((sum, count) => sum + count, 0);
  const width = Math.max(...Object.keys(planned).map((name) => name.length));
  return [
    ...Object.entries(planned).map(([name, count]) => `${name.padEnd(width)}  ${stand(name)} of ${count}`),
    `${"all".padEnd(width)}  ${stand()} of ${all}`,
  ];
}

/** The catalogue as Markdown: every tool with its route and scope, by chapter in the order clients see them. */
function catalogueMarkdown(registry: Registry, planned: Planned): string {
  const all = Object.values(planned).reduce((sum, count) => sum + count, 0);
  const parts = [
    "# Catalogue",
    "",
    `${registry.operations.length} of ${all} operations, each a tool and a route. Shaped tools (*) answer a verdict and counts. Written by \`npm run catalogue\`.`,
  ];
  for (const { name, title, description } of registry.chapters) {
    const rows = registry.operations.filter((registered) => registered.chapter === name);
    parts.push("", `## ${title}`, "", `\`${name}\`, ${rows.length} of ${planned[name] ?? 0}. ${description}`, "");
    parts.push("| tool | route | scope | what it is for |", "| - | - | - | - |", ...rows.map(row));
  }
  return `${parts.join("\n")}\n`;
}

function row({ op }: RegisteredOperation): string {
  return `| ${op.name}${op.shape ? "*" : ""} | \`${op.route}\` | ${op.scope} | ${op.title.replaceAll("|", "\\|")} |`;
}

/** What clients see of a chapter's tools, as JSON text: a change of a name, a word or a schema shows as a difference. */
function wireContract(registry: Registry, chapter: string): string {
  const tools = registry.operations
    .filter((registered) => registered.chapter === chapter)
    .map(({ op, listing, plainOutput }) => ({ ...listing, route: op.route, scope: op.scope, answer: plainOutput }));
  return `${JSON.stringify(tools, null, 1)}\n`;
}

/** The written files: path under the project, and what must stand in it. */
export function written(registry: Registry, planned: Planned): Map<string, string> {
  const files = new Map([["tools/CATALOGUE.md", catalogueMarkdown(registry, planned)]]);
  for (const { name } of registry.chapters) files.set(`test/contract/${name}.json`, wireContract(registry, name));
  return files;
}

/** How many operations the contract names, by chapter. */
export function plannedCounts(): Planned {
  const contract = JSON.parse(readFileSync(new URL("../test/contract/operations.json", import.meta.url), "utf8")) as {
    chapter: string;
  }[];
  const counts: Record<string, number> = {};
  for (const { chapter } of contract) counts[chapter] = (counts[chapter] ?? 0) + 1;
  return counts;
}

/** Prints how much of the contract stands; writes the catalogue and the wire contracts, or with `--check` fails where they differ. */
function main(check: boolean): void {
  const registry = new Registry(chapters);
  const planned = plannedCounts();
  for (const line of progressLines(registry, planned)) console.log(line);
  for (const [path, text] of written(registry, planned)) {
    const file = new URL(`../${path}`, import.meta.url);
    const stands = existsSync(file) ? readFileSync(file, "utf8") : undefined;
    if (stands === text) continue;
    if (check) {
      console.error(`${path} is not what the registry says; run npm run catalogue.`);
      process.exitCode = 1;
    } else {
      writeFileSync(file, text);
    }
  }
}

if (import.meta.main) main(process.argv.includes("--check"));
