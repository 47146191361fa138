import type { RegisteredOperation, Registry } from "./registry.ts";

/** How many operations the contract names, by chapter. */
export type Planned = Readonly<Record<string, number>>;

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
export function catalogueMarkdown(registry: Registry, planned: Planned): string {
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
export function wireContract(registry: Registry, chapter: string): string {
  const tools = registry.operations
    .filter((registered) => registered.chapter === chapter)
    .map(({ op, listing, plainOutput }) => ({ ...listing, route: op.route, scope: op.scope, answer: plainOutput }));
  return `${JSON.stringify(tools, null, 1)}\n`;
}
